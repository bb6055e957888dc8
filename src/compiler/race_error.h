// The message about a race that a schedule was told to ignore.
#pragma once

#include <optional>

#include "concrete/concrete.h"
#include "support/diagnostic.h"

namespace filigree::compiler {

/// About the outermost loop with 'ignore' whose iterations write the same component of a result; nothing if there is
/// none.
std::optional<UserError> ignored_race(const concrete::Program& program);

}  // namespace filigree::compiler
