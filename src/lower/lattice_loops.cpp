#include "lower/lattice_loops.h"

#include <algorithm>
#include <bit>

#include "ir/rewrite.h"
#include "support/check.h"

namespace filigree::lowering {

using lattice::Lattice;
using lattice::Mask;
using lattice::Operand;
using lattice::Point;
using lattice::Protocol;

namespace {

/// `expr` with a variable in the place of `from`.
ir::Expr replaced(const ir::Expr& expr, const ir::Expr& from, const ir::Var& to) {
  if (expr == from) return to;
  return ir::map_children(expr, [&](const ir::Expr& child) { return replaced(child, from, to); });
}

bool has(Mask mask, int k) { return mask >> k & 1; }

bool is_subset(Mask a, Mask b) { return (a & ~b) == 0; }

/// At the smallest coordinate at least one operand is present; if each alone is a case, so is one of them.
bool some_case_always_holds(const Point& point, const std::vector<const Point*>& below) {
  for (Mask bit = 1; bit != 0 && bit <= point.present; bit <<= 1) {
    if (!(point.present & bit)) continue;
    bool alone = std::any_of(below.begin(), below.end(), [&](const Point* p) { return p->present == bit; });
    if (!alone) return false;
  }
  return true;
}

}  // namespace

LatticeLoops::LatticeLoops(Lowerer& lowerer, const plan::Loop& loop, const Scope& scope)
    : lowerer_(lowerer), loop_(loop), lattice_(loop.lattice), scope_(scope), strategy_(loop.strategy), intersects_(loop.lattice.points.size() == 1) {
  find_interval();
  for (int k = 0; k < static_cast<int>(lattice_.operands.size()); k++) {
    if (has(strategy_.used, k) && strategy_.protocols[k] != Protocol::Locate) add_cursor(k);
  }
  if (lattice_.skipped) visited_ = ir::int64_var(lattice_.var.name() + "_visited");
}

Mask LatticeLoops::steppers() const { return strategy_.with(Protocol::Step); }
bool LatticeLoops::has_one_loop() const { return !strategy_.over_universe && std::popcount(steppers()) == 1; }

const level::Format& LatticeLoops::format(int k) const {
  const Operand& operand = lattice_.operands[k];
  return *operand.tensor.format().levels()[operand.level].format;
}

const level::Instance& LatticeLoops::instance(int k) const {
  return lowerer_.instance(lattice_.operands[k].tensor, lattice_.operands[k].level);
}

ir::Expr LatticeLoops::iterations() const {
  if (lattice_.points.empty()) return ir::integer(0);
  if (strategy_.over_universe) {
    level::Bounds all = universe();
    return ir::subtract(all.end, all.begin);
  }
  std::optional<ir::Expr> total;
  for (const auto& [k, cursor] : cursors_) {
    if (!has(steppers(), k) && !strategy_.all_gallop()) continue;
    ir::Expr length = ir::subtract(cursor.end, cursor.begin);
    // An intersection visits no more than any one operand has.
    total = !total ? length : lattice_.points.size() == 1 ? ir::min(*total, length) : ir::add(*total, length);
  }
  return *total;
}

ir::Stmt LatticeLoops::prepare() {
  std::vector<ir::Stmt> code;
  if (const concrete::FlatLoop* flat = lowerer_.flat_loop(lattice_.var)) {
    for (const IndexVar& var : flat->loops) lowerer_.tracked_.erase(var);
    bool in_order = !lattice_.tag.parallel && !lattice_.tag.gpu && !lattice_.tag.vector;
    if (in_order) code.push_back(lowerer_.begin_tracking(*flat, scope_, universe().begin));
  }
  if (visited_) code.push_back(ir::declare(*visited_, ir::integer(0)));
  for (auto& [k, cursor] : cursors_) {
    Protocol protocol = strategy_.protocols[k];
    if (protocol == Protocol::Hash) code.push_back(build_map(k));
    code.push_back(find_ends(cursor));
    bool moves = protocol == Protocol::SeqIter || protocol == Protocol::Gallop || (protocol == Protocol::Step && !has_one_loop());
    if (!moves) continue;
    if (cursor.falls) {
      ir::Var begin = ir::int64_var(cursor.at.name() + "_begin");
      code.push_back(ir::declare(begin, cursor.begin));
      code.push_back(ir::declare(cursor.at, ir::subtract(cursor.end, ir::integer(1))));
      cursor.begin = begin;
      if (has(strategy_.by_distance, k)) code.push_back(compare_with_leaders(k));
      continue;
    }
    ir::Var end = ir::int64_var(cursor.at.name() + "_end");
    bool drives = protocol == Protocol::Step || strategy_.all_gallop();
    code.push_back(ir::declare(cursor.at, drives ? begin_inside(k, cursor.begin, cursor.end) : cursor.begin));
    code.push_back(ir::declare(end, cursor.end));
    cursor.begin = cursor.at;
    cursor.end = end;
  }
  return ir::block(code);
}

ir::Stmt LatticeLoops::find_ends(Cursor& cursor) const {
  std::vector<ir::Stmt> code;
  auto find_once = [&](ir::Expr& end, const char* name) {
    if (!end.as<ir::Call>()) return;
    ir::Var found = ir::int64_var(cursor.at.name() + name);
    code.push_back(ir::declare(found, end));
    end = found;
  };
  find_once(cursor.begin, "_begin");
  find_once(cursor.end, "_end");
  return ir::block(code);
}

ir::Stmt LatticeLoops::emit() {
  if (lattice_.points.empty()) return {};
  if (strategy_.over_universe) return over_universe();
  if (has_one_loop()) return single_loop();
  if (strategy_.all_gallop()) return catch_up_loop(lattice_.points[0], strategy_.used, ir::boolean(true));
  std::vector<ir::Stmt> code;
  for (size_t p = 0; p < lattice_.points.size(); p++) {
    const Point& point = lattice_.points[p];
    intersects_ = points_within(point.present).size() == 1;
    code.push_back(strategy_.by_length[p] ? intersection_by_length(point) : merge_loop(point));
  }
  return ir::block(code);
}

ir::Stmt LatticeLoops::emit_arranged(const ResultAssembly& result, int level) {
  bool is_drain = lattice_.points.size() == 1 && lattice_.operands.size() == 1 && format(0).locate();
  internal_check(is_drain, "lower", "a level is arranged by a loop that does not drain a workspace", result.tensor().name());
  const Cursor& cursor = cursors_.at(0);
  ir::Var v = ir::int64_var(lattice_.var.name());
  Found found = locate(0, v);
  ir::Stmt body = lowerer_.lower_point(loop_, 0, scope_, v, {{0, found.node}}, in_range_);
  return ir::block({ir::For{cursor.at, cursor.begin, cursor.end, result.collect(level, cursor.node.coordinate)},
                    result.visit_arranged(level, v, ir::block({ir::block(found.setup), body}))});
}

void LatticeLoops::add_cursor(int k) {
  const Operand& operand = lattice_.operands[k];
  lowerer_.iterated_[operand.tensor] = true;
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
    level::Node node = iteration->access(instance(k), at, path);
    if (node.position != ir::Expr(at) && node.position != node.coordinate) {  // the name is for the position
      at = ir::int64_var("q" + instance(k).name);
      node = iteration->access(instance(k), at, path);
    }
    bool is_in_piece = lowerer_.position_windows(operand, scope_).empty();  // there may be none in this one
    bool single = format(k).properties().branchless && !follows_group(operand) && is_in_piece;
    restrict_to_piece(k, bounds, node.coordinate, node.found);
    bool falls = format(k).properties().ordered == level::Ordered::Decreasing && strategy_.protocols[k] == Protocol::SeqIter;
    cursors_.emplace(k, Cursor{at, bounds.begin, bounds.end, node, coordinate, single, falls, lattice_.groups(k)});
    return;
  }
  const level::ValueIteration* iteration = format(k).value_iteration();
  internal_check(iteration != nullptr, "lower", "a level that can be neither located nor stepped through", format(k).name());
  level::Bounds bounds = within_extents(lowerer_.window(lattice_.var, scope_, iteration->bounds(instance(k), path)));
  ir::Var at = ir::int64_var(lattice_.var.name() + (has_one_loop() ? "" : operand.tensor.name() + "_at"));
  path.push_back(at);
  cursors_.emplace(k, Cursor{at, bounds.begin, bounds.end, iteration->access(instance(k), parent(operand), path), coordinate});
}

