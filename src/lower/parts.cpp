// Loops over numbers of parts of the same points (concrete/parts.h), and the loops inside of them that visit the points
// with these numbers.
//
//   split(i, i0, i1, 4), reorder(i1, i0)      for (i1 = 0; i1 < 4; i1++) for (i0 = 0; ...) { i = 4*i0 + i1; ... }
//
// Where operands lead a loop, it goes through all they have between the first point and the last, and asks each for its
// number.
#include <algorithm>

#include "concrete/derivations.h"
#include "lower/lattice_loops.h"
#include "support/check.h"

namespace filigree::lowering {

using concrete::PieceLoop;
using concrete::PointParts;
using relation::Formula;

namespace {

std::optional<std::int64_t> literal(const ir::Expr& expr) {
  const ir::Literal* known = expr.as<ir::Literal>();
  return known ? std::optional(known->value.as_int()) : std::nullopt;
}

}  // namespace

ir::Expr Lowerer::number_extent(const PointParts& parts, size_t part, const Scope& scope) const {
  FormulaCode code = code_for_points(scope, [&] { return points_of(parts.numbering, scope); });
  return code(concrete::iterations(program_.environment, parts, part, Formula::extent(concrete::all_points())));
}

/// How many points there are with the numbers that the loops around are at, if that is known.
std::optional<std::int64_t> Lowerer::full_steps(const PointParts& parts, const Scope& scope) const {
  for (const PieceLoop& cut : program_.environment.piece_loops) {
    if (concrete::is_same_numbering(cut, parts.numbering) && scope.full_numbers.count(cut.var))
      return plan::full_size(cut, program_.environment);
  }
  return std::nullopt;
}

ir::Stmt Lowerer::enter_points(const IndexVar& var, Scope& scope) const {
  std::vector<ir::Stmt> code;
  for (const PointParts& parts : concrete::all_parts(program_.environment)) {
    const PieceLoop& numbering = parts.numbering;
    if (!numbering.by_number || numbering.loops.front() != var) continue;
    bool are_bound = true;
    for (size_t n = 0; n < parts.parts.size(); n++)
      are_bound = are_bound && (n == parts.visiting || scope.is_bound(parts.parts[n].loops.front()));
    if (!are_bound) continue;  // all points, as where a workspace is drained

    level::Bounds points = points_of(numbering, scope);
    FormulaCode code_for = code_for_points(scope, [&] { return points; });
    // What is known about their number, formulas can make use of.
    std::optional<std::int64_t> known = literal(ir::subtract(points.end, points.begin));
    Formula all = known ? Formula::number(*known) : Formula::extent(concrete::all_points());
    concrete::Visited visited = concrete::visited(program_.environment, parts, all,
                                                  [&](const PieceLoop& cut) { return has_even_pieces(cut, scope); });
    std::optional<ir::Expr> last;
    if (visited.ends_with_all) last = points.end;
    for (const Formula& each : visited.ends) {
      ir::Expr end = ir::add(points.begin, code_for(each));
      last = last ? ir::min(*last, end) : end;
    }
    ir::Expr guard = ir::boolean(true);
    for (const auto& [number, end] : visited.guards) guard = ir::both(guard, ir::less(code_for(number), code_for(end)));
    internal_check(last.has_value(), "lower", "points without an end", numbering.var.name());
    std::string name = numbering.counts_parents      ? "n"
                       : numbering.positions         ? "p" + numbering.positions->tensor.name()
                       : numbering.loops.size() == 1 ? numbering.loops[0].name()
                                                     : "n";
    // What is a bound of all points stays recognizable as such.
    auto declared = [&](const ir::Expr& value, const char* suffix) -> ir::Expr {
      if (value == points.begin || value == points.end) return value;
      ir::Var bound = ir::int64_var(name + suffix);
      code.push_back(ir::declare(bound, value));
      return bound;
    };
    ir::Expr begin = declared(ir::add(points.begin, code_for(visited.above)), "_begin");
    ir::Expr end =
        declared(ir::is_true(guard) ? *last : ir::Expr(ir::Apply{Operator::Select, {guard, *last, begin}}), "_end");
    const std::vector<PieceLoop>& cuts = program_.environment.piece_loops;
    auto own = std::find_if(cuts.begin(), cuts.end(), [&](const PieceLoop& cut) {
      return cut.var == numbering.var && concrete::is_same_numbering(cut, numbering);
    });
    Piece piece{&*own, begin, end, {}, false, {}};
    if (!visited.stride.is(1)) {
      piece.steps = Piece::Steps{code_for(visited.stride), code_for(visited.below)};
      if (std::optional<std::int64_t> count = full_steps(parts, scope)) piece.steps->count = ir::integer(*count);
    }
    if (numbering.positions) code.push_back(find_positions_above(piece, scope));
    scope.pieces.push_back(piece);
  }
  return ir::block(code);
}

const Piece* Lowerer::stepped(const IndexVar& var, const Scope& scope) const {
  for (const Piece& piece : scope.pieces) {
    if (piece.steps && piece.cut->loops.back() == var) return &piece;
  }
  return nullptr;
}

ir::Expr Lowerer::number_at(const Piece& piece, const Scope& scope, const ir::Expr& coordinate) const {
  const std::vector<IndexVar>& loops = piece.cut->loops;
  FormulaCode code = code_for_points(scope);
  code.value = [&](const IndexVar& loop) {
    ir::Expr at = loop == loops.back() ? coordinate : scope.coordinates.at(loop);
    return ir::subtract(at, loops.size() == 1 ? origin_of(loop) : first_of(loop, scope));
  };
  return code(concrete::number(*piece.cut));
}

const Piece* LatticeLoops::stepped_by(int k) const {
  const Piece* piece = lowerer_.stepped(lattice_.var, scope_);
  bool is_by_it = piece && piece->cut->positions &&
                  lattice::operand_at(*piece->cut->positions, lattice_.operands[k].level) == lattice_.operands[k];
  return is_by_it ? piece : nullptr;
}

/// The numbers of points along a merge path count the parents before them.
ir::Expr LatticeLoops::numbers_before(const Piece& piece) const {
  if (!piece.cut->counts_parents) return ir::integer(0);
  std::vector<IndexVar> vars = concrete::level_vars(*piece.cut->positions);
  int level = static_cast<int>(std::find(vars.begin(), vars.end(), lattice_.var) - vars.begin());
  return scope_.positions.at(lattice::operand_at(*piece.cut->positions, level - 1));
}

ir::Expr LatticeLoops::has_number(const Present& present, const ir::Expr& coordinate) const {
  const Piece* piece = lowerer_.stepped(lattice_.var, scope_);
  if (!piece || steps_) return ir::boolean(true);
  std::optional<ir::Expr> number;
  if (!piece->cut->positions) number = lowerer_.number_at(*piece, scope_, coordinate);
  for (const auto& [k, node] : present.nodes) {
    if (stepped_by(k))
      number = ir::add(node.position == node.coordinate ? coordinate : node.position, numbers_before(*piece));
  }
  internal_check(number.has_value(), "lower", "a point whose number is not known", lattice_.var.name());
  return ir::equal(ir::remainder(ir::subtract(*number, piece->begin), piece->steps->stride), piece->steps->offset);
}

ir::Stmt LatticeLoops::in_steps(const Piece& piece, const ir::Var& var, const ir::Expr& begin, const ir::Expr& end,
                                const ir::Expr& number, const ir::Stmt& body) const {
  const auto& [stride, offset, count] = *piece.steps;
  // No number is before the piece, and none but numbers from 0 on are divided.
  ir::Expr behind = ir::remainder(ir::subtract(number, piece.begin), stride);
  ir::Expr skipped = number == piece.begin ? offset
                                           : ir::remainder(ir::subtract(ir::add(offset, stride), behind), stride);
  ir::Var first = ir::int64_var(var.name() + "_first"), step = ir::int64_var(var.name() + "_step");
  ir::Expr left = ir::max(ir::integer(0), ir::subtract(end, first));
  ir::Expr steps = count ? *count : ir::quotient(ir::add(left, ir::subtract(stride, ir::integer(1))), stride);
  ir::Stmt inside = ir::block({ir::declare(var, ir::add(first, ir::multiply(stride, step))), body});
  ir::For loop = lowerer_.tagged(running(), scope_, ir::For{step, ir::integer(0), steps, inside});
  return ir::block({ir::declare(first, ir::add(begin, skipped)), lowerer_.run_loop(loop, lattice_.var, scope_)});
}

}  // namespace filigree::lowering
