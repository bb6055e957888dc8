#include "lower/lattice_loops.h"

#include <algorithm>
#include <bit>

#include "support/check.h"

namespace filigree::lowering {

using lattice::Lattice;
using lattice::Mask;
using lattice::Operand;
using lattice::Point;
using lattice::Protocol;

namespace {

bool is_subset(Mask a, Mask b) { return (a & ~b) == 0; }

}  // namespace

LatticeLoops::LatticeLoops(Lowerer& lowerer, const plan::Loop& loop, const Scope& scope)
    : lowerer_(lowerer),
      loop_(loop),
      lattice_(loop.lattice),
      scope_(scope),
      strategy_(loop.strategy),
      intersects_(loop.lattice.points.size() == 1) {
  find_interval();
  for (int k = 0; k < static_cast<int>(lattice_.operands.size()); k++) {
    if (has(strategy_.used, k) && (strategy_.collected || strategy_.protocols[k] != Protocol::Locate)) add_cursor(k);
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
    if (!has(steppers(), k) && !strategy_.all_gallop() && !strategy_.collected) continue;
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
    bool moves = protocol == Protocol::SeqIter || protocol == Protocol::Gallop ||
                 (protocol == Protocol::Step && !has_one_loop());
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
  ir::Expr begin = cursor.begin;
  find_once(cursor.begin, "_begin");
  if (const ir::Call* search = cursor.end.as<ir::Call>()) {
    std::vector<ir::Expr> arguments = search->arguments;
    std::replace(arguments.begin(), arguments.end(), begin, cursor.begin);
    cursor.end = ir::call(search->function, arguments);
  }
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

ir::Stmt LatticeLoops::emit_collected(const ArrangedFirst& level) {
  std::vector<ir::Stmt> code, body;
  for (const auto& [k, cursor] : cursors_) {
    ir::Var v = ir::int64_var(lattice_.var.name());
    ir::Stmt collected = level.collect(v);
    for (int before = 0; before < k; before++) {
      if (!cursors_.count(before)) continue;
      Found found = find(before, v);
      collected = ir::block({ir::block(found.setup), ir::if_then(ir::negate(found.here), collected)});
    }
    ir::Stmt visit = ir::if_then(replaced(cursor.node.found, cursor.node.coordinate, v), collected);
    code.push_back(
        ir::For{cursor.at, cursor.begin, cursor.end, ir::block({ir::declare(v, cursor.node.coordinate), visit})});
  }
  ir::Var v = ir::int64_var(lattice_.var.name());
  Present present;
  find_followers(strategy_.used, present, v, body);
  body.push_back(cases(points_within(strategy_.used), present, v, true));
  code.push_back(level.visit(v, ir::block(body)));
  return ir::block(code);
}

ir::Stmt LatticeLoops::emit_arranged(const ArrangedFirst& level) {
  if (strategy_.collected) return emit_collected(level);
  bool is_drain = lattice_.points.size() == 1 && lattice_.operands.size() == 1 && format(0).locate();
  internal_check(is_drain, "lower", "a level is arranged by a loop that does not drain a workspace",
                 lattice_.var.name());
  const Cursor& cursor = cursors_.at(0);
  ir::Var v = ir::int64_var(lattice_.var.name());
  Found found = locate(0, v);
  ir::Stmt body = lowerer_.lower_point(loop_, 0, scope_, v, {{0, found.node}});
  return ir::block({ir::For{cursor.at, cursor.begin, cursor.end, level.collect(cursor.node.coordinate)},
                    level.visit(v, ir::block({ir::block(found.setup), body}))});
}

ir::Stmt LatticeLoops::cases(const Points& below, const Present& present, const ir::Expr& coordinate,
                             bool last_is_certain, const std::map<const Point*, std::vector<ir::Stmt>>& then) {
  ir::Stmt code;
  Scope scope = scope_;
  for (auto point = below.rbegin(); point != below.rend(); ++point) {
    scope.may_leave = is_loop_ && (*point)->body.as<concrete::Assign>();
    ir::Stmt body = lowerer_.lower_point(loop_, static_cast<size_t>(*point - lattice_.points.data()), scope, coordinate,
                                         present.nodes);
    if (visited_) body = ir::block({ir::increment(*visited_), body});
    body = ir::if_then(has_number(present, coordinate), body);  // where it is found: only then it has one
    if (auto after = then.find(*point); after != then.end()) body = ir::block({body, ir::block(after->second)});
    ir::Expr condition = ir::boolean(true);
    for (const auto& [k, holds] : present.conditions) {
      if (has((*point)->present, k)) condition = ir::both(condition, holds);
    }
    if (point == below.rbegin() && last_is_certain) condition = ir::boolean(true);
    code = ir::if_then(condition, body, code);
  }
  return code;
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

level::Bounds LatticeLoops::universe() const {
  return lowerer_.flat_loop(lattice_.var) ? dimension() : lowerer_.window(lattice_.var, scope_, dimension());
}

ir::Stmt LatticeLoops::catch_up_with(const ir::Expr& coordinate) const {
  if (coordinate == dimension().begin) return {};
  std::vector<ir::Stmt> code;
  for (const auto& [k, cursor] : cursors_) {
    if (strategy_.protocols[k] != Protocol::SeqIter) continue;
    ir::Expr more = cursor.falls ? ir::greater_equal(cursor.at, cursor.begin) : ir::less(cursor.at, cursor.end);
    ir::Stmt step = cursor.falls ? ir::assign(cursor.at, ir::subtract(cursor.at, ir::integer(1)))
                                 : ir::increment(cursor.at);
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
      body.push_back(ir::While{ir::both(ir::less(cursor.at, cursor.end), ir::negate(cursor.node.found)),
                               ir::increment(cursor.at)});
    }
    ir::Var here = ir::bool_var(lattice_.operands[k].tensor.name() + "_here");
    ir::Expr more = cursor.falls ? ir::greater_equal(cursor.at, cursor.begin) : ir::less(cursor.at, cursor.end);
    body.push_back(ir::declare(here, ir::both(more, ir::equal(cursor.node.coordinate, v))));
    body.push_back(find_group_end(cursor, v));
    present.conditions.emplace(k, here);
    present.nodes.emplace(k, cursor.node);
    ir::Expr step = ir::convert(here, ElementType::Int64);
    advance.push_back(ir::assign(cursor.at, cursor.groups  ? *cursor.node.group_end
                                            : cursor.falls ? ir::subtract(cursor.at, step)
                                                           : ir::add(cursor.at, step)));
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
  body.insert(body.begin(), lowerer_.at_coordinate(lattice_.var, scope_, v));
  ir::For loop = lowerer_.tagged(running(), scope_, ir::For{v, begin, end, ir::block(body)}, true);
  return ir::block({catch_up_with(all.begin), lowerer_.run_loop(loop, lattice_.var, scope_)});
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
    ir::Stmt body = ir::block({ir::declare(v, cursor.node.coordinate), leave_beyond(v), group, visit,
                               ir::assign(cursor.at, *cursor.node.group_end)});
    return ir::block({ir::declare(cursor.at, begin_inside(driver, cursor.begin, cursor.end)),
                      ir::While{ir::less(cursor.at, cursor.end), body}});
  }
  std::vector<ir::Stmt> body = {
      runs_over_coordinates ? ir::Stmt() : ir::block({ir::declare(v, cursor.node.coordinate), leave_beyond(v)}),
      ir::if_then(replaced(cursor.node.found, cursor.node.coordinate, v), ir::block(inside))};
  if (!is_loop_) return ir::block({ir::declare(cursor.at, cursor.begin), ir::block(body)});
  ir::Expr end = runs_over_coordinates && interval_.end ? ir::min(cursor.end, *interval_.end) : cursor.end;
  if (end.as<ir::Call>()) {
    ir::Var last = ir::int64_var(cursor.at.name() + "_end");
    before.push_back(ir::declare(last, end));
    end = last;
  }
  ir::Expr begin = begin_inside(driver, cursor.begin, cursor.end);
  if (steps_)
    before.push_back(in_steps(*piece, cursor.at, begin, end, ir::add(begin, numbers_before(*piece)), ir::block(body)));
  else
    before.push_back(lowerer_.run_loop(
        lowerer_.tagged(running(), scope_, ir::For{cursor.at, begin, end, ir::block(body)}), lattice_.var, scope_));
  return ir::block(before);
}

ir::Stmt LatticeLoops::loop_over_runs(int driver) {
  const level::Runs& runs = *format(driver).runs();
  const Operand& operand = lattice_.operands[driver];
  ir::Var run = ir::int64_var("q" + instance(driver).name), inside = ir::int64_var(lattice_.var.name() + "i"),
          v = ir::int64_var(lattice_.var.name());
  level::Bounds bounds = runs.bounds(instance(driver), parent(operand));
  level::Node node = runs.access(instance(driver), run, inside, coordinates(operand));
  level::Bounds piece = universe();
  if (!(piece.begin == dimension().begin && piece.end == dimension().end)) {
    node.found = ir::both(
        node.found, ir::both(ir::greater_equal(node.coordinate, piece.begin), ir::less(node.coordinate, piece.end)));
  }
  Present present;
  present.nodes.emplace(driver, node);
  std::vector<ir::Stmt> body;
  find_followers(strategy_.used & ~steppers(), present, v, body);
  body.push_back(cases(points_within(strategy_.used), present, v, false));
  ir::Stmt at_place = ir::block(
      {ir::declare(v, node.coordinate), ir::if_then(replaced(node.found, node.coordinate, v), ir::block(body))});
  ir::Stmt leave =
      leave_beyond(ir::multiply(ir::load_index(runs.numbers(instance(driver)), run), ir::integer(runs.length())));
  ir::Stmt within =
      lowerer_.tagged(running(), scope_, ir::For{inside, ir::integer(0), ir::integer(runs.length()), at_place});
  return lowerer_.run_loop(
      {run, begin_inside(driver, bounds.begin, bounds.end), bounds.end, ir::block({leave, within})}, lattice_.var,
      scope_);
}

}  // namespace filigree::lowering