void LatticeLoops::restrict_to_piece(int k, level::Bounds& bounds, const ir::Expr& coordinate, ir::Expr& found) const {
  Protocol protocol = strategy_.protocols[k];
  bool steps = protocol == Protocol::Step;
  if (!steps && protocol != Protocol::SeqIter && protocol != Protocol::Gallop) return;  // looked up, wherever it is
  std::vector<level::Bounds> windows = lowerer_.position_windows(lattice_.operands[k], scope_);
  for (const level::Bounds& piece : windows) {
    bounds = {ir::max(bounds.begin, piece.begin), ir::min(bounds.end, piece.end)};
  }
  level::Bounds piece = universe();
  if (piece.begin == dimension().begin && piece.end == dimension().end) return;
  level::Properties properties = format(k).properties();
  if (format(k).search() && properties.ordered == level::Ordered::Increasing && !properties.padded && !follows_group(lattice_.operands[k])) {
    ir::Var sorted = format(k).search()->coordinates(instance(k));
    if (!windows.empty()) bounds.end = ir::max(bounds.begin, bounds.end);  // what other operands lead to may be outside of this piece
    ir::Expr begin = ir::call(ir::Function::Search, {sorted, bounds.begin, bounds.end, piece.begin});
    bounds = {begin, ir::call(ir::Function::Search, {sorted, bounds.begin, bounds.end, piece.end})};
  } else if (steps) {
    found = ir::both(found, ir::both(ir::greater_equal(coordinate, piece.begin), ir::less(coordinate, piece.end)));
  }
}

