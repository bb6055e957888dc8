// How much work a program is for inputs of known sizes: what its statements take, and how full its temporaries are.
#pragma once

#include <optional>
#include <vector>

#include "compiler/choose_way.h"

namespace filigree::compiler {

/// Of statements that run one after the other, each in the way that seems best.  `extents`: by statement.  `stored`: of
/// inputs.  Nothing if some of it cannot be told.
std::optional<double> work_of(const std::vector<notation::Statement>& statements,
                              const std::vector<std::map<IndexVar, std::int64_t>>& extents,
                              std::map<std::string, double> stored, const WayOptions& options);

}  // namespace filigree::compiler
