// What is checked of the loops of a plan that a person may have written: that they do what their statement says.
// Internal to verify.cpp.
#pragma once

#include "plan/plan.h"

namespace filigree::plan {

/// Are the cases of the loop, inside of loops over `bound`, those that its statement has?  `is_instead`: the loop runs
/// where a dimension is empty.
std::optional<std::string> problem_of_cases(const Loop& loop, const concrete::Forall& forall,
                                            const std::vector<IndexVar>& bound, const Plan& plan, bool is_instead);

/// Can operands be reached as the loop says, beyond what lattice::find_problem asks?
std::optional<std::string> problem_of_ways(const Loop& loop, const Plan& plan);

/// Is what the body computes what is needed there?
std::optional<std::string> problem_of_computed(const Body& body, const std::vector<IndexVar>& bound, const Plan& plan);

}  // namespace filigree::plan
