// A result as loops fill it.  Each way of filling one is a class in a file of its own, made from what the plan says
// (make_result.h); loops are written without asking which it is:
//
//   inserted_result.h     A dense, components in any order       A_vals[6*i + j] += ...
//   appended_result.h     A csr, row by row                      A2_crd[pA2] = j;  A_vals[pA2] = ...;  pA2++
//   appended_in_pieces.h  the same, each piece a part            parts, put together in the end
//   given_in_pieces.h     the same, into a given pattern         pA2 = A2_pos[i] where row i begins
//   index_first_result.h  rows of blocks                         A2_crd[pA2] = j in one pass, A_vals in another
//   placed_result.h       A csr, in loops over columns           A2_pos[i + 1]++ in one pass, A_vals[p] in another
//   slotted_result.h      A ell                                  A_counts[i]++ in one pass, A_vals[slot] in another
//   pattern_result.h      A with the entries of B                A2_crd = B2_crd;  A_vals[pB2] = ...
//
// What they share is in level_result.h; where their arrays come from, in array_source.h.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "level/join.h"
#include "lower/scope.h"

namespace filigree::lowering {

class Lowerer;

/// Loops over one variable, as a result has to know about them.
struct VisitedLoop {
  const IndexVar& var;
  std::function<ir::Expr()> iterations;  // so many, or fewer
};

/// The body of a loop.
struct LoopBody {
  const IndexVar& var;
  const Scope& around;  // the loop
  bool whole;           // it copies all components below a node
};

/// A level that gets the coordinates of all siblings first: arranged, they are visited again.
class ArrangedFirst {
 public:
  virtual ~ArrangedFirst() = default;
  virtual ir::Stmt collect(const ir::Expr& coordinate) const = 0;
  virtual ir::Stmt visit(const ir::Var& coordinate, const ir::Stmt& body) const = 0;
};

/// Code before something and after it.
struct Surrounding {
  ir::Stmt before, after;
};

/// One of the pieces of a loop.
struct PieceOfLoop {
  const ir::Var &number, &pieces;      // its own, and how many there are
  std::optional<ir::Expr> iterations;  // so many of the loop that is cut, if these are coordinates
};

/// A result of which each piece of a loop makes a part, at the same time as others.
class MadeInParts {
 public:
  virtual ~MadeInParts() = default;
  /// Notes which levels all pieces fill together.
  virtual void enter_pieces(Scope&) const {}
  /// Around the parallel loop: memory for what the pieces leave behind, and what becomes of that.
  virtual Surrounding around_parts(const ir::Var& pieces) const = 0;
  /// `body`, which makes one piece, with what is needed around it.
  virtual ir::Stmt make_part(const PieceOfLoop& piece, const ir::Stmt& body) const = 0;
};

class Result : public Writer {
 public:
  virtual const TensorVar& tensor() const = 0;
  virtual const ir::Var& values() const = 0;
  virtual ir::Expr value_count() const = 0;
  virtual const std::vector<ir::Parameter>& parameters() const = 0;
  /// Where loops find them.
  StoredValues values_in(const Scope& scope) const {
    auto elsewhere = scope.values.find(tensor());
    return elsewhere == scope.values.end() ? StoredValues{values()} : elsewhere->second;
  }

  /// Before and after everything else.
  virtual ir::Stmt prologue() const = 0;
  virtual ir::Stmt epilogue() const = 0;
  /// The outermost loops around all that is written; nothing if they run as any others do.
  virtual std::optional<ir::Stmt> run(Lowerer&, const plan::Stmt& /*loops*/, const Scope&) { return std::nullopt; }

  /// Adds positions of levels whose variables are bound; returns declarations.
  virtual ir::Stmt extend(Scope& scope) const = 0;
  /// Around the body of a loop, inside of which `inside` holds; `before_body` extends it.
  virtual ir::Stmt before_body(const LoopBody&, Scope& inside) const { return extend(inside); }
  virtual ir::Stmt after_body(const LoopBody&, const Scope& /*inside*/) const { return {}; }
  /// Where an outermost loop comes to a coordinate, before anything else is done there.
  virtual ir::Stmt at_coordinate(const IndexVar&, const ir::Var& /*coordinate*/) const { return {}; }
  /// Must every component that the loops come to get a value?
  virtual bool needs_value() const { return false; }

  /// Around a loop, or several over one variable one after the other.
  virtual ir::Stmt before_loop(const VisitedLoop&, const Scope&) { return {}; }
  virtual ir::Stmt after_loop(const IndexVar&, const Scope&) const { return {}; }
  /// Around loops over pieces of loops over the variable: `inside` notes what all of these fill together.
  virtual Surrounding open_together(const IndexVar&, const Scope&, Scope& /*inside*/) const { return {}; }

  /// Instead of a loop over the last level: all siblings that have joined others elsewhere, as they stand.
  virtual ir::Stmt take_siblings(const IndexVar&, const Scope&, const level::Join::Siblings&) const { return {}; }

  /// Null: the level that the loop over this variable fills needs no arranging, or nothing hangs from it.
  virtual const ArrangedFirst* arranged_first(const IndexVar&, const Scope&) const { return nullptr; }
  /// Null: pieces of the loop over this variable make nothing of their own.
  virtual const MadeInParts* made_in_parts(const IndexVar&) const { return nullptr; }
};

}  // namespace filigree::lowering
