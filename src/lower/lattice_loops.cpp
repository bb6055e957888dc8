#include "lower/lattice_loops.h"

#include <algorithm>

#include "support/check.h"

namespace filigree::lower {

using lattice::Lattice;
using lattice::Mask;
using lattice::Operand;
using lattice::Point;

namespace {

const level::Format& format_of(const Operand& operand) { return *operand.tensor.format().levels()[operand.level].format; }

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

LatticeLoops::LatticeLoops(Lowerer& lowerer, const Lattice& lattice, const Scope& scope) : lowerer_(lowerer), lattice_(lattice), scope_(scope) {
  choose_steppers();
}

ir::Expr LatticeLoops::iterations() const {
  if (lattice_.points.empty()) return ir::integer(0);
  if (lattice_.has_universe()) return lowerer_.parameters_.extent(lattice_.var);
  ir::Expr sum = ir::integer(0);
  for (const auto& [k, cursor] : cursors_) {
    sum = ir::add(sum, ir::subtract(cursor.end, cursor.begin));
    if (lattice_.points.size() == 1) break;  // an intersection visits no more than any one operand has
  }
  return sum;
}

ir::Stmt LatticeLoops::declare_cursors() {
  if (lattice_.points.empty() || (cursors_.size() == 1 && !lattice_.has_universe())) return {};
  std::vector<ir::Stmt> code;
  for (auto& [k, cursor] : cursors_) {
    ir::Var end = ir::int64_var(cursor.at.name() + "_end");
    code.push_back(ir::declare(cursor.at, cursor.begin));
    code.push_back(ir::declare(end, cursor.end));
    cursor.begin = cursor.at;
    cursor.end = end;
  }
  return ir::block(code);
}

ir::Stmt LatticeLoops::emit() {
  if (lattice_.points.empty()) return {};
  if (lattice_.has_universe()) return over_universe();
  if (cursors_.size() == 1) return single_loop(lattice_.points[0]);
  std::vector<ir::Stmt> code;
  for (const Point& point : lattice_.points) code.push_back(merge_loop(point));
  return ir::block(code);
}

void LatticeLoops::choose_steppers() {
  bool single = lattice_.points.size() == 1;
  for (size_t k = 0; k < lattice_.operands.size(); k++) {
    if (single && !(lattice_.points[0].present >> k & 1)) continue;
    bool locatable = format_of(lattice_.operands[k]).locate() != nullptr;
    if (locatable && (single || lattice_.has_universe())) {
      located_.push_back(static_cast<int>(k));
    } else {
      step(static_cast<int>(k));
    }
  }
  if (single && !lattice_.has_universe() && cursors_.empty() && !located_.empty()) {
    step(located_.front());
    located_.erase(located_.begin());
  }
}

void LatticeLoops::step(int k) {
  const Operand& operand = lattice_.operands[k];
  const level::PositionIteration* iteration = format_of(operand).position_iteration();
  internal_check(iteration != nullptr, "lower", "a level that can be neither located nor stepped through", format_of(operand).name());
  const level::Instance& instance = lowerer_.instance(operand.tensor, operand.level);
  lowerer_.iterated_[operand.tensor] = true;
  level::Bounds bounds = iteration->bounds(instance, parent(operand));
  ir::Var at = ir::int64_var("p" + instance.name);
  cursors_.emplace(k, Cursor{at, bounds.begin, bounds.end, iteration->access(instance, at, coordinates(operand)),
                             ir::int64_var(lattice_.var.name() + operand.tensor.name())});
}

ir::Expr LatticeLoops::parent(const Operand& operand) const {
  if (operand.level == 0) return ir::integer(0);
  Operand above{operand.tensor, operand.level - 1, {operand.path.begin(), operand.path.end() - 1}};
  auto position = scope_.positions.find(above);
  internal_check(position != scope_.positions.end(), "lower", "a level is reached before the one above it", operand.tensor.name());
  return position->second;
}

std::vector<ir::Expr> LatticeLoops::coordinates(const Operand& operand) const {
  std::vector<ir::Expr> out;
  for (size_t l = 0; l + 1 < operand.path.size(); l++) out.push_back(scope_.coordinates.at(operand.path[l]));
  return out;
}

level::Node LatticeLoops::locate(int k, const ir::Expr& coordinate) const {
  const Operand& operand = lattice_.operands[k];
  std::vector<ir::Expr> path = coordinates(operand);
  path.push_back(coordinate);
  return format_of(operand).locate()->locate(lowerer_.instance(operand.tensor, operand.level), parent(operand), path);
}

ir::Stmt LatticeLoops::cases(const std::vector<const Point*>& below, const Present& present, const ir::Expr& coordinate, bool last_is_certain) {
  ir::Stmt code;
  for (auto point = below.rbegin(); point != below.rend(); ++point) {
    ir::Expr condition = ir::boolean(true);
    for (const auto& [k, holds] : present.conditions) {
      if ((*point)->present >> k & 1) condition = ir::both(condition, holds);
    }
    if (point == below.rbegin() && last_is_certain) condition = ir::boolean(true);
    code = ir::if_then(condition, lowerer_.lower_point(lattice_, **point, scope_, coordinate, present.nodes), code);
  }
  return code;
}

void LatticeLoops::locate_others(Present& present, const ir::Expr& coordinate, std::vector<ir::Stmt>& code) const {
  for (int k : located_) {
    level::Node node = locate(k, coordinate);
    code.insert(code.end(), node.setup.begin(), node.setup.end());
    node.setup.clear();
    present.conditions.emplace(k, node.found);
    present.nodes.emplace(k, node);
  }
}

ir::Stmt LatticeLoops::over_universe() {
  ir::Var v = ir::int64_var(lattice_.var.name());
  std::vector<ir::Stmt> body, advance;
  Present present;
  for (auto& [k, cursor] : cursors_) {
    ir::Var here = ir::bool_var(lattice_.operands[k].tensor.name() + "_here");
    body.push_back(ir::declare(here, ir::both(ir::less(cursor.at, cursor.end), ir::equal(cursor.node.coordinate, v))));
    present.conditions.emplace(k, here);
    present.nodes.emplace(k, cursor.node);
    advance.push_back(ir::assign(cursor.at, ir::add(cursor.at, ir::convert(here, ElementType::Int64))));
  }
  locate_others(present, v, body);
  std::vector<const Point*> all;
  for (const Point& point : lattice_.points) all.push_back(&point);
  body.push_back(cases(all, present, v, true));
  body.insert(body.end(), advance.begin(), advance.end());
  return ir::For{v, ir::integer(0), lowerer_.parameters_.extent(lattice_.var), ir::block(body)};
}

ir::Stmt LatticeLoops::single_loop(const Point& point) {
  const Cursor& cursor = cursors_.begin()->second;
  ir::Var v = ir::int64_var(lattice_.var.name());
  std::vector<ir::Stmt> before, body = {ir::declare(v, cursor.node.coordinate)};
  Present present;
  present.nodes.emplace(cursors_.begin()->first, cursor.node);
  locate_others(present, v, body);
  body.push_back(cases({&point}, present, v, false));
  ir::Expr end = cursor.end;
  if (end.as<ir::Call>()) {
    ir::Var last = ir::int64_var(cursor.at.name() + "_end");
    before.push_back(ir::declare(last, end));
    end = last;
  }
  before.push_back(ir::For{cursor.at, cursor.begin, end, ir::block(body)});
  return ir::block(before);
}

ir::Stmt LatticeLoops::merge_loop(const Point& point) {
  ir::Var v = ir::int64_var(lattice_.var.name());
  ir::Expr more = ir::boolean(true);
  std::vector<ir::Stmt> body, advance;
  std::optional<ir::Expr> smallest;
  Present present;
  int members = 0;
  for (auto& [k, cursor] : cursors_) members += point.present >> k & 1;
  for (auto& [k, cursor] : cursors_) {
    if (!(point.present >> k & 1)) continue;
    more = ir::both(more, ir::less(cursor.at, cursor.end));
    present.nodes.emplace(k, cursor.node);
    if (members == 1) {
      body.push_back(ir::declare(v, cursor.node.coordinate));
      advance.push_back(ir::increment(cursor.at));
      continue;
    }
    body.push_back(ir::declare(cursor.coordinate, cursor.node.coordinate));
    smallest = smallest ? ir::min(*smallest, cursor.coordinate) : ir::Expr(cursor.coordinate);
    ir::Expr here = ir::equal(cursor.coordinate, v);
    present.conditions.emplace(k, here);
    advance.push_back(ir::assign(cursor.at, ir::add(cursor.at, ir::convert(here, ElementType::Int64))));
  }
  if (smallest) body.push_back(ir::declare(v, *smallest));
  locate_others(present, v, body);
  std::vector<const Point*> below;
  for (const Point& other : lattice_.points) {
    if (is_subset(other.present, point.present)) below.push_back(&other);
  }
  body.push_back(cases(below, present, v, located_.empty() && some_case_always_holds(point, below)));
  body.insert(body.end(), advance.begin(), advance.end());
  return ir::While{more, ir::block(body)};
}

}  // namespace filigree::lower
