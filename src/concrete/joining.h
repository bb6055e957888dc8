// Loops that visit the children of a node one after the other, and could as well take all of them at once: formats say
// how siblings join others that are stored alike (level::Join).
#pragma once

#include "concrete/concrete.h"

namespace filigree::concrete {

/// If a loop adds all children of a node of an operand to those of one node of its left side, and the last levels of
/// both have the same format, whose siblings can join: the operand.
///
///   forall(j, w(j) += B(i,j))       as B is stored; or -B(i,j)
///
/// `into`: the format of the level that is filled.
std::optional<Access> joining(const Forall& forall, const level::Format& into, const Environment& environment);

/// Does nothing but such loops, one after the other, write what is written?
bool all_join(const Stmt& stmt, const level::Format& into, const Environment& environment);

/// Can the loop go through the nodes of a result's level, which are arranged when all of their coordinates are known?
/// These are what its operands have: each is added to the result by itself, and has a level that is walked and looked
/// up in.
bool can_collect(const Forall& forall, const Environment& environment);

/// Does a loop copy all children of a temporary's one node to the last level of a result, which has the same format?
///
///   forall(j, A(i,j) = w(j))
bool takes_siblings(const Forall& forall, const TensorVar& temporary, const Environment& environment);

}  // namespace filigree::concrete
