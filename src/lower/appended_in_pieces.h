// An appended result that the iterations of a parallel loop over its first level make together.
//
// Each iteration assembles a part, as if nothing were before it: with its own counters, and its own arrays where their
// size is not known beforehand.  Arrays with an element for every parent are shared if the parents' positions are known
// from their coordinates.  When all iterations are done, sums over them tell where each part goes, and one after the
// other is moved there by all threads together; what holds positions is shifted by what stands before.  The first part
// stays where it is and grows, so one part alone costs nothing.
//
//   rows {0,1}, {} | {2}:   pos = 0 2 2 | 1,  crd = 0 1 | 2,  ends = 2 | 1      becomes      pos = 0 2 2 3,  crd = 0 1
//   2
#pragma once

#include "lower/appended_result.h"

namespace filigree::lowering {

/// Requires: a mode that allocates.  Else given_in_pieces.h.
class AppendedInPieces : public AppendedResult, public MadeInParts {
 public:
  AppendedInPieces(const plan::AppendedInPieces& how, const ResultOf& of);

  ir::Stmt prologue() const override { return open(Memory::Fixed, expected_); }
  const MadeInParts* made_in_parts(const IndexVar& var) const override { return var == loop_ ? this : nullptr; }

  void enter_pieces(Scope& around) const override;
  Surrounding around_parts(const ir::Var& pieces) const override {
    return {open_parts(pieces), join_parts(pieces)};
  }
  ir::Stmt make_part(const PieceOfLoop& piece, const ir::Stmt& body) const override;

 private:
  ir::Stmt end_level(int level, const ir::Expr& parent) const override;
  ir::Stmt go_on(int level, const Scope& scope, const ir::Expr& iterations) const override;
  bool appends_first() const { return !is_inserted(0); }

  /// Notes which arrays there are parts of.
  void find_parts();
  void add_part(const ir::Var& array, int level, const ir::Expr& each, int extra = 0, std::optional<int> numbers = {});
  ir::Stmt open_parts(const ir::Var& pieces) const;
  ir::Stmt join_parts(const ir::Var& pieces) const;
  /// Where each part ends, counted from the beginning of the first.
  ir::Stmt sum_ends(const ir::Var& pieces) const;
  struct Moves;
  void move_parts(Moves& moves) const;

  /// An array of which every piece makes a part.
  struct Part {
    ir::Var whole, own, parts;
    int level;                        // it grows with the nodes of this level,
    ir::Expr each;                    // by so many elements a node,
    int extra = 0;                    // after so many that are there from the start
    std::optional<int> numbers = {};  // it holds positions of this level
  };
  /// An array that pieces share, each with the elements of its own parents: it holds positions of a level.
  struct Shared {
    ir::Var array;
    int level;
    int extra;
  };

  IndexVar loop_;  // whose pieces these are
  std::vector<Part> parts_;
  std::vector<Shared> shared_;
  std::map<int, ir::Var> ends_;     // of the nodes of each piece, by level that is appended to
  std::map<int, ir::Var> parents_;  // up to where a piece has reached the parents of the level, if these have places
  std::map<int, ir::Var> parent_ends_;  // and every piece
};

}  // namespace filigree::lowering
