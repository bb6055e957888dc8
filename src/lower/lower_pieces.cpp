// forall(v, ...) over pieces of other loops.  What the loops that are cut visit of a piece, pieces.cpp says.
#include <algorithm>

#include "lower/lowerer.h"

namespace filigree::lowering {

using concrete::PieceLoop;

ir::Stmt Lowerer::loop_over_pieces(const PieceRange& range, const Scope& scope, const PieceCode& code) {
  const IndexVar& var = range.how.var;
  ir::Var number = ir::int64_var(var.name());
  ir::Stmt any = code(number, false);
  auto loop_over = [&](const ir::Var& at, const level::Bounds& bounds, const ir::Stmt& body) {
    return tagged(range.how, scope, ir::For{at, bounds.begin, bounds.end, body}, range.visits_all);
  };
  const auto& [begin, end] = range.numbers;
  if (!range.full) return run_loop(loop_over(number, range.numbers, any), var, scope);
  ir::Var full = ir::int64_var(var.name() + "_full");
  ir::Stmt declared = ir::declare(full, *range.full);
  if (scope.runners.count(var)) {  // there is one loop to make something of
    ir::Stmt either = ir::if_then(ir::less(number, full), code(number, true), any);
    return ir::block({declared, run_loop(loop_over(number, range.numbers, either), var, scope)});
  }
  ir::Var first = ir::int64_var(var.name());
  level::Bounds whole{begin, range.is_all ? ir::Expr(full) : ir::min(end, full)};
  return ir::block({declared, loop_over(first, whole, code(first, true)),
                    ir::For{number, range.is_all ? ir::Expr(full) : ir::max(begin, full), end, any}});
}

/// The code for piece `number`, which is full for certain, or may be the last one.
ir::Stmt Lowerer::lower_piece(const concrete::Forall& forall, const plan::Pieces& pieces, const Scope& scope,
                              const PieceBounds& bounds) {
  const PieceLoop& cut = pieces.cut;
  std::string name = cut.counts_parents      ? "n"
                     : cut.positions         ? "p" + cut.positions->tensor.name()
                     : cut.loops.size() == 1 ? cut.loops[0].name()
                                             : "n";
  ir::Var begin = ir::int64_var(name + "_begin"), end = ir::int64_var(name + "_end");
  ir::Expr first = ir::add(bounds.points.begin, ir::multiply(bounds.size, bounds.number));
  // With a given number of pieces the last ones may be empty.
  bool may_be_empty = given_pieces(cut) && !bounds.is_full;
  ir::Expr last = ir::add(begin, bounds.size);
  std::vector<ir::Stmt> code = {ir::declare(begin, may_be_empty ? ir::min(first, bounds.points.end) : first),
                                ir::declare(end, bounds.is_full ? last : ir::min(last, bounds.points.end))};
  Scope inner = scope;
  inner.bound.push_back(forall.var);
  inner.in_loop = true;
  inner.coordinates.insert_or_assign(forall.var, bounds.number);
  Piece piece{&cut, begin, end, {}, bounds.is_full};
  if (cut.positions) code.push_back(find_positions_above(piece, scope));
  inner.pieces.push_back(piece);
  // Other variables may run through the same points.
  for (const PieceLoop& copy : program_.environment.piece_loops) {
    if (copy.var != cut.var || concrete::is_same_numbering(copy, cut)) continue;
    piece.cut = &copy;
    inner.pieces.push_back(piece);
  }
  code.push_back(bind_computed(pieces.body, inner, {}, [&] {
    ir::Stmt located = extend_operands(forall.body, inner);
    return ir::block({located, lower(pieces.body.stmt, inner)});
  }));
  return ir::block(code);
}

ir::Stmt Lowerer::lower_pieces_of(const concrete::Forall& forall, const plan::Pieces& pieces, const Scope& scope) {
  const PieceLoop& cut = pieces.cut;
  if (cut.by_number) return lower_numbers(forall, pieces, scope);
  level::Bounds points = points_of(cut, scope);
  std::vector<ir::Stmt> before, after;
  ir::Expr size = ir::integer(cut.amount), count = piece_count(cut, points),
           all = ir::subtract(points.end, points.begin);
  if (std::optional<ir::Expr> given = given_pieces(cut)) {
    ir::Var share = ir::int64_var(forall.var.name() + "_share");
    ir::Expr rounded_up = ir::add(all, ir::subtract(*given, ir::integer(1)));
    before.push_back(ir::declare(share, ir::quotient(rounded_up, *given)));
    size = share;
  }
  // Levels that are filled by all pieces together.
  Scope inner = scope;
  for (Result* r : results_of(forall.body)) {
    auto [open, close] = r->open_together(cut.loops[0], scope, inner);
    before.push_back(open);
    after.push_back(close);
  }
  level::Bounds own = window(forall.var, scope, {ir::integer(0), count});
  bool is_all = ir::is_literal(own.begin, 0) && own.end == count;
  if (!ir::is_literal(own.end, cut.amount)) {
    ir::Var number = ir::int64_var(forall.var.name() + "_end");
    before.push_back(ir::declare(number, own.end));
    own.end = number;
  }
  bool even = has_even_pieces(cut, scope);
  PieceRange range{{forall.var, forall.tag, pieces.shared}, own, is_all, true, {}};
  if (pieces.full_first && !even) range.full = ir::quotient(all, size);
  ir::Stmt loops = loop_over_pieces(range, scope, [&](const ir::Var& number, bool is_full) {
    return lower_piece(forall, pieces, inner, {points, size, number, even || is_full});
  });
  return ir::block({ir::block(before), loops, ir::block(after)});
}

ir::Stmt Lowerer::lower_numbers(const concrete::Forall& forall, const plan::Pieces& pieces, const Scope& scope) {
  const PieceLoop& cut = pieces.cut;
  ir::Expr count = extent_of(forall.var, scope);
  level::Bounds own = window(forall.var, scope, {ir::integer(0), count});
  bool is_all = ir::is_literal(own.begin, 0) && own.end == count;
  ir::Stmt before;
  if (!own.end.as<ir::Literal>()) {
    ir::Var end = ir::int64_var(forall.var.name() + "_end");
    before = ir::declare(end, own.end);
    own.end = end;
  }
  PieceRange range{{forall.var, forall.tag, pieces.shared}, own, is_all, false, {}};
  if (pieces.full_first) {
    FormulaCode code = code_for_points(scope, [&] { return points_of(cut, scope); });
    range.full = code(plan::full_numbers(cut, program_.environment));
  }
  ir::Stmt loops = loop_over_pieces(range, scope, [&](const ir::Var& number, bool is_full) {
    Scope inner = scope;
    inner.bound.push_back(forall.var);
    inner.in_loop = true;
    inner.coordinates.insert_or_assign(forall.var, number);
    if (is_full) inner.full_numbers.insert(forall.var);
    return bind_computed(pieces.body, inner, {}, [&] {
      ir::Stmt located = extend_operands(forall.body, inner);
      return ir::block({located, lower(pieces.body.stmt, inner)});
    });
  });
  return ir::block({before, loops});
}

}  // namespace filigree::lowering
