// Operands' coordinates under one parent: where they begin and end, and what a cursor into them stands for.
#include "lower/lattice_loops.h"

#include <algorithm>

#include "ir/rewrite.h"
#include "level/whole.h"
#include "plan/within.h"
#include "support/check.h"

namespace filigree::lowering {

using lattice::Operand;
using lattice::Protocol;

ir::Expr replaced(const ir::Expr& expr, const ir::Expr& from, const ir::Var& to) {
  if (expr == from) return to;
  return ir::map_children(expr, [&](const ir::Expr& child) { return replaced(child, from, to); });
}

void LatticeLoops::add_cursor(int k) {
  const Operand& operand = lattice_.operands[k];
  ir::Var coordinate = ir::int64_var(lattice_.var.name() + operand.tensor.name());
  std::vector<ir::Expr> path = coordinates(operand);
  if (follows_by_runs(k)) {
    const level::Runs& runs = *format(k).runs();
    ir::Var at = ir::int64_var("q" + instance(k).name);
    level::Bounds bounds = runs.bounds(instance(k), parent(operand));
    Cursor cursor{at, bounds.begin, bounds.end, {at, ir::load_index(runs.numbers(instance(k)), at)}, coordinate};
    cursor.run = runs.length();
    cursors_.emplace(k, cursor);
    return;
  }
  if (const level::PositionIteration* iteration = format(k).position_iteration()) {
    level::Bounds bounds = children(k);
    ir::Var at = ir::int64_var("p" + instance(k).name);
    level::Node node = level::access_below(*iteration, instance(k), parent(operand), at, path);
    if (node.position != ir::Expr(at) && node.position != node.coordinate) {  // the name is for the position
      at = ir::int64_var("q" + instance(k).name);
      node = level::access_below(*iteration, instance(k), parent(operand), at, path);
    }
    bool is_in_piece = lowerer_.position_windows(operand, scope_).empty();  // there may be none in this one
    bool single = format(k).properties().branchless && !follows_group(operand) && is_in_piece;
    restrict_to_piece(k, bounds, node.coordinate, node.found);
    bool falls = format(k).properties().ordered == level::Ordered::Decreasing &&
                 strategy_.protocols[k] == Protocol::SeqIter;
    cursors_.emplace(k, Cursor{at, bounds.begin, bounds.end, node, coordinate, single, falls, lattice_.groups(k)});
    return;
  }
  const level::ValueIteration* iteration = format(k).value_iteration();
  internal_check(iteration != nullptr, "lower", "a level that can be neither located nor stepped through",
                 format(k).name());
  level::Bounds bounds = within_extents(lowerer_.window(lattice_.var, scope_, iteration->bounds(instance(k), path)));
  ir::Var at = ir::int64_var(lattice_.var.name() + (has_one_loop() ? "" : operand.tensor.name() + "_at"));
  path.push_back(at);
  cursors_.emplace(
      k, Cursor{at, bounds.begin, bounds.end, iteration->access(instance(k), parent(operand), path), coordinate});
}

void LatticeLoops::restrict_to_piece(int k, level::Bounds& bounds, const ir::Expr& coordinate, ir::Expr& found) const {
  Protocol protocol = strategy_.protocols[k];
  bool steps = protocol == Protocol::Step;
  if (!steps && protocol != Protocol::SeqIter && protocol != Protocol::Gallop) return;  // looked up, wherever it is
  std::vector<Lowerer::PositionWindow> windows = lowerer_.position_windows(lattice_.operands[k], scope_);
  for (const auto& [piece, is_inside] : windows) {
    bounds = is_inside && windows.size() == 1
                 ? piece
                 : level::Bounds{ir::max(bounds.begin, piece.begin), ir::min(bounds.end, piece.end)};
  }
  level::Bounds piece = universe();
  if (piece.begin == dimension().begin && piece.end == dimension().end) return;
  level::Properties properties = format(k).properties();
  if (format(k).search() && properties.ordered == level::Ordered::Increasing && !properties.padded &&
      !follows_group(lattice_.operands[k])) {
    ir::Var sorted = format(k).search()->coordinates(instance(k));
    if (!windows.empty())
      bounds.end = ir::max(bounds.begin, bounds.end);  // what other operands lead to may be outside of this piece
    // A piece of a piece may begin beyond the end of that: what is searched for from its begin on does not end before
    // it.
    ir::Expr begin = ir::call(ir::Function::Search, {sorted, bounds.begin, bounds.end, piece.begin});
    bounds = {begin, ir::call(ir::Function::Search, {sorted, begin, bounds.end, piece.end})};
  } else if (steps) {
    found = ir::both(found, ir::both(ir::greater_equal(coordinate, piece.begin), ir::less(coordinate, piece.end)));
  }
}

bool LatticeLoops::follows_by_runs(int k) const {
  Protocol protocol = strategy_.protocols[k];
  bool steps_along = protocol == Protocol::SeqIter && !strategy_.over_universe;
  return format(k).runs() && (steps_along || protocol == Protocol::Gallop || protocol == Protocol::Binary);
}

bool LatticeLoops::follows_group(const Operand& operand) const {
  return operand.level > 0 && scope_.group_ends.count(above(operand)) > 0;
}

level::Bounds LatticeLoops::children(int k) const {
  const Operand& operand = lattice_.operands[k];
  // Each node of the group above has one child, at its own position.
  if (follows_group(operand)) return {parent(operand), scope_.group_ends.at(above(operand))};
  return format(k).position_iteration()->bounds(instance(k), parent(operand));
}

ir::Stmt LatticeLoops::find_group_end(Cursor& cursor, const ir::Expr& coordinate) const {
  if (!cursor.groups) return {};
  ir::Var end = ir::int64_var(cursor.at.name() + "_next");
  cursor.node.group_end = end;
  ir::Expr same = ir::equal(replaced(cursor.node.coordinate, cursor.at, end), coordinate);
  return ir::block(
      {ir::declare(end, cursor.at), ir::While{ir::both(ir::less(end, cursor.end), same), ir::increment(end)}});
}

level::Bounds LatticeLoops::within_extents(level::Bounds bounds) const {
  if (loop_.keeps.empty()) return bounds;
  std::vector<IndexVar> known;
  for (const auto& [var, coordinate] : scope_.coordinates) known.push_back(var);
  for (const concrete::Derivation& one : plan::asked_sums(lattice_.var, known, lowerer_.program_.environment)) {
    if (!contains(loop_.keeps, one.var)) continue;
    const relation::Sum& sum = *one.as<relation::Sum>();
    ir::Expr rest = ir::integer(sum.offset);
    for (const auto& [var, factor] : sum.terms) {
      if (var != lattice_.var) rest = ir::add(rest, scope_.coordinates.at(var));
    }
    bounds.begin = ir::max(bounds.begin, ir::subtract(ir::integer(0), rest));
    bounds.end = ir::min(bounds.end, ir::subtract(lowerer_.parameters_.extent(one.var), rest));
  }
  return bounds;
}

Operand LatticeLoops::above(const Operand& operand) const {
  return {operand.tensor, operand.level - 1, {operand.path.begin(), operand.path.end() - 1}};
}

ir::Expr LatticeLoops::parent(const Operand& operand) const {
  if (operand.level == 0) return ir::integer(0);
  auto position = scope_.positions.find(above(operand));
  internal_check(position != scope_.positions.end(), "lower", "a level is reached before the one above it",
                 operand.tensor.name());
  return position->second;
}

std::vector<ir::Expr> LatticeLoops::coordinates(const Operand& operand) const {
  std::vector<ir::Expr> out;
  for (size_t l = 0; l + 1 < operand.path.size(); l++) out.push_back(scope_.coordinates.at(operand.path[l]));
  return out;
}

}  // namespace filigree::lowering
