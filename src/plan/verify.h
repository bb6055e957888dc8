// What lowering may rely on.
#pragma once

#include <optional>
#include <string>

#include "plan/plan.h"

namespace filigree::plan {

/// What is wrong with a plan, or nothing if
///  1. every index of an access, every source of a computed variable and every variable on the way to an operand has a
///     value where it is used, and no loop is over a variable that has one;
///  2. what is read is an operand, or a temporary that was filled before, and as a whole or each component once where
///     it says so; every operand's levels are reached from the first one down;
///  3. every loop has a body for each point of its lattice, points hold operands of the lattice, more of them first,
///     and the loop can run as its strategy says (lattice::find_problem);
///  4. it says how every result and every temporary with levels is filled, and what that requires (plan/filling.h)
///     holds: so levels of a result that are appended to are reached by loops that visit coordinates in order and once,
///     in the order of the levels; results of which only the index or the values are made have levels that can be
///     made so;
///  5. loops in pieces are one loop each, and what measures their work is below them (plan/division.h); the outermost
///     loops for units of a GPU say how they are launched (plan/launches.h).
std::optional<std::string> find_problem(const Plan& plan);

/// What is wrong with a plan that a person may have written, and where: at a statement (Stmt::identity, or a loop that
/// runs instead of another one), a tensor or a variable; none: the plan as a whole.
struct Mistake {
  std::string what;
  const void* at = nullptr;
  std::optional<TensorVar> tensor = {};
  std::optional<IndexVar> var = {};
};

/// Nothing if all of the above holds, and what the pipeline makes sure of for plans that it makes:
///  6. what is said about tensors and variables is true of the statement (plan/verify_facts.h): each variable has one
///     meaning, numbers follow from dimensions, pieces are pieces of loops that are there;
///  7. the cases of every loop are those of its statement (lattice::build_lattice), and what is computed there is what
///     is needed there.
/// Sizes are checked when the plan runs (compiler/plan_sizes.h).
std::optional<Mistake> find_mistake(const Plan& plan);

/// Throws InternalError that shows the plan unless all of that holds.
void verify(const Plan& plan);

}  // namespace filigree::plan
