// The names of explicit reductions in index notation: `sum(k, ...)`, `min_over(k, ...)`.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "algebra/operator.h"

namespace filigree::notation {

/// The operator that a reduction's name stands for, if it is one.
std::optional<Operator> find_reduction(std::string_view name);
/// Requires: `op` is one that reduces: + * min max.
std::string reduction_name(Operator op);
std::vector<std::string> reduction_names();

}  // namespace filigree::notation
