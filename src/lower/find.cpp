// How an operand that follows a loop is found at the loop's coordinate, one way per protocol (P0 figures 9 to 11).
#include "lower/lattice_loops.h"
#include "support/check.h"

namespace filigree::lower {

using ir::Function;
using lattice::Protocol;

ir::Expr LatticeLoops::search(Function function, int k, const ir::Expr& from, const ir::Expr& coordinate) const {
  ir::Var sorted = format(k).search()->coordinates(instance(k));
  return ir::call(function, {sorted, from, cursors_.at(k).end, coordinate});
}

Found LatticeLoops::locate(int k, const ir::Expr& coordinate) const {
  const lattice::Operand& operand = lattice_.operands[k];
  std::vector<ir::Expr> path = coordinates(operand);
  path.push_back(coordinate);
  level::Node node = format(k).locate()->locate(instance(k), parent(operand), path);
  Found found{node.setup, node, node.found};
  found.node.setup.clear();
  return found;
}

Found LatticeLoops::find(int k, const ir::Expr& coordinate) const {
  Protocol protocol = strategy_.protocols[k];
  if (protocol == Protocol::Locate) return locate(k, coordinate);
  if (protocol == Protocol::Hash) return look_up(k, coordinate);
  const Cursor& cursor = cursors_.at(k);
  ir::Expr more = cursor.falls ? ir::greater_equal(cursor.at, cursor.begin) : ir::less(cursor.at, cursor.end);
  ir::Expr reached = ir::equal(cursor.node.coordinate, coordinate);
  ir::Stmt advance = cursor.falls ? ir::assign(cursor.at, ir::subtract(cursor.at, ir::integer(1))) : ir::increment(cursor.at);
  Found found{{}, cursor.node, ir::both(more, reached)};
  switch (protocol) {
    case Protocol::SeqIter:
      found.setup = {ir::While{ir::both(more, ir::less(cursor.node.coordinate, coordinate)), advance}};
      break;
    case Protocol::Gallop: found.setup = {ir::assign(cursor.at, search(Function::Gallop, k, cursor.at, coordinate))}; break;
    case Protocol::Binary: {
      bool down = format(k).properties().ordered == level::Ordered::Decreasing;
      found.setup = {ir::declare(cursor.at, search(down ? Function::SearchDown : Function::Search, k, cursor.begin, coordinate))};
      break;
    }
    case Protocol::Scan:
      found.setup = {ir::declare(cursor.at, cursor.begin), ir::While{ir::both(more, ir::not_equal(cursor.node.coordinate, coordinate)), advance}};
      found.here = more;
      break;
    case Protocol::Step:
    case Protocol::Locate:
    case Protocol::Hash: throw InternalError("lower", "an operand that is not searched for");
  }
  // Coordinates increase: an intersection ends with the first operand that does.
  bool has_cursor = protocol == Protocol::SeqIter || protocol == Protocol::Gallop;
  if (has_cursor && intersects_ && !strategy_.over_universe) {
    ir::Expr over = cursor.falls ? ir::less(cursor.at, cursor.begin) : ir::equal(cursor.at, cursor.end);
    found.setup.push_back(ir::if_then(over, ir::Break{}));
    found.here = reached;
  }
  return found;
}

Found LatticeLoops::look_up(int k, const ir::Expr& coordinate) const {
  const Cursor& cursor = cursors_.at(k);
  ir::Var number = ir::int64_var("n" + instance(k).name);
  level::Node node = format(k).position_iteration()->access(instance(k), ir::add(cursor.begin, number), coordinates(lattice_.operands[k]));
  return {{ir::declare(number, ir::call(Function::TableFind, {maps_.at(k), ir::integer(0), coordinate}))}, node,
          ir::greater_equal(number, ir::integer(0))};
}

ir::Stmt LatticeLoops::build_map(int k) {
  const lattice::Operand& operand = lattice_.operands[k];
  const Cursor& cursor = cursors_.at(k);
  // What hangs from the root of a parameter is the same whenever the loop runs.
  bool once = operand.level == 0 && lowerer_.parameters_.has(operand.tensor);
  if (once) {
    if (auto known = lowerer_.maps_of_parameters_.find(operand.tensor); known != lowerer_.maps_of_parameters_.end()) {
      maps_.emplace(k, known->second);
      return {};
    }
  }
  ir::Var map(instance(k).name + "_map", ir::table());
  maps_.emplace(k, map);
  ir::Stmt add = ir::Evaluate{ir::call(Function::TableAppend, {map, ir::integer(0), cursor.node.coordinate})};
  ir::Stmt fill = ir::For{cursor.at, cursor.begin, cursor.end, add};
  lowerer_.maps_.push_back({map, once ? fill : ir::Stmt()});
  if (!once) return ir::block({ir::Evaluate{ir::call(Function::TableClear, {map})}, fill});
  lowerer_.maps_of_parameters_.emplace(operand.tensor, map);
  return {};
}

void LatticeLoops::find_followers(lattice::Mask operands, Present& present, const ir::Expr& coordinate, std::vector<ir::Stmt>& code) const {
  for (int k = 0; k < static_cast<int>(lattice_.operands.size()); k++) {
    if (!(operands >> k & 1)) continue;
    Found found = find(k, coordinate);
    code.insert(code.end(), found.setup.begin(), found.setup.end());
    bool used_once = intersects_ || strategy_.protocols[k] == Protocol::Locate;
    if (!used_once) {
      ir::Var here = ir::bool_var(lattice_.operands[k].tensor.name() + "_here");
      code.push_back(ir::declare(here, found.here));
      found.here = here;
    }
    present.conditions.emplace(k, found.here);
    present.nodes.emplace(k, found.node);
  }
}

}  // namespace filigree::lower
