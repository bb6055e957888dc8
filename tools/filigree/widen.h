// Dimensions of files that do not say how large a tensor is.
#pragma once

#include "problem.h"

namespace filigree::tool {

/// Gives plain .tns files the extents that their dimensions have elsewhere: in a statement, and by way of what it
/// assigns in others.
void widen_implied_dimensions(Problem& problem);

}  // namespace filigree::tool