bool LatticeLoops::follows_by_runs(int k) const {
  Protocol protocol = strategy_.protocols[k];
  bool steps_along = protocol == Protocol::SeqIter && !strategy_.over_universe;
  return format(k).runs() && (steps_along || protocol == Protocol::Gallop || protocol == Protocol::Binary);
}

bool LatticeLoops::follows_group(const Operand& operand) const { return operand.level > 0 && scope_.group_ends.count(above(operand)) > 0; }

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
  return ir::block({ir::declare(end, cursor.at), ir::While{ir::both(ir::less(end, cursor.end), same), ir::increment(end)}});
}

level::Bounds LatticeLoops::within_extents(level::Bounds bounds) {
  if (!has_one_loop()) return bounds;
  for (const concrete::Relation& relation : lowerer_.program_.environment.relations) {
    if (!relation.guarded || scope_.is_bound(relation.var) || relation.divisor != 1 || relation.modulus != 0) continue;
    std::optional<ir::Expr> rest = ir::integer(relation.offset);  // and the other terms, if they are known and all factors are 1
    bool has_var = false;
    for (const concrete::Relation::Term& term : relation.terms) {
      bool known = scope_.is_bound(term.source);
      has_var = has_var || term.source == lattice_.var;
      if (term.factor != 1 || (!known && term.source != lattice_.var)) rest = std::nullopt;
      if (rest && known) rest = ir::add(*rest, scope_.coordinates.at(term.source));
    }
    if (!rest || !has_var) continue;
    bounds.begin = ir::max(bounds.begin, ir::subtract(ir::integer(0), *rest));
    bounds.end = ir::min(bounds.end, ir::subtract(lowerer_.parameters_.extent(relation.var), *rest));
    in_range_.push_back(relation.var);
  }
  return bounds;
}

Operand LatticeLoops::above(const Operand& operand) const {
  return {operand.tensor, operand.level - 1, {operand.path.begin(), operand.path.end() - 1}};
}

ir::Expr LatticeLoops::parent(const Operand& operand) const {
  if (operand.level == 0) return ir::integer(0);
  auto position = scope_.positions.find(above(operand));
  internal_check(position != scope_.positions.end(), "lower", "a level is reached before the one above it", operand.tensor.name());
  return position->second;
}

