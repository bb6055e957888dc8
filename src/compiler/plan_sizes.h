// How large everything is that a plan is about, from what it is given; and whether the plan's numbers are true of that.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "plan/plan.h"

namespace filigree::compiler {

struct PlanSizes {
  std::map<IndexVar, std::int64_t> extents;                     // of all variables that have a fixed one
  std::map<std::string, std::vector<std::int64_t>> dimensions;  // of operands and results, as they are stored
};

/// A tensor of a plan as it is outside: with the format in which it is given or comes out.
TensorVar outside_of(const plan::Plan& plan, const TensorVar& tensor);

/// Statements that have the plan's operands and results at the same indices, one for each result: what tells the sizes
/// of the plan tells those of these, and the other way round.
std::vector<notation::Statement> like(const plan::Plan& plan);

/// `dimensions` are those of operands that are known, as they are stored, and of results that a person says; `extents`
/// are of index variables by name.  Throws UserError where two disagree, or a size is known from nowhere.
PlanSizes find_sizes(const plan::Plan& plan, const std::map<std::string, std::vector<std::int64_t>>& dimensions,
                     const std::map<std::string, std::int64_t>& extents);

/// Throws UserError unless every index of an operand or a result runs through its dimension or level from one end to
/// the other, what follows from others stays inside where nothing guards it, and bounds hold.
void check_sizes(const plan::Plan& plan, const PlanSizes& sizes);

}  // namespace filigree::compiler
