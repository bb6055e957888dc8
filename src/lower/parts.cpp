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

using concrete::Cut;
using concrete::Parts;

namespace {

std::optional<std::int64_t> literal(const ir::Expr& expr) {
  const ir::Literal* known = expr.as<ir::Literal>();
  return known ? std::optional(known->value.as_int()) : std::nullopt;
}

ir::Expr sum(const std::vector<ir::Expr>& terms, size_t from = 0) {
  ir::Expr total = ir::integer(0);
  for (size_t n = from; n < terms.size(); n++) total = ir::add(total, terms[n]);
  return total;
}

}  // namespace

/// The size of all pieces but the last one.  Of nothing, 1: code divides by it.
ir::Expr Lowerer::piece_size(const Cut& cut, const ir::Expr& points) const {
  std::optional<ir::Expr> given = given_pieces(cut);
  if (!given) return ir::integer(cut.amount);
  return ir::max(ir::integer(1), ir::quotient(ir::add(points, ir::subtract(*given, ir::integer(1))), *given));
}

namespace {

ir::Expr count_of_pieces(const std::optional<ir::Expr>& given, const ir::Expr& points, const ir::Expr& size) {
  return given ? *given : ir::quotient(ir::add(points, ir::subtract(size, ir::integer(1))), size);
}

/// The number of points of something, which may not be known where nobody asks.
using Count = std::function<ir::Expr()>;

}  // namespace

ir::Expr Lowerer::number_extent(const Parts& parts, size_t part, const Scope& scope) const {
  size_t at = 0;
  std::optional<ir::Expr> found;
  std::function<void(const std::vector<Cut>&, Count)> visit = [&](const std::vector<Cut>& cuts, Count points) {
    for (const Cut& cut : cuts) {
      visit(concrete::cuts_of(program_.environment, cut.var), [&] {
        std::optional<ir::Expr> given = given_pieces(cut);
        std::optional<std::int64_t> known = concrete::exact_extent(program_.environment, cut.var);
        return given   ? *given
               : known ? ir::integer(*known)
                       : count_of_pieces(given, points(), piece_size(cut, ir::integer(0)));
      });
      if (found) return;
      points = [this, cut, points] {
        constexpr std::int64_t many = 4096;  // below this, a constant is worth more than fewer numbers
        if (given_pieces(cut)) return piece_size(cut, points());
        return cut.amount > many ? ir::min(ir::integer(cut.amount), points()) : ir::integer(cut.amount);
      };
    }
    if (at++ == part) found = points();
  };
  visit(concrete::cuts_of(program_.environment, parts.numbering), [&] {
    level::Bounds all = points_of(parts.numbering, scope);
    return ir::subtract(all.end, all.begin);
  });
  return *found;
}

ir::Stmt Lowerer::lower_numbers(const concrete::Forall& forall, const plan::Pieces& pieces, const Scope& scope) {
  ir::Var var = ir::int64_var(forall.var.name());
  level::Bounds own = window(forall.var, scope, {ir::integer(0), extent_of(forall.var, scope)});
  Scope inner = scope;
  inner.bound.push_back(forall.var);
  inner.in_loop = true;
  inner.coordinates.insert_or_assign(forall.var, var);
  ir::Stmt body = bind_computed(pieces.body, inner, {}, [&] {
    ir::Stmt located = extend_operands(forall.body, inner);
    return ir::block({located, lower(pieces.body.stmt, inner).code});
  });
  ir::Stmt before;
  if (!literal(own.end)) {
    ir::Var end = ir::int64_var(forall.var.name() + "_end");
    before = ir::declare(end, own.end);
    own.end = end;
  }
  ir::For loop = tagged(forall.tag, forall.var, scope, ir::For{var, own.begin, own.end, body});
  return ir::block({before, run_loop(loop, forall.var, scope)});
}

/// What the numbers of the loops around a loop that visits points say about these.
struct Lowerer::Numbered {
  std::vector<ir::Expr> above,
      below;  // what the numbers come to: of larger parts than the one that is visited, and of smaller ones
  std::vector<ir::Expr> ends;          // counted from the first of all points: whatever comes first is the end
  bool ends_with_all = false;          // the end of all points is one, too
  ir::Expr guard = ir::boolean(true);  // else there is no point with these numbers
  ir::Expr stride = ir::integer(1);    // from one point to the next
};

