// Comparisons of index variables, such as j <= i or i + 1 == 2*j: conditions that say where there is something.
//
// A condition is an operand like any other: a tensor of bools that holds `true` where the condition holds and has
// nothing stored, its fill being `false`, elsewhere.  So what it annihilates is not visited, and loops get its bounds.
// Only comparisons of sums of integers and variables with integer factors are conditions; of others, as i*j < 5, every
// component is there.
#pragma once

#include <optional>
#include <vector>

#include "notation/notation.h"
#include "relation/condition.h"

namespace filigree::notation {

struct IndexCondition {
  relation::Condition condition;
  std::vector<IndexVar> indices;  // by dimension of the condition; each once
  bool operator==(const IndexCondition&) const = default;
};
/// Nothing if the expression is no such comparison, or its variables cancel out.
std::optional<IndexCondition> as_condition(const Expr& expr);

/// `expr` with each condition replaced by an access to its tensor; equal conditions have one tensor.
Expr with_conditions(const Expr& expr);

}  // namespace filigree::notation
