// What each thread of a launch does.  Internal to lowering; lower/launch.h has the picture.
#pragma once

#include <vector>

#include "lower/launch.h"

namespace filigree::lowering {

/// The nest as a grid, on arrays of the host still.
ir::For make_grid(const ir::For& outermost, const std::vector<UnitLoop>& units);

}  // namespace filigree::lowering
