// The loops of one lattice (P3 figure 9, P1; docs/architecture.md names the papers).  Internal to lowering.
//
// How a point's loop runs follows from its operands.  With the universe in the lattice, one loop over
// the dimension; operands that can be located are looked up, the others are stepped alongside.  A
// lattice of one point is an intersection: operands that can be located follow those that cannot.
// Otherwise every operand is stepped, one loop per point, the cases inside it being the points below.
#pragma once

#include <map>
#include <vector>

#include "lower/lowerer.h"

namespace filigree::lower {

/// An operand that a loop steps through: its cursor and where it ends.
struct Cursor {
  ir::Var at;
  ir::Expr begin, end;
  level::Node node;         // what the cursor stands for
  ir::Var coordinate;       // the node's coordinate, as declared in loops that compare several
};

/// Emits the loops for one lattice; made for a single use.
class LatticeLoops {
 public:
  LatticeLoops(Lowerer& lowerer, const lattice::Lattice& lattice, const Scope& scope);

  /// An upper bound on how many coordinates the loops visit.
  ir::Expr iterations() const;
  /// Cursors that several loops share, or that run beside a loop, with their ends; everything below speaks
  /// of these variables.  A single operand's cursor is its loop's own.
  ir::Stmt declare_cursors();
  ir::Stmt emit();

 private:
  /// What is known of each operand at one coordinate: its node, and the condition that it is present.
  struct Present {
    std::map<int, level::Node> nodes;
    std::map<int, ir::Expr> conditions;
  };

  void choose_steppers();
  void step(int k);
  ir::Expr parent(const lattice::Operand& operand) const;
  std::vector<ir::Expr> coordinates(const lattice::Operand& operand) const;
  level::Node locate(int k, const ir::Expr& coordinate) const;
  /// The cases of the points in `below`, most operands first, as a chain of else-ifs.
  ir::Stmt cases(const std::vector<const lattice::Point*>& below, const Present& present, const ir::Expr& coordinate, bool last_is_certain);
  void locate_others(Present& present, const ir::Expr& coordinate, std::vector<ir::Stmt>& code) const;
  ir::Stmt over_universe();
  /// One operand to step through: one loop, and no case but the point itself.
  ir::Stmt single_loop(const lattice::Point& point);
  /// The loop of one point among several: runs while all its operands have coordinates left.
  ir::Stmt merge_loop(const lattice::Point& point);

  Lowerer& lowerer_;
  const lattice::Lattice& lattice_;
  const Scope& scope_;
  std::map<int, Cursor> cursors_;
  std::vector<int> located_;
};

}  // namespace filigree::lower
