// Statements all of whose operands divide their indices into the same blocks: loops can run over blocks.
//
//   A(i,j) = B(i,j) + C(i,j), all bcsr(4,4)    ->    A(ib,jb,ii,ji) = B(ib,jb,ii,ji) + C(ib,jb,ii,ji)
#pragma once

#include "concrete/level_space.h"

namespace filigree::concrete {

struct AlignedBlocks {
  Access lhs;
  Expr rhs;
  std::map<IndexVar, std::vector<IndexVar>> parts;  // of each index that is divided, outermost first
  bool in_blocks = true;                            // else levels are the same in another way
};

/// The statement in the space of levels, if every operand that is not dense is stored in blocks, in increasing order,
/// and no two divide an index differently; or if all of them have the same levels over the same indices, such as
/// diagonals, and nothing is reduced.  At least two tensors must be stored so.  A dense tensor keeps its indices, which
/// follow from the levels.  So does a matrix in sparse rows, if loops over dimensions would need copies of the operands.
std::optional<AlignedBlocks> align_blocks(const Access& lhs, const Expr& rhs, LevelSpace& space);

}  // namespace filigree::concrete
