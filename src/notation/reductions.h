// Explicit reductions in index notation: `sum(k, ...)`, `min_over(k, ...)`, and for every operator that can
// reduce `reduce(xor, k, ...)`.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "algebra/operator.h"

namespace filigree::notation {

/// The operator that a reduction's name stands for, if it is one.
std::optional<Operator> find_reduction(std::string_view name);
/// What a person calls the reduction: "sum", "reduce(xor, ...)".
std::string reduction_name(Operator op);
/// How a reduction begins: "sum(", "reduce(xor, ".
std::string reduction_opening(Operator op);
/// The names that a parenthesis makes a reduction: those of the table, `count` and `reduce`.
std::vector<std::string> reduction_names();
/// An operator as it is written between operands, before `=` or in `reduce`: "+", "xor", "min", a user's function.
std::optional<Operator> find_operator(std::string_view symbol);
/// The symbols of all operators that can reduce.
std::vector<std::string> reducing_symbols();

}  // namespace filigree::notation