std::vector<ir::Expr> LatticeLoops::coordinates(const Operand& operand) const {
  std::vector<ir::Expr> out;
  for (size_t l = 0; l + 1 < operand.path.size(); l++) out.push_back(scope_.coordinates.at(operand.path[l]));
  return out;
}

ir::Stmt LatticeLoops::cases(const Points& below, const Present& present, const ir::Expr& coordinate, bool last_is_certain) {
  ir::Stmt code;
  Scope scope = scope_;
  for (auto point = below.rbegin(); point != below.rend(); ++point) {
    scope.may_leave = is_loop_ && (*point)->body.as<concrete::Assign>();
    ir::Stmt body = lowerer_.lower_point(loop_, static_cast<size_t>(*point - lattice_.points.data()), scope, coordinate, present.nodes, in_range_);
    if (visited_) body = ir::block({ir::increment(*visited_), body});
    ir::Expr condition = ir::boolean(true);
    for (const auto& [k, holds] : present.conditions) {
      if (has((*point)->present, k)) condition = ir::both(condition, holds);
    }
    if (point == below.rbegin() && last_is_certain) condition = ir::boolean(true);
    code = ir::if_then(condition, body, code);
  }
  return ir::if_then(has_number(present, coordinate), code);
}

LatticeLoops::Points LatticeLoops::points_within(Mask operands) const {
  Points points;
  for (const Point& point : lattice_.points) {
    if (is_subset(point.present, operands)) points.push_back(&point);
  }
  return points;
}

level::Bounds LatticeLoops::dimension() const {
  if (const concrete::FlatLoop* flat = lowerer_.flat_loop(lattice_.var)) return lowerer_.points_of(*flat, scope_);
  ir::Expr first = lowerer_.parameters_.origin(lattice_.var);
  return {first, ir::add(first, lowerer_.parameters_.extent(lattice_.var))};
}

level::Bounds LatticeLoops::universe() const { return lowerer_.flat_loop(lattice_.var) ? dimension() : lowerer_.window(lattice_.var, scope_, dimension()); }

ir::Stmt LatticeLoops::catch_up_with(const ir::Expr& coordinate) const {
  if (coordinate == dimension().begin) return {};
  std::vector<ir::Stmt> code;
  for (const auto& [k, cursor] : cursors_) {
    if (strategy_.protocols[k] != Protocol::SeqIter) continue;
    ir::Expr more = cursor.falls ? ir::greater_equal(cursor.at, cursor.begin) : ir::less(cursor.at, cursor.end);
    ir::Stmt step = cursor.falls ? ir::assign(cursor.at, ir::subtract(cursor.at, ir::integer(1))) : ir::increment(cursor.at);
    code.push_back(ir::While{ir::both(more, ir::less(cursor.node.coordinate, coordinate)), step});
  }
  return ir::block(code);
}

ir::Stmt LatticeLoops::over_universe() {
  ir::Var v = ir::int64_var(lattice_.var.name());
  const Piece* piece = lowerer_.stepped(lattice_.var, scope_);
  steps_ = piece && !piece->cut->positions && strategy_.with(Protocol::SeqIter) == 0;  // cursors see every coordinate
  std::vector<ir::Stmt> body, advance;
  Present present;
  for (auto& [k, cursor] : cursors_) {
    if (strategy_.protocols[k] != Protocol::SeqIter) continue;
    // The loop leaves no coordinate out, so the cursor never has to catch up, except with what stands for nothing.
    if (!ir::is_true(cursor.node.found)) {
      body.push_back(ir::While{ir::both(ir::less(cursor.at, cursor.end), ir::negate(cursor.node.found)), ir::increment(cursor.at)});
    }
    ir::Var here = ir::bool_var(lattice_.operands[k].tensor.name() + "_here");
    ir::Expr more = cursor.falls ? ir::greater_equal(cursor.at, cursor.begin) : ir::less(cursor.at, cursor.end);
    body.push_back(ir::declare(here, ir::both(more, ir::equal(cursor.node.coordinate, v))));
    body.push_back(find_group_end(cursor, v));
    present.conditions.emplace(k, here);
    present.nodes.emplace(k, cursor.node);
    ir::Expr step = ir::convert(here, ElementType::Int64);
    advance.push_back(ir::assign(cursor.at, cursor.groups ? *cursor.node.group_end : cursor.falls ? ir::subtract(cursor.at, step) : ir::add(cursor.at, step)));
  }
  find_followers(strategy_.used & ~strategy_.with(Protocol::SeqIter), present, v, body);
  body.push_back(cases(points_within(strategy_.used), present, v, lattice_.has_universe()));
  body.insert(body.end(), advance.begin(), advance.end());
  level::Bounds all = universe();
  bool is_whole = all.begin == dimension().begin && all.end == dimension().end;
  bool begins_inside = interval_.begin && strategy_.with(Protocol::SeqIter) == 0;
  ir::Expr begin = !begins_inside ? all.begin : is_whole ? *interval_.begin : ir::max(all.begin, *interval_.begin);
  ir::Expr end = !interval_.end ? all.end : is_whole ? *interval_.end : ir::min(all.end, *interval_.end);
  if (steps_) return in_steps(*piece, v, begin, end, lowerer_.number_at(*piece, scope_, begin), ir::block(body));
  return ir::block({catch_up_with(all.begin), lowerer_.tagged(lattice_.tag, lattice_.var, scope_, ir::For{v, begin, end, ir::block(body)})});
}