Lowerer::Numbered Lowerer::numbered(const Parts& parts, const ir::Expr& all_points, const Scope& scope) const {
  Numbered out;
  size_t at = 0;
  bool met = false;  // the part that is visited
  struct Range {
    ir::Expr factor;  // how many points one of it is
    ir::Expr count;   // how many there are
    bool must_end;    // does nothing around it tell where it ends?
    bool is_whole = false;
  };
  auto visit_part = [&](size_t part, const Range& range) {
    if (part != parts.visiting) {
      (met ? out.below : out.above)
          .push_back(ir::multiply(range.factor, scope.coordinates.at(parts.parts[part].loops.front())));
      return;
    }
    met = true;
    out.stride = range.factor;
    if (range.must_end) out.ends.push_back(ir::add(sum(out.above), ir::multiply(range.factor, range.count)));
  };
  std::function<void(const std::vector<Cut>&, size_t, const Range&)> visit = [&](const std::vector<Cut>& cuts,
                                                                                 size_t first, const Range& range) {
    if (first == cuts.size()) return visit_part(at++, range);
    const Cut& cut = cuts[first];
    ir::Expr size = piece_size(cut, range.count);
    std::optional<std::int64_t> known = literal(range.count);
    // A given number of pieces is there even if there are no points.
    bool even = known ? cut.given != Cut::Given::Threads && *known % cut.amount == 0 && *known > 0
                      : range.is_whole && cut.given == Cut::Given::Size && has_even_pieces(cut, scope);
    const bool was_met = met;
    const size_t first_above = out.above.size(), first_below = out.below.size();
    const ir::Expr begin = sum(out.above);
    visit(concrete::cuts_of(program_.environment, cut.var), 0,
          {ir::multiply(range.factor, size), count_of_pieces(given_pieces(cut), range.count, size),
           range.must_end && even});
    visit(cuts, first + 1, {range.factor, size, true});
    if (!range.must_end || even) return;
    ir::Expr end = ir::multiply(range.factor, range.count);
    bool is_inside = met && !was_met;  // the part that is visited
    if (!is_inside)
      out.guard = ir::both(out.guard, ir::less(met ? sum(out.below, first_below) : sum(out.above, first_above), end));
    else if (range.is_whole) out.ends_with_all = true;
    else out.ends.push_back(ir::add(begin, end));
  };
  visit(concrete::cuts_of(program_.environment, parts.numbering), 0, {ir::integer(1), all_points, true, true});
  return out;
}

ir::Stmt Lowerer::enter_points(const IndexVar& var, Scope& scope) const {
  std::vector<ir::Stmt> code;
  for (const Parts& parts : concrete::all_parts(program_.environment)) {
    const Cut& numbering = parts.numbering;
    if (!numbering.by_number || numbering.loops.front() != var) continue;
    bool are_bound = true;
    for (size_t n = 0; n < parts.parts.size(); n++)
      are_bound = are_bound && (n == parts.visiting || scope.is_bound(parts.parts[n].loops.front()));
    if (!are_bound) continue;  // all points, as where a workspace is drained

    level::Bounds points = points_of(numbering, scope);
    Numbered numbers = numbered(parts, ir::subtract(points.end, points.begin), scope);
    std::optional<ir::Expr> last;
    if (numbers.ends_with_all) last = points.end;
    for (const ir::Expr& each : numbers.ends)
      last = last ? ir::min(*last, ir::add(points.begin, each)) : ir::add(points.begin, each);
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
    ir::Expr begin = declared(ir::add(points.begin, sum(numbers.above)), "_begin");
    ir::Expr end = declared(
        ir::is_true(numbers.guard) ? *last : ir::Expr(ir::Apply{Operator::Select, {numbers.guard, *last, begin}}),
        "_end");
    const std::vector<Cut>& cuts = program_.environment.cuts;
    auto own = std::find_if(cuts.begin(), cuts.end(), [&](const Cut& cut) {
      return cut.var == numbering.var && concrete::is_same_numbering(cut, numbering);
    });
    Piece piece{&*own, begin, end, {}, false, {}};
    if (!ir::is_literal(numbers.stride, 1)) piece.steps = Piece::Steps{numbers.stride, sum(numbers.below)};
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
  ir::Expr number = ir::integer(0);
  for (const IndexVar& loop : loops) {
    ir::Expr at = loop == loops.back() ? coordinate : scope.coordinates.at(loop);
    number = ir::add(loop == loops.front() ? number : ir::multiply(number, extent_of(loop, scope)),
                     ir::subtract(at, loops.size() == 1 ? origin_of(loop) : first_of(loop, scope)));
  }
  return number;
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
  const auto& [stride, offset] = *piece.steps;
  // No number is before the piece, and none but numbers from 0 on are divided.
  ir::Expr behind = ir::remainder(ir::subtract(number, piece.begin), stride);
  ir::Expr skipped = number == piece.begin ? offset
                                           : ir::remainder(ir::subtract(ir::add(offset, stride), behind), stride);
  ir::Var first = ir::int64_var(var.name() + "_first"), step = ir::int64_var(var.name() + "_step");
  ir::Expr left = ir::max(ir::integer(0), ir::subtract(end, first));
  ir::Expr steps = ir::quotient(ir::add(left, ir::subtract(stride, ir::integer(1))), stride);
  ir::Stmt inside = ir::block({ir::declare(var, ir::add(first, ir::multiply(stride, step))), body});
  ir::For loop = lowerer_.tagged(lattice_.tag, lattice_.var, scope_, ir::For{step, ir::integer(0), steps, inside});
  return ir::block({ir::declare(first, ir::add(begin, skipped)), lowerer_.run_loop(loop, lattice_.var, scope_)});
}

}  // namespace filigree::lowering
