// An appended result whose pattern is given, and that the iterations of a parallel loop over its first level fill
// together: each goes to where the pattern has its nodes, and checks that they are as many.
//
//   rows {0,1}, {} | {2}, pos = 0 2 2 3:     the second piece begins with pA2 = A2_pos[2], and ends row 2 at A2_pos[3]
#pragma once

#include "lower/appended_result.h"

namespace filigree::lowering {

/// Requires: a mode that does not allocate, and a first level that is inserted into.
class GivenInPieces : public AppendedResult, public MadeInParts {
 public:
  GivenInPieces(const plan::GivenInPieces& how, const ResultOf& of);

  ir::Stmt prologue() const override { return open(Memory::Fixed, expected_); }
  const MadeInParts* made_in_parts(const IndexVar& var) const override { return var == loop_ ? this : nullptr; }

  Surrounding around_parts(const ir::Var& pieces) const override;
  ir::Stmt make_part(const PieceOfLoop& piece, const ir::Stmt& body) const override;

 private:
  ir::Stmt begin_level(int level, const ir::Expr& parent) const override;
  ir::Stmt end_level(int level, const ir::Expr& parent) const override;
  const ir::Var& made_so_far(int) const override { return written_; }

  /// The pattern's positions tell where nodes go.
  void read_positions();
  /// A parent that is appended may be one too many: are there this many elements for it, from its own on?
  ir::Stmt check_parent(int level, const ir::Expr& parent, int elements) const;

  IndexVar loop_;                               // whose pieces these are
  std::map<int, ir::Var> limits_of_parents_;    // how many elements the positions of a level have
  ir::Var written_ = ir::int64_var("written");  // nodes of the innermost level that is appended to, by one piece
  ir::Var ends_;                                // where those of each piece end
};

}  // namespace filigree::lowering