ir::Stmt LatticeLoops::single_loop() {
  int driver = std::countr_zero(steppers());
  Cursor& cursor = cursors_.at(driver);
  if (format(driver).runs()) return loop_over_runs(driver);
  bool runs_over_coordinates = cursor.node.coordinate == ir::Expr(cursor.at);
  ir::Var v = runs_over_coordinates ? cursor.at : ir::int64_var(lattice_.var.name());
  std::vector<ir::Stmt> before, inside;
  Present present;
  ir::Stmt group = find_group_end(cursor, v);
  present.nodes.emplace(driver, cursor.node);
  const Piece* piece = cursor.groups || cursor.single ? nullptr : stepped_by(driver);
  steps_ = piece && cursor.node.position == ir::Expr(cursor.at);
  find_followers(strategy_.used & ~steppers(), present, v, inside);
  // A cursor that runs out leaves the loop, even one around a single node.
  bool leaves = (strategy_.used & ~steppers() & ~strategy_.with(Protocol::Locate)) != 0;
  is_loop_ = cursor.groups || !cursor.single || leaves;
  inside.push_back(cases(points_within(strategy_.used), present, v, false));
  if (cursor.groups) {
    ir::Stmt visit = ir::if_then(replaced(cursor.node.found, cursor.node.coordinate, v), ir::block(inside));
    ir::Stmt body = ir::block({ir::declare(v, cursor.node.coordinate), leave_beyond(v), group, visit, ir::assign(cursor.at, *cursor.node.group_end)});
    return ir::block({ir::declare(cursor.at, begin_inside(driver, cursor.begin, cursor.end)), ir::While{ir::less(cursor.at, cursor.end), body}});
  }
  std::vector<ir::Stmt> body = {runs_over_coordinates ? ir::Stmt() : ir::block({ir::declare(v, cursor.node.coordinate), leave_beyond(v)}),
                                ir::if_then(replaced(cursor.node.found, cursor.node.coordinate, v), ir::block(inside))};
  if (!is_loop_) return ir::block({ir::declare(cursor.at, cursor.begin), ir::block(body)});
  ir::Expr end = runs_over_coordinates && interval_.end ? ir::min(cursor.end, *interval_.end) : cursor.end;
  if (end.as<ir::Call>()) {
    ir::Var last = ir::int64_var(cursor.at.name() + "_end");
    before.push_back(ir::declare(last, end));
    end = last;
  }
  ir::Expr begin = begin_inside(driver, cursor.begin, cursor.end);
  if (steps_) before.push_back(in_steps(*piece, cursor.at, begin, end, ir::add(begin, numbers_before(*piece)), ir::block(body)));
  else before.push_back(lowerer_.tagged(lattice_.tag, lattice_.var, scope_, ir::For{cursor.at, begin, end, ir::block(body)}));
  return ir::block(before);
}

