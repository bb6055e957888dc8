// Iteration lattices: which operands meet in which loop (P1, P3 section 4; docs/architecture.md names the papers).
//
// At a loop over v, every operand level stored by v that may lack coordinates is an *operand* of
// the lattice.  A *point* is a set of operands that can be present together at a coordinate, with
// what is left of the loop's body when exactly those are present.  Points are ordered from all operands
// to few.  If the body has work to do with no operand present, the lattice contains the *universe*:
// the loop runs over the whole dimension, unless that work is the same constant for a scalar again and again: then
// loops count the coordinates they visit, and the others are *skipped* and made up for at once.  Work that reduces a
// constant over whole dimensions comes to that constant, which may well be what the result has anyway: m(i) =
// max_over(j, A(i,j)) has nothing to do in rows without entries, unless these have length 0.  Levels at which every
// coordinate is found take no part.
//
//   a(i) = b(i) + c(i), b and c compressed      {b,c}: a(i) = b(i) + c(i)   {b}: a(i) = b(i)   {c}: a(i) = c(i)
//   a(i) = b(i) * c(i), c dense                 {b}:   a(i) = b(i) * c(i)
//   a(i) = b(i) + c(i), c dense                 {b}:   a(i) = b(i) + c(i)   {}: a(i) = c(i)
#pragma once

#include <string>
#include <vector>

#include "concrete/concrete.h"

namespace filigree::lattice {

using concrete::Access;
using concrete::Stmt;

/// A level of an operand, reached through the index variables `path` (outermost level first; the last
/// one is the level's own).  Accesses that share a prefix of levels and variables share operands.
struct Operand {
  TensorVar tensor;
  int level;
  std::vector<IndexVar> path;
  bool operator==(const Operand&) const = default;
  bool operator<(const Operand& other) const;
};

/// The operand that `access` presents at `level`.
Operand operand_at(const Access& access, int level);

using Mask = unsigned;  // bit k: operands[k] is present

struct Point {
  Mask present;
  Stmt body;
};

struct Lattice {
  IndexVar var;
  std::vector<Operand> operands;
  std::vector<Point> points;   // more operands first; empty if there is nothing to do at all
  bool as_stored = false;      // a coordinate is visited as often as an operand has it
  concrete::LoopTag tag = {};  // of the loop that it is for
  /// What is to be done for each coordinate that no point is for: loops over other variables around `t op= constant`.
  std::optional<Stmt> skipped = {};
  /// Coordinates that no point is for are left to this, if it is there and one of these dimensions is empty: reductions
  /// over it have their identity then.  Otherwise such coordinates need nothing but what `skipped` says.
  std::optional<Stmt> if_empty = {};
  std::vector<IndexVar> may_be_empty = {};
  /// Are nodes of operand k that have the same coordinate visited together?
  bool groups(size_t k) const;
  bool has_universe() const { return !points.empty() && points.back().present == 0; }
};

/// The lattice of a loop inside loops over `bound`.  An access takes part if its level
/// at `var` comes next, that is, all levels above it are bound already.
Lattice build_lattice(const concrete::Forall& forall, const std::vector<IndexVar>& bound,
                      const concrete::Environment& environment = {});

/// Of a lattice with `if_empty`: what it is if one of the dimensions is empty.
Lattice with_universe(Lattice lattice);

/// The assignment to a scalar inside of `skipped`, and the variables of the loops around it.
struct SkippedPoints {
  concrete::Assign assign;
  std::vector<IndexVar> vars;
};
/// Nothing unless `stmt` has that form, and any number of points can be made up for at once: by an idempotent operator,
/// sum, product or xor.
std::optional<SkippedPoints> skipped_points(const Stmt& stmt);

/// One line a point: "{B2, C2}: A(i,j) = B(i,j) + C(i,j)".
std::string to_string(const Lattice& lattice);
/// Lattices of all loops of a statement, outermost first, for `--print lattice`.
std::string describe_lattices(const concrete::Program& program);

}  // namespace filigree::lattice
