// An appended result that the iterations of a parallel loop over its first level make together.
//
// Each iteration assembles a part, as if nothing were before it: with its own counters, and its own arrays where their
// size is not known beforehand.  Arrays with an element for every parent are shared if the parents' positions are known
// from their coordinates.  When all iterations are done, sums over them tell where each part goes, and one after the
// other is moved there by all threads together; what holds positions is shifted by what stands before.  The first part
// stays where it is and grows, so one part alone costs nothing.
//
// Where the pattern is given, each iteration goes to where that has its nodes, and checks that they are as many.
//
//   rows {0,1}, {} | {2}:   pos = 0 2 2 | 1,  crd = 0 1 | 2,  ends = 2 | 1      becomes      pos = 0 2 2 3,  crd = 0 1
//   2
#pragma once

#include "lower/appended_result.h"

namespace filigree::lowering {

class AppendedInPieces : public AppendedResult, public MadeInParts {
 public:
  AppendedInPieces(const plan::AppendedInPieces& how, const ResultOf& of);

  ir::Stmt prologue() const override { return open(Memory::Fixed, expected_); }
  MadeInParts* made_in_parts(const IndexVar& var) override { return var == loop_ ? this : nullptr; }

  void cut_into(const ir::Var& pieces, Scope& around) override;
  ir::Stmt open_parts() const override;
  ir::Stmt join_parts() const override;
  ir::Stmt make_part(const ir::Var& piece, const std::optional<ir::Expr>& iterations,
                     const ir::Stmt& body) const override;

 private:
  ir::Stmt begin_level(int level, const ir::Expr& parent) const override;
  ir::Stmt end_level(int level, const ir::Expr& parent) const override;
  ir::Stmt go_on(int level, const Scope& scope, const ir::Expr& iterations) const override;
  const ir::Var& made_so_far(int level) const override {
    return allocates() ? AppendedResult::made_so_far(level) : written_;
  }
  bool appends_first() const { return !is_inserted(0); }

  /// Where the pattern is given, its positions tell where nodes go.
  void read_given_positions();
  /// Nodes of the level go where the pattern has some below this parent; and all of these are there now.
  ir::Stmt go_to_given(int level, const ir::Expr& parent) const;
  ir::Stmt check_given(int level, const ir::Expr& parent) const;
  /// A parent that is appended may be one too many: are there this many elements for it, from its own on?
  ir::Stmt check_given_parent(int level, const ir::Expr& parent, int elements) const;

  /// Notes which arrays there are parts of.
  void find_parts();
  void add_part(const ir::Var& array, int level, const ir::Expr& each, int extra = 0, std::optional<int> numbers = {});
  /// Where each part ends, counted from the beginning of the first.
  ir::Stmt sum_ends() const;
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
  ir::Var number_;  // of pieces
  std::vector<Part> parts_;
  std::vector<Shared> shared_;
  std::map<int, ir::Var> ends_;     // of the nodes of each piece, by level that is appended to
  std::map<int, ir::Var> parents_;  // up to where a piece has reached the parents of the level, if these have places
  std::map<int, ir::Var> parent_ends_;          // and every piece
  std::map<int, ir::Var> parent_limits_;        // of a given pattern: how many elements the positions of a level have
  ir::Var written_ = ir::int64_var("written");  // nodes of the innermost such level, by one piece of a given pattern
};

}  // namespace filigree::lowering