ir::Stmt LatticeLoops::loop_over_runs(int driver) {
  const level::Runs& runs = *format(driver).runs();
  const Operand& operand = lattice_.operands[driver];
  ir::Var run = ir::int64_var("q" + instance(driver).name), inside = ir::int64_var(lattice_.var.name() + "i"), v = ir::int64_var(lattice_.var.name());
  level::Bounds bounds = runs.bounds(instance(driver), parent(operand));
  level::Node node = runs.access(instance(driver), run, inside, coordinates(operand));
  level::Bounds piece = universe();
  if (!(piece.begin == dimension().begin && piece.end == dimension().end)) {
    node.found = ir::both(node.found, ir::both(ir::greater_equal(node.coordinate, piece.begin), ir::less(node.coordinate, piece.end)));
  }
  Present present;
  present.nodes.emplace(driver, node);
  std::vector<ir::Stmt> body;
  find_followers(strategy_.used & ~steppers(), present, v, body);
  body.push_back(cases(points_within(strategy_.used), present, v, false));
  ir::Stmt at_place = ir::block({ir::declare(v, node.coordinate), ir::if_then(replaced(node.found, node.coordinate, v), ir::block(body))});
  ir::Stmt leave = leave_beyond(ir::multiply(ir::load_index(runs.numbers(instance(driver)), run), ir::integer(runs.length())));
  return ir::For{run, begin_inside(driver, bounds.begin, bounds.end), bounds.end,
                 ir::block({leave, lowerer_.tagged(lattice_.tag, lattice_.var, scope_, ir::For{inside, ir::integer(0), ir::integer(runs.length()), at_place})})};
}

ir::Stmt LatticeLoops::merge_loop(const Point& point) {
  ir::Var v = ir::int64_var(lattice_.var.name());
  ir::Expr more = ir::boolean(true), agree = ir::boolean(true);
  std::vector<ir::Stmt> body, advance, inside;
  std::optional<ir::Expr> smallest;
  Present present;
  Mask stepping = point.present & steppers();
  for (auto& [k, cursor] : cursors_) {
    if (!has(stepping, k)) continue;
    more = ir::both(more, ir::less(cursor.at, cursor.end));
    bool alone = std::popcount(stepping) == 1;
    const ir::Var& own = alone ? v : cursor.coordinate;
    ir::Expr found = replaced(cursor.node.found, cursor.node.coordinate, own);
    body.push_back(ir::declare(own, cursor.node.coordinate));
    body.push_back(ir::if_then(ir::negate(found), ir::block({ir::increment(cursor.at), ir::Continue{}})));
    present.nodes.emplace(k, cursor.node);
    if (alone) {
      if (!cursor.groups) advance.push_back(ir::increment(cursor.at));
      continue;
    }
    smallest = smallest ? ir::min(*smallest, cursor.coordinate) : ir::Expr(cursor.coordinate);
    ir::Expr here = ir::equal(cursor.coordinate, v);
    present.conditions.emplace(k, here);
    agree = ir::both(agree, here);
    if (!cursor.groups) advance.push_back(ir::assign(cursor.at, ir::add(cursor.at, ir::convert(here, ElementType::Int64))));
  }
  if (smallest) body.push_back(ir::declare(v, *smallest));
  body.push_back(leave_beyond(v));
  for (auto& [k, cursor] : cursors_) {
    if (!has(stepping, k) || !cursor.groups) continue;
    body.push_back(find_group_end(cursor, v));
    advance.push_back(ir::assign(cursor.at, *cursor.node.group_end));
    present.nodes.insert_or_assign(k, cursor.node);
  }
  Mask followers = point.present & ~stepping;
  Points below = points_within(point.present);
  if (intersects_ && followers != 0) {
    // Nobody is looked up where those that step disagree.
    present.conditions.clear();
    find_followers(followers, present, v, inside);
    inside.push_back(cases(below, present, v, false));
    body.push_back(ir::if_then(agree, ir::block(inside)));
  } else {
    find_followers(followers, present, v, body);
    body.push_back(cases(below, present, v, followers == 0 && some_case_always_holds(point, below)));
  }
  body.insert(body.end(), advance.begin(), advance.end());
  return ir::While{more, ir::block(body)};
}

