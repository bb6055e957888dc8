// Decides how tensors are filled: once, between assembled loops and the plan.
#pragma once

#include "plan/plan.h"

namespace filigree::plan {

/// Of every result, and of every temporary with levels.  Which levels go through workspaces, assembled loops say
/// already (assemble/assemble.h); of what is placed, the passes are decided when its loops are planned.
Fillings choose_fillings(const concrete::Program& program, const Purpose& purpose);

/// The passes in which the loops of `stmt` place nodes of `tensor`.  `in_pieces`: these loops are divided.
Placed with_passes(Placed placed, const Stmt& stmt, const TensorVar& tensor, const concrete::Program& program,
                   bool in_pieces);

/// Does the assignment write every component below the nodes that are appended to its result?
bool copies_whole_nodes(const concrete::Assign& assign, const Fillings& fillings);

/// The temporary through which the tensor's index can be made before its values; nothing if it cannot.
std::optional<TensorVar> index_first_through(const concrete::Program& program, const TensorVar& tensor,
                                             const Fillings& fillings);

/// Does the loop append what has joined `joined` to a result, all at once?
bool takes_joined(const concrete::Forall& forall, const TensorVar& joined, const concrete::Environment& environment,
                  const Fillings& fillings);

/// Does the loop fill a level of a result whose nodes are arranged before anything hangs from them?
bool fills_arranged(const concrete::Forall& forall, const std::vector<TensorVar>& results);

/// The assignment of a nest of loops around it and nothing else.
const concrete::Assign* only_assign(const concrete::Stmt& stmt);

/// Can pieces of it be made at the same time?  Not if the pattern is given and only the nodes before tell where a
/// piece's nodes go.
bool can_be_in_pieces(const Filling& filling, const TensorVar& tensor, Mode mode);

/// Why the tensor's levels cannot be filled so; nothing if they can.
std::optional<std::string> find_problem(const Filling& filling, const TensorVar& tensor, Mode mode);

}  // namespace filigree::plan
