// How an operand that follows a loop is found at the loop's coordinate, one way per protocol (P0 figures 9 to 11).
#include "lower/lattice_loops.h"
#include "support/check.h"

namespace filigree::lower {

using ir::Function;
using lattice::Protocol;

ir::Expr LatticeLoops::search(Function function, int k, const ir::Expr& from, const ir::Expr& coordinate) const {
  bool by_runs = follows_by_runs(k);
  ir::Var sorted = by_runs ? format(k).runs()->numbers(instance(k)) : format(k).search()->coordinates(instance(k));
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
  ir::Expr wanted = ir::quotient(coordinate, ir::integer(cursor.run));
  ir::Expr more = ir::less(cursor.at, cursor.end), reached = ir::equal(cursor.node.coordinate, wanted);
  ir::Stmt advance = ir::increment(cursor.at);
  Found found{{}, cursor.node, ir::both(more, reached)};
  if (cursor.run > 1) {
    ir::Expr inside = ir::remainder(coordinate, ir::integer(cursor.run));
    found.node = format(k).runs()->access(instance(k), cursor.at, inside, coordinates(lattice_.operands[k]));
  }
  switch (protocol) {
    case Protocol::SeqIter:
      found.setup = {ir::While{ir::both(more, ir::less(cursor.node.coordinate, wanted)), advance}};
      break;
    case Protocol::Gallop: found.setup = {ir::assign(cursor.at, search(Function::Gallop, k, cursor.at, wanted))}; break;
    case Protocol::Binary: {
      bool down = format(k).properties().ordered == level::Ordered::Decreasing;
      found.setup = {ir::declare(cursor.at, search(down ? Function::SearchDown : Function::Search, k, cursor.begin, wanted))};
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
  if (has_cursor && lattice_.points.size() == 1 && !strategy_.over_universe) {
    found.setup.push_back(ir::if_then(ir::equal(cursor.at, cursor.end), ir::Break{}));
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
    bool used_once = lattice_.points.size() == 1 || strategy_.protocols[k] == Protocol::Locate;
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
