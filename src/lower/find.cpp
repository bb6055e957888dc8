// How an operand that follows a loop is found at the loop's coordinate, one way per protocol (P0 figures 9 to 11).
#include "level/whole.h"
#include "lower/lattice_loops.h"
#include "support/check.h"

namespace filigree::lowering {

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
  if (protocol == Protocol::Hash) {
    bool is_remembered = remembered_ && remembered_->operand == k;
    return is_remembered ? recall(k, coordinate) : look_up(k, coordinate);
  }
  const Cursor& cursor = cursors_.at(k);
  ir::Expr wanted = ir::quotient(coordinate, ir::integer(cursor.run));
  ir::Expr more = cursor.falls ? ir::greater_equal(cursor.at, cursor.begin) : ir::less(cursor.at, cursor.end);
  ir::Expr reached = ir::equal(cursor.node.coordinate, wanted);
  ir::Stmt advance = cursor.falls ? ir::assign(cursor.at, ir::subtract(cursor.at, ir::integer(1)))
                                  : ir::increment(cursor.at);
  Found found{{}, cursor.node, ir::both(more, reached)};
  if (cursor.run > 1) {
    ir::Expr inside = ir::remainder(coordinate, ir::integer(cursor.run));
    found.node = format(k).runs()->access(instance(k), cursor.at, inside, coordinates(lattice_.operands[k]));
  }
  switch (protocol) {
    case Protocol::SeqIter:
      found.setup = {ir::While{ir::both(more, ir::less(cursor.node.coordinate, wanted)), advance}};
      if (auto far = far_.find(k); far != far_.end())
        found.setup = {ir::if_then(far->second, search_backwards(k, coordinate), ir::block(found.setup))};
      break;
    case Protocol::Gallop: found.setup = {ir::assign(cursor.at, search(Function::Gallop, k, cursor.at, wanted))}; break;
    case Protocol::Binary: {
      bool down = format(k).properties().ordered == level::Ordered::Decreasing;
      found.setup = {
          ir::declare(cursor.at, search(down ? Function::SearchDown : Function::Search, k, cursor.begin, wanted))};
      break;
    }
    case Protocol::Scan:
      found.setup = {ir::declare(cursor.at, cursor.begin),
                     ir::While{ir::both(more, ir::not_equal(cursor.node.coordinate, coordinate)), advance}};
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

ir::Stmt LatticeLoops::compare_with_leaders(int k) {
  const Cursor& cursor = cursors_.at(k);
  std::optional<ir::Expr> fewest;
  for (const auto& [leader, other] : cursors_) {
    ir::Expr length = ir::subtract(other.end, other.begin);
    if (steppers() >> leader & 1) fewest = fewest ? ir::min(*fewest, length) : length;
  }
  if (!fewest) return {};
  ir::Var far = ir::bool_var(lattice_.operands[k].tensor.name() + "_far");
  far_.emplace(k, far);
  return ir::declare(
      far, ir::less(ir::multiply(ir::integer(lowerer_.plan_.lookups.search_ratio), *fewest),
                    ir::subtract(cursor.end, cursor.begin)));
}

/// The last position that does not hold less: where the coordinate is, or the one before the first that holds less.
ir::Stmt LatticeLoops::search_backwards(int k, const ir::Expr& coordinate) const {
  const Cursor& cursor = cursors_.at(k);
  ir::Var sorted = format(k).search()->coordinates(instance(k)), first = ir::int64_var("first");
  ir::Expr end = ir::add(cursor.at, ir::integer(1));
  ir::Expr less = ir::either(ir::equal(first, end), ir::less(ir::load_index(sorted, first), coordinate));
  return ir::block({ir::declare(first, ir::call(Function::SearchDown, {sorted, cursor.begin, end, coordinate})),
                    ir::assign(cursor.at, ir::subtract(first, ir::convert(less, ElementType::Int64)))});
}

/// Coordinates from 0 on, as tables hold them.
ir::Expr LatticeLoops::key(int k, const ir::Expr& coordinate) const {
  return ir::subtract(coordinate, instance(k).origin);
}

Found LatticeLoops::look_up(int k, const ir::Expr& coordinate) const {
  const Lowerer::HashMap& map = maps_.at(k);
  ir::Var slot = ir::int64_var("n" + instance(k).name);
  ir::Expr cursor = ir::load_index(map.cursors, slot), own = key(k, coordinate);
  ir::Stmt search = ir::assign(slot, ir::call(Function::HashFind, {map.coordinates, ir::integer(0), map.slots, own}));
  level::Node node = level::access_below(*format(k).position_iteration(), instance(k), parent(lattice_.operands[k]),
                                         cursor, coordinates(lattice_.operands[k]));
  return {{ir::declare(slot, own), ir::if_then(ir::less(map.slots, instance(k).extent), search)},
          node,
          ir::both(ir::greater_equal(slot, ir::integer(0)), ir::equal(ir::load_index(map.coordinates, slot), own))};
}

/// With a slot for every coordinate that can be there, each has its own; with fewer, they are hashed.
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
  std::string name = instance(k).name + "_map";
  const level::Search* sorted = format(k).search();
  ElementType type = sorted ? sorted->coordinates(instance(k)).type().element : ElementType::Int64;
  ir::Var coordinates(name, ir::array(type)), cursors(name + "_at", ir::array(ElementType::Int64)),
      slots = ir::int64_var(name + "_slots");
  Room room(name, {{coordinates}, {cursors}}, lowerer_.plan_.memory.first_capacity);
  Lowerer::HashMap map{coordinates, cursors, slots, room};
  ir::Expr two = ir::integer(2);
  ir::Var q = ir::int64_var("q"), held = ir::int64_var("held"), slot = ir::int64_var("slot");
  const ir::Expr& extent = instance(k).extent;
  ir::Stmt search = ir::assign(
      slot, ir::subtract(ir::integer(-1), ir::call(Function::HashFind, {coordinates, ir::integer(0), slots, held})));
  ir::Stmt add = ir::block({ir::declare(held, key(k, cursor.node.coordinate)), ir::declare(slot, held),
                            ir::if_then(ir::less(slots, extent), search), ir::store(coordinates, slot, held),
                            ir::store(cursors, slot, cursor.at)});
  ir::Expr length = ir::subtract(cursor.end, cursor.begin);
  ir::Stmt fill =
      ir::block({ir::assign(slots, two),
                 ir::While{ir::less(slots, ir::multiply(two, length)), ir::assign(slots, ir::multiply(slots, two))},
                 ir::assign(slots, ir::min(slots, extent)), map.room.reserve(slots),
                 ir::For{q, ir::integer(0), slots, ir::store(coordinates, q, ir::integer(-1))},
                 ir::For{cursor.at, cursor.begin, cursor.end, ir::if_then(cursor.node.found, add)}});
  maps_.emplace(k, map);
  if (once) lowerer_.maps_of_parameters_.emplace(operand.tensor, map);
  ir::Stmt open = ir::block({map.room.open(ir::integer(0)), ir::declare(slots, ir::integer(0))});
  ir::Stmt close = ir::block({ir::Free{coordinates}, ir::Free{cursors}});
  lowerer_.maps_.push_back({once ? ir::block({open, fill}) : open, close, once});
  return once ? ir::Stmt() : fill;
}

void LatticeLoops::find_followers(lattice::Mask operands, Present& present, const ir::Expr& coordinate,
                                  std::vector<ir::Stmt>& code) const {
  for (int k = 0; k < static_cast<int>(lattice_.operands.size()); k++) {
    if (!(operands >> k & 1)) continue;
    Found found = find(k, coordinate);
    if (settled_ >> k & 1) found.here = ir::boolean(true);
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

}  // namespace filigree::lowering