ir::Stmt LatticeLoops::catch_up_loop(const Point& point, Mask members, const ir::Expr& gallops) {
  ir::Var v = ir::int64_var(lattice_.var.name());
  ir::Expr more = ir::boolean(true), agree = ir::boolean(true);
  std::vector<ir::Stmt> body, inside, advance, gallop, walk;
  std::optional<ir::Expr> largest;
  Present present;
  for (auto& [k, cursor] : cursors_) {
    if (!has(members, k)) continue;
    more = ir::both(more, ir::less(cursor.at, cursor.end));
    present.nodes.emplace(k, cursor.node);
    body.push_back(ir::declare(cursor.coordinate, cursor.node.coordinate));
    largest = largest ? ir::max(*largest, cursor.coordinate) : ir::Expr(cursor.coordinate);
    agree = ir::both(agree, ir::equal(cursor.coordinate, v));
    advance.push_back(ir::increment(cursor.at));
    ir::Expr next = ir::add(cursor.at, ir::integer(1)), behind = ir::less(cursor.coordinate, v);
    gallop.push_back(ir::if_then(behind, ir::assign(cursor.at, search(ir::Function::Gallop, k, next, v))));
    walk.push_back(ir::assign(cursor.at, ir::add(cursor.at, ir::convert(behind, ElementType::Int64))));
  }
  body.push_back(ir::declare(v, *largest));
  body.push_back(leave_beyond(v));
  find_followers(point.present & ~members, present, v, inside);
  inside.push_back(cases(points_within(point.present), present, v, false));
  inside.insert(inside.end(), advance.begin(), advance.end());
  body.push_back(ir::if_then(agree, ir::block(inside), ir::if_then(gallops, ir::block(gallop), ir::block(walk))));
  return ir::While{more, ir::block(body)};
}

ir::Stmt LatticeLoops::loop_that_gallops_in_others(const Point& point, int driver) {
  lattice::Strategy chosen = strategy_;
  Mask members = point.present & steppers();
  for (auto& [k, cursor] : cursors_) {
    if (has(members, k)) strategy_.protocols[k] = k == driver ? Protocol::Step : Protocol::Gallop;
  }
  ir::Stmt loop = merge_loop(point);
  strategy_ = chosen;
  return loop;
}

ir::Stmt LatticeLoops::intersection_by_length(const Point& point) {
  auto length = [&](int k) { return ir::subtract(cursors_.at(k).end, cursors_.at(k).at); };
  auto much_less = [&](const ir::Expr& a, const ir::Expr& b) {
    return ir::less(ir::add(ir::multiply(ir::integer(lattice::gallop_ratio), a), ir::integer(lattice::gallop_least)), b);
  };
  Mask members = point.present & steppers();
  int first = std::countr_zero(members), last = std::bit_width(members) - 1;
  if (std::popcount(members) == 2 && has_short_body(point)) {
    return ir::if_then(much_less(length(first), length(last)), loop_that_gallops_in_others(point, first),
                       ir::if_then(much_less(length(last), length(first)), loop_that_gallops_in_others(point, last), merge_loop(point)));
  }
  ir::Expr fewest = length(first), most = length(first);
  for (auto& [k, cursor] : cursors_) {
    if (k == first || !has(members, k)) continue;
    fewest = ir::min(fewest, length(k));
    most = ir::max(most, length(k));
  }
  ir::Var smallest = ir::int64_var(lattice_.var.name() + "_fewest"), largest = ir::int64_var(lattice_.var.name() + "_most");
  return ir::block({ir::declare(smallest, fewest), ir::declare(largest, most), catch_up_loop(point, members, much_less(smallest, largest))});
}

/// One assignment, to something that no loop assembles: short enough to be repeated.
bool LatticeLoops::has_short_body(const Point& point) const {
  const concrete::Stmt& body = point.body;
  if (!body.as<concrete::Assign>()) return false;
  std::vector<ResultAssembly*> results = lowerer_.results_of(body);
  return std::none_of(results.begin(), results.end(), [&](ResultAssembly* r) { return r->append_level(lattice_.var, scope_).has_value(); });
}

}  // namespace filigree::lowering
