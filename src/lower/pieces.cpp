// Loops over pieces of other loops (concrete::PieceLoop), and what they leave to visit to the loops that are cut.
#include <algorithm>

#include "concrete/derivations.h"
#include "lower/lowerer.h"
#include "support/check.h"

namespace filigree::lowering {

using concrete::PieceLoop;
using concrete::Points;
using lattice::Operand;
using relation::Formula;

namespace {

/// The level of the operand that the first of the loops runs over.
int first_level(const Points& points) {
  std::vector<IndexVar> vars = concrete::level_vars(*points.positions);
  return static_cast<int>(std::search(vars.begin(), vars.end(), points.loops.begin(), points.loops.end()) -
                          vars.begin());
}

/// Are there pieces of the piece around, too?  These are inside of it.
bool is_divided(std::vector<Piece>::const_iterator piece, const Scope& scope) {
  return std::any_of(piece + 1, scope.pieces.end(),
                     [&](const Piece& inside) { return concrete::is_same_numbering(*inside.cut, *piece->cut); });
}

/// Where the loop over these pieces begins: its own piece, and pieces of that, are not cut out yet.
Scope around(const PieceLoop& cut, Scope scope) {
  auto own = std::find_if(scope.pieces.begin(), scope.pieces.end(),
                          [&](const Piece& piece) { return piece.cut->var == cut.var; });
  scope.pieces.erase(own, scope.pieces.end());
  return scope;
}

}  // namespace

const PieceLoop* Lowerer::cut_by(const IndexVar& var) const {
  const std::vector<PieceLoop>& cuts = program_.environment.piece_loops;
  auto found = std::find_if(cuts.begin(), cuts.end(), [&](const PieceLoop& cut) { return cut.var == var; });
  return found == cuts.end() ? nullptr : &*found;
}

ir::Expr Lowerer::extent_of(const IndexVar& var, const Scope& scope) const {
  const PieceLoop* cut = cut_by(var);
  if (cut && cut->by_number) {
    concrete::PointParts parts = *concrete::parts_with(program_.environment, {var});
    size_t part = 0;
    while (parts.parts[part].loops.front() != var) part++;
    return number_extent(parts, part, scope);
  }
  if (cut) return piece_count(*cut, points_of(*cut, around(*cut, scope)));
  const Piece* piece = own_piece(var, scope);
  return piece ? ir::subtract(piece->end, piece->begin) : parameters_.extent(var);
}

/// The piece of the coordinates of this loop alone that is visited, if it is cut.
const Piece* Lowerer::own_piece(const IndexVar& var, const Scope& scope) const {
  for (auto piece = scope.pieces.rbegin(); piece != scope.pieces.rend(); ++piece) {
    if (!piece->cut->positions && piece->cut->loops == std::vector<IndexVar>{var}) return &*piece;
  }
  return nullptr;
}

/// If so many pieces are asked for.
std::optional<ir::Expr> Lowerer::given_pieces(const PieceLoop& cut) const {
  if (cut.given == PieceLoop::Given::Size) return std::nullopt;
  if (cut.given == PieceLoop::Given::Count) return ir::integer(cut.amount);
  return plan_.thread_pieces ? ir::integer(*plan_.thread_pieces) : ir::Expr(threads_);
}

FormulaCode Lowerer::code_for_points(const Scope& scope, const std::function<level::Bounds()>& all) const {
  FormulaCode code;
  code.value = [this, &scope](const IndexVar& loop) { return scope.coordinates.at(loop); };
  code.extent = [this, &scope, all](const IndexVar& var) {
    if (var == concrete::all_points()) {
      level::Bounds points = all();
      return ir::subtract(points.end, points.begin);
    }
    const PieceLoop* cut = cut_by(var);
    return cut && cut->given == PieceLoop::Given::Threads ? *given_pieces(*cut) : extent_of(var, scope);
  };
  return code;
}

ir::Expr Lowerer::piece_count(const PieceLoop& cut, const level::Bounds& points) const {
  std::optional<std::int64_t> known = concrete::exact_extent(program_.environment, cut.var);
  if (known && cut.given == PieceLoop::Given::Size) return ir::integer(*known);
  Scope nowhere;
  return code_for_points(nowhere,
                         [&] { return points; })(concrete::piece_count(cut, Formula::extent(concrete::all_points())));
}

/// All points that a cut divides: of a piece of an earlier cut, if there is one around.
level::Bounds Lowerer::points_of(const Points& points, const Scope& scope) const {
  for (auto piece = scope.pieces.rbegin(); piece != scope.pieces.rend(); ++piece) {
    if (concrete::is_same_numbering(*piece->cut, points)) return {piece->begin, piece->end};
  }
  if (points.positions) {
    level::Bounds positions = positions_below(points, scope, points.loops.size() - 1);
    if (!points.counts_parents) return positions;
    level::Bounds parents = positions_below(points, scope, points.loops.size() - 2);
    return {ir::add(parents.begin, positions.begin), ir::add(parents.end, positions.end)};
  }
  return {ir::integer(0), code_for_points(scope)(concrete::count(points))};
}

/// Is it certain that no piece is smaller than the others?
bool Lowerer::has_even_pieces(const PieceLoop& cut, const Scope& scope) const {
  if (cut.given == PieceLoop::Given::Threads) return false;
  for (auto piece = scope.pieces.rbegin(); piece != scope.pieces.rend(); ++piece) {
    if (!concrete::is_same_numbering(*piece->cut, cut)) continue;
    bool known = piece->cut->given == PieceLoop::Given::Size && piece->is_even;
    return known && piece->cut->amount % cut.amount == 0;
  }
  if (cut.positions) return false;
  // One of the loops is enough: the points are a multiple of its coordinates.
  return std::any_of(cut.loops.begin(), cut.loops.end(), [&](const IndexVar& var) {
    bool is_whole = cut.loops.size() == 1 || !own_piece(var, scope);
    return is_whole && concrete::known_divisor(program_.environment, var) % cut.amount == 0;
  });
}

/// The positions of the operand's level for loop number `loop` of these, below what is bound now.
level::Bounds Lowerer::positions_below(const Points& points, const Scope& scope, size_t loop) const {
  const TensorVar& tensor = points.positions->tensor;
  int level = first_level(points);
  std::optional<level::Bounds> positions;
  for (size_t n = 0; n <= loop; n++, level++) {
    const level::Format& format = *tensor.format().levels()[static_cast<size_t>(level)].format;
    const level::Instance& at = instance(tensor, level);
    if (!positions) {
      std::optional<Operand> above = level == 0 ? std::nullopt
                                                : std::optional(lattice::operand_at(*points.positions, level - 1));
      ir::Expr parent = above ? scope.positions.at(*above) : ir::integer(0);
      // Nodes of one coordinate are visited together.
      auto group = above ? scope.group_ends.find(*above) : scope.group_ends.end();
      positions =
          level::Bounds{parent, group == scope.group_ends.end() ? ir::add(parent, ir::integer(1)) : group->second};
    }
    ir::Expr begin = positions->begin, end = positions->end;
    if (format.properties().branchless) continue;
    if (level::is_always_found(format)) {
      positions = level::Bounds{ir::multiply(begin, at.extent), ir::multiply(end, at.extent)};
      // Of a loop that is in pieces, only those.
      const Piece* piece = level == 0 && points.loops.size() > 1 ? own_piece(points.loops[0], scope) : nullptr;
      if (piece)
        positions = level::Bounds{ir::add(positions->begin, piece->begin), ir::add(positions->begin, piece->end)};
      continue;
    }
    // Children of neighbours stand side by side.
    ir::Expr last = ir::subtract(end, ir::integer(1));
    positions = level::Bounds{format.position_iteration()->bounds(at, begin).begin,
                              format.position_iteration()->bounds(at, last).end};
  }
  return *positions;
}

/// From a piece's positions at the cut's last level to those at the levels above it.
ir::Stmt Lowerer::find_positions_above(Piece& piece, const Scope& scope) const {
  const PieceLoop& cut = *piece.cut;
  std::vector<ir::Stmt> code;
  int first = first_level(cut);
  level::Bounds here{piece.begin, piece.end};
  piece.levels.assign(cut.loops.size(), here);
  for (size_t n = cut.loops.size() - 1; n > 0; n--) {
    const level::Format& format = *cut.positions->tensor.format().levels()[static_cast<size_t>(first) + n].format;
    const level::Instance& at = instance(cut.positions->tensor, first + static_cast<int>(n));
    if (!format.properties().branchless) {
      ir::Var begin = ir::int64_var(cut.loops[n - 1].name() + "_begin"),
              end = ir::int64_var(cut.loops[n - 1].name() + "_end");
      if (level::is_always_found(format)) {
        // A given number of pieces is visited even if there is nothing in them.
        ir::Expr below = given_pieces(cut) ? ir::max(at.extent, ir::integer(1)) : at.extent;
        code.push_back(ir::declare(begin, ir::quotient(here.begin, below)));
        code.push_back(ir::declare(end, ir::quotient(ir::add(here.end, ir::subtract(below, ir::integer(1))), below)));
      } else {
        std::optional<ir::Var> segments = format.position_iteration()->segments(at);
        internal_check(segments.has_value(), "lower", "a level whose children cannot be numbered", at.name);
        level::Bounds above = positions_below(cut, scope, n - 1);
        // The first parent whose children do not all come before the piece, and the first whose children all come after
        // it.
        ir::Function search = cut.counts_parents && n + 1 == cut.loops.size() ? ir::Function::SearchPath
                                                                              : ir::Function::Search;
        ir::Expr one = ir::integer(1), after = ir::call(search, {*segments, ir::add(above.begin, one),
                                                                 ir::add(above.end, one), ir::add(here.begin, one)});
        code.push_back(ir::declare(begin, ir::subtract(after, one)));
        code.push_back(ir::declare(end, ir::call(search, {*segments, begin, above.end, here.end})));
      }
      here = {begin, end};
    }
    piece.levels[n - 1] = here;
  }
  return ir::block(code);
}

level::Bounds Lowerer::window(const IndexVar& var, const Scope& scope, level::Bounds bounds) const {
  bool is_whole = !cut_by(var) && bounds.begin == origin_of(var) &&
                  bounds.end == ir::add(origin_of(var), parameters_.extent(var));
  static const IndexVar first_point("begin"), last_point("end");  // of a piece, in formulas
  const PieceLoop* numbered_by = nullptr;
  for (const Piece& piece : scope.pieces) {  // a piece is inside of what it is a piece of
    if (!contains(piece.cut->loops, var)) continue;
    is_whole = is_whole && piece.cut->loops.size() == 1 &&
               (!numbered_by || concrete::is_same_numbering(*piece.cut, *numbered_by));
    numbered_by = piece.cut;
  }
  for (auto each = scope.pieces.begin(); each != scope.pieces.end(); ++each) {
    const Piece& piece = *each;
    const PieceLoop& cut = *piece.cut;
    if (is_divided(each, scope)) continue;
    auto at_loop = std::find(cut.loops.begin(), cut.loops.end(), var);
    if (at_loop == cut.loops.end()) continue;
    size_t n = static_cast<size_t>(at_loop - cut.loops.begin());
    if (cut.positions) {
      // A level with a place for every coordinate: positions and coordinates differ by where its parent's begin.
      int level = first_level(cut) + static_cast<int>(n);
      const level::Format& format = *cut.positions->tensor.format().levels()[static_cast<size_t>(level)].format;
      if (!level::is_always_found(format)) continue;
      ir::Expr parent = level == 0 ? ir::integer(0)
                                   : scope.positions.at(lattice::operand_at(*cut.positions, level - 1));
      ir::Expr base = ir::multiply(parent, instance(cut.positions->tensor, level).extent);
      level::Bounds own{ir::subtract(piece.levels[n].begin, base), ir::subtract(piece.levels[n].end, base)};
      bounds = is_whole ? own
                        : level::Bounds{ir::max(bounds.begin, own.begin), ir::min(bounds.end, own.end)};
      continue;
    }
    FormulaCode code = code_for_points(scope);
    code.value = [&](const IndexVar& at) {
      if (at == first_point) return piece.begin;
      if (at == last_point) return piece.end;
      return ir::subtract(scope.coordinates.at(at), first_of(at, scope));
    };
    concrete::Window own = concrete::window_of(cut, n, Formula::value(first_point), Formula::value(last_point));
    ir::Expr begin = code(own.begin), end = code(own.end);
    ir::Expr origin = cut.loops.size() == 1 ? origin_of(var) : first_of(var, scope);
    level::Bounds piece_bounds{ir::add(begin, origin), ir::add(end, origin)};
    bounds = is_whole ? piece_bounds
                   : level::Bounds{ir::max(bounds.begin, piece_bounds.begin), ir::min(bounds.end, piece_bounds.end)};
  }
  return bounds;
}

ir::Expr Lowerer::origin_of(const IndexVar& var) const {
  return cut_by(var) ? ir::integer(0) : parameters_.origin(var);
}

/// From where on the points of several loops are numbered.
ir::Expr Lowerer::first_of(const IndexVar& var, const Scope& scope) const {
  const Piece* piece = own_piece(var, scope);
  return piece ? ir::add(origin_of(var), piece->begin) : origin_of(var);
}

std::vector<Lowerer::PositionWindow> Lowerer::position_windows(const Operand& operand, const Scope& scope) const {
  std::vector<PositionWindow> windows;
  for (auto piece = scope.pieces.begin(); piece != scope.pieces.end(); ++piece) {
    const PieceLoop& cut = *piece->cut;
    if (!cut.positions || !(cut.positions->tensor == operand.tensor)) continue;
    int n = operand.level - first_level(cut);
    if (n < 0 || n >= static_cast<int>(cut.loops.size()) ||
        !(lattice::operand_at(*cut.positions, operand.level) == operand))
      continue;
    if (is_divided(piece, scope)) continue;
    level::Bounds own = piece->levels[static_cast<size_t>(n)];
    if (cut.counts_parents && n + 1 == static_cast<int>(cut.loops.size())) {
      // As many parents are before it as its own parent's position says.
      ir::Expr parents = scope.positions.at(lattice::operand_at(*cut.positions, operand.level - 1));
      own = {ir::subtract(own.begin, parents), ir::subtract(own.end, parents)};
    }
    windows.push_back({own, cut.loops.size() == 1});
  }
  return windows;
}

}  // namespace filigree::lowering
