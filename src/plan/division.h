// Loops whose iterations run at the same time.
//
// A loop that is one loop, from a number to another that are known when it begins, can be cut: every thread has a part
// of its range.  That it is one, and what measures the work of a part, follows from its lattice and strategy.
#pragma once

#include "plan/plan.h"

namespace filigree::plan {

/// Is the statement a loop that runs from one number to another?
bool is_one_loop(const Stmt& stmt);

/// Do the operands that the loop is not over leave it as it is, from the first coordinate to the last?
bool runs_to_the_ends(const Loop& loop, const concrete::Environment& environment);

/// Is it one loop, and does no iteration leave behind anything for the next one, other than what it writes?
bool can_be_cut(const Stmt& stmt, const concrete::Environment& environment);

/// A level below the iterations of the loop that tells where the nodes of each begin and end.
std::optional<lattice::Operand> measured_by(const Stmt& stmt, const concrete::Program& program);

/// Of a loop over what is measured by `level`: are nodes of `tensor` counted by a loop over that level alone, which has
/// no need to know what each node is below?
bool counts_through(const Stmt& stmt, const TensorVar& tensor, const lattice::Operand& level);

/// Of a loop that reaches the parents of nodes of `tensor` in order: does each iteration write one component, whatever
/// it finds, below the coordinate that it is at?  Then this is the level that tells the coordinate.
std::optional<lattice::Operand> places_one_each(const Stmt& stmt, const TensorVar& tensor,
                                                const concrete::Program& program);

struct RacingWrites {
  std::optional<Operator> op;
};
/// How iterations of the loop write components of the result, if several may write the same one.
std::optional<RacingWrites> racing_writes(const concrete::Forall& forall, const TensorVar& result,
                                          const concrete::Environment& environment);

}  // namespace filigree::plan
