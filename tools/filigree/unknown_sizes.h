// Sizes that a run needs and nothing tells.
#pragma once

#include <optional>

#include "problem.h"

namespace filigree::tool {

/// What to tell the user who has to give them; nothing if all are known, or will be while the program runs.
std::optional<UserError> unknown_sizes(const Problem& problem, const notation::ProgramSizes& sizes);

}  // namespace filigree::tool
