// What is known at a place in the loops.  Places further in have a copy, to which loops and what they bind are added.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <vector>

#include "ir/ir.h"
#include "level/level_format.h"
#include "lower/shared_values.h"
#include "plan/plan.h"

namespace filigree::lowering {

/// A temporary of order 0: its variable and the flag that says whether it was written.
struct ScalarTemporary {
  ir::Var value;
  ir::Expr written;
  bool starts_at_fill;  // unwritten, the variable holds the temporary's fill
  bool absorbs;         // absent points take part in its value, written or not
};

/// The points of one piece of a cut: numbers of its first and of the one behind its last.
struct Piece {
  const concrete::PieceLoop* cut;
  ir::Expr begin, end;
  std::vector<level::Bounds> levels;  // if they are positions: those at the level of each loop
  bool is_even;                       // it is as large as every other piece
  /// Where loops are over numbers: of its points, only each `stride`th is visited, from number `offset` on.
  struct Steps {
    ir::Expr stride, offset;
    std::optional<ir::Expr> count = {};  // of these, if it is known
  };
  std::optional<Steps> steps = {};
};

struct Scope;

/// A value for a component of a tensor.
struct Write {
  const concrete::Access& lhs;
  const Scope& scope;
  std::optional<Operator> op;                              // what combines it with what is there
  ir::Expr own;                                            // the value itself
  std::function<ir::Expr(const ir::Expr& current)> value;  // the same combined with what is there
  bool whole = false;                                      // all components of the node are written
};

/// Whoever takes the values that assignments make for a tensor.
class Writer {
 public:
  virtual ~Writer() = default;
  /// Code that takes one value.
  virtual ir::Stmt write(const Write& component) const = 0;
};

/// What becomes of a loop from one number to another, instead of running on its own.
using LoopRunner = std::function<ir::Stmt(const ir::For&)>;
/// What becomes of a `where` that fills a temporary.
using WhereRunner = std::function<ir::Stmt(const plan::Where&, const Scope&)>;

struct Scope {
  std::vector<IndexVar> bound;                      // loops around, outermost first
  std::map<IndexVar, ir::Expr> coordinates;         // of the bound variables
  std::map<lattice::Operand, ir::Expr> positions;   // of operand levels reached so far
  std::map<lattice::Operand, ir::Expr> group_ends;  // where a level has several nodes with its coordinate: their end
  std::map<std::pair<TensorVar, int>, ir::Expr> result_positions;  // of result levels reached so far
  std::map<TensorVar, ScalarTemporary> scalars;
  std::map<lattice::Operand, ir::Var> padded;      // values of accesses that may be outside of their tensor
  std::vector<Piece> pieces;                       // that are visited now, outermost first
  std::set<IndexVar> full_numbers;                 // of loops over numbers: each piece has a point with theirs
  std::set<std::pair<TensorVar, int>> opened;      // result levels that all pieces fill together
  std::map<IndexVar, const LoopRunner*> runners;   // of loops inside that are one loop each (plan/division.h)
  std::map<TensorVar, const Writer*> writers;      // other than the tensors' own
  std::map<TensorVar, const WhereRunner*> wheres;  // by temporary
  std::map<TensorVar, StoredValues> values;        // of results that iterations share
  std::optional<plan::Launch> launch;              // around loops for units of a GPU
  std::optional<size_t> own_workspaces;            // of a loop for threads of a GPU: each has those from this one on
  bool in_loop = false;
  bool may_leave = false;  // in a loop that has one assignment and nothing else

  bool is_bound(const IndexVar& var) const { return coordinates.count(var) > 0; }
  /// Is no loop around?  What follows from nothing, as the 3 of A(3,j), is bound from the beginning.
  bool is_outermost() const { return !in_loop; }
};

/// Lowered code, and whether running it is certain to write the tensor the statement is about.
struct Lowered {
  ir::Stmt code;
  bool certain = false;
};

}  // namespace filigree::lowering
