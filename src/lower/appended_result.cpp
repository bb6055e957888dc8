#include "lower/appended_result.h"

#include <algorithm>

#include "support/check.h"

namespace filigree::lowering {

using IndexedBy = level::ArrayDescription::IndexedBy;

AppendedResult::AppendedResult(const ResultOf& of)
    : LevelResult(of), expected_(of.parameters.stored()), appending_(static_cast<size_t>(order())) {
  std::int64_t first = of.memory.first_capacity;
  std::vector<Room::Growing> with_child;  // arrays of levels above whose nodes come one with each of the next level's
  for (int l = 0; l < order(); l++) {
    const std::string& name = instance(l).name;
    if (is_inserted(l)) {
      if (append_above(l) && !arrays(l, IndexedBy::Position).empty())
        inserted_rooms_.emplace(l, Room(name, arrays(l, IndexedBy::Position), first));
      continue;
    }
    internal_check(format(l).append() != nullptr, "lower",
                   "a result level that can neither be inserted into nor appended to", format(l).name());
    std::vector<Room::Growing> nodes = arrays(l, IndexedBy::Position), parents;
    nodes.insert(nodes.begin(), with_child.begin(), with_child.end());
    with_child.clear();
    if (follows_child(l)) with_child.swap(nodes);
    if (l == order() - 1 && writes_values()) nodes.push_back({values()});
    if (append_above(l)) parents = arrays(l, IndexedBy::Parent);
    Appending own{ir::int64_var("p" + name),
                  ir::int64_var(name + "_begin"),
                  ir::int64_var(name + "_before"),
                  ir::bool_var(name + "_stored"),
                  Room(name, nodes, first),
                  Room(name + "_parents", parents, first)};
    for (const Room::Growing& g : arrays(l, IndexedBy::Position)) own.limit = limit_of(g.array), own.per = g.per;
    // Loops over all coordinates need not come by each position of the levels between.
    for (int up = l - 1; up >= 0 && is_inserted(up); up--)
      own.complete = own.complete && format(up).insert()->holds_all();
    appending_[static_cast<size_t>(l)] = own;
  }
  if (last_append() < order() - 1 && writes_values())
    values_room_ = Room(tensor().name() + "_vals", {{values()}}, first);
  for (int l = 0; l < order(); l++) arranged_.push_back(arranged_at(l));
}

// --- Levels ------------------------------------------------------------------------------------

std::optional<int> AppendedResult::append_above(int level) const {
  for (int l = level - 1; l >= 0; l--) {
    if (is_appended(l)) return l;
  }
  return std::nullopt;
}

std::optional<int> AppendedResult::append_below(int level) const {
  for (int l = level + 1; l < order(); l++) {
    if (is_appended(l)) return l;
  }
  return std::nullopt;
}

bool AppendedResult::follows_child(int level) const {
  return level + 1 < order() && is_appended(level + 1) && format(level + 1).properties().branchless;
}

ir::Expr AppendedResult::size(int level) const {
  return is_appended(level) ? ir::Expr(appending(level).counter) : LevelResult::size(level);
}

std::optional<ir::Expr> AppendedResult::own_position(int level, const Scope&) const { return appending(level).counter; }

int AppendedResult::parent_extra(int level) const {
  int extra = 0;
  for (const ArrayDescription& array : format(level).arrays()) {
    if (array.indexed_by == IndexedBy::Parent) extra = std::max(extra, array.extra);
  }
  return extra;
}

std::optional<int> AppendedResult::append_level(const IndexVar& var, const Scope& scope) const {
  for (int l = 0; l < order(); l++) {
    if (scope.result_positions.count({tensor(), l})) continue;
    return is_appended(l) && vars_[static_cast<size_t>(l)] == var ? std::optional(l) : std::nullopt;
  }
  return std::nullopt;
}

// --- Memory ------------------------------------------------------------------------------------

ir::Stmt AppendedResult::open(Memory memory, const ir::Expr& expected) const {
  bool fixed = memory != Memory::Growing, growing = memory != Memory::Fixed;
  std::vector<ir::Stmt> code;
  for (int l = 0; l < order(); l++) {
    if (is_inserted(l)) continue;
    const Appending& own = appending(l);
    bool has_parents = own.parents.is_empty() ? fixed : growing;
    if (allocates()) {
      if (own.parents.is_empty() && fixed) code.push_back(allocate_parents(l));
      if (growing) code.push_back(own.parents.open(ir::integer(0)));
      if (growing) code.push_back(own.nodes.open(append_below(l) ? ir::integer(0) : expected));
    }
    if (writes_positions() && has_parents) code.push_back(format(l).append()->init(instance(l)));
    if (growing) code.push_back(ir::declare(own.counter, ir::integer(0)));
  }
  for (int l = 0; l < order() && allocates(); l++) {
    if (is_appended(l)) continue;
    auto room = inserted_rooms_.find(l);
    bool grows = room != inserted_rooms_.end();
    if (grows && growing) code.push_back(room->second.open(ir::integer(0)));
    if (fixed) code.push_back(allocate_inserted(l, !grows));
  }
  if (growing && values_room_ && allocates()) code.push_back(values_room_->open(expected));
  return ir::block(code);
}

ir::Stmt AppendedResult::allocate_parents(int level) const {
  std::vector<ir::Stmt> code;
  std::vector<ArrayDescription> descriptions = format(level).arrays();
  for (size_t a = 0; a < descriptions.size(); a++) {
    if (descriptions[a].indexed_by != IndexedBy::Parent || !writes(descriptions[a])) continue;
    code.push_back(ir::Alloc{instance(level).arrays[a],
                             ir::add(parent_count(level), ir::integer(descriptions[a].extra)),
                             !appending(level).complete});
  }
  return ir::block(code);
}

ir::Stmt AppendedResult::epilogue() const {
  std::vector<ir::Stmt> code;
  for (int l = 0; l < order(); l++) {
    if (is_inserted(l) || !writes_positions()) continue;
    bool gaps = append_above(l) ? *append_above(l) < l - 1 : !appending(l).complete;
    if (gaps) code.push_back(format(l).append()->finalize(instance(l), parent_count(l)));
  }
  code.push_back(LevelResult::epilogue());
  return ir::block(code);
}

ir::Stmt AppendedResult::reserve(int level, const ir::Expr& iterations) const {
  if (!allocates() || follows_child(level)) return {};
  return appending(level).nodes.reserve(ir::add(appending(level).counter, iterations));
}

ir::Stmt AppendedResult::make_inserted(int level) const {
  std::vector<ir::Stmt> code;
  for (int l = level + 1; l < order() && is_inserted(l); l++) {
    auto room = inserted_rooms_.find(l);
    if (room == inserted_rooms_.end()) continue;
    ir::Expr block = block_size(level, l + 1);
    ir::Expr first = ir::multiply(appending(level).counter, block), end = ir::add(first, block);
    code.push_back(room->second.reserve(end));
    code.push_back(set_initially(l, first, end));
  }
  return ir::block(code);
}

ir::Stmt AppendedResult::make_block(bool whole) const {
  if (!writes_values()) return {};
  int level = last_append();
  ir::Expr block = block_size(level, order());
  ir::Expr first = ir::multiply(appending(level).counter, block), end = ir::add(first, block);
  return ir::block({allocates() ? values_room_->reserve(end) : check_limit(limit_of(values()), end),
                    whole ? ir::Stmt() : initialize_values(first, end)});
}

/// The first store below the node being made: all its components come into being with the fill.
ir::Stmt AppendedResult::open_block() const {
  const ir::Var& stored = appending(last_append()).stored;
  return ir::if_then(ir::negate(stored), ir::block({make_block(false), ir::assign(stored, ir::boolean(true))}));
}

// --- Around loops --------------------------------------------------------------------------------

void AppendedResult::misses_coordinates(const IndexVar& var) {
  for (int l = 0; l < order(); l++) {
    if (vars_[static_cast<size_t>(l)] != var || is_appended(l)) continue;
    if (std::optional<int> below = append_below(l)) appending_[static_cast<size_t>(*below)]->complete = false;
  }
}

void AppendedResult::may_skip(const Scope& scope) {
  for (int l = 0; l < order(); l++) {
    if (is_appended(l) && !scope.result_positions.count({tensor(), l}))
      appending_[static_cast<size_t>(l)]->complete = false;
  }
}

ir::Stmt AppendedResult::before_loop(const VisitedLoop& loop, const Scope& scope) {
  if (!loop.visits_all) misses_coordinates(loop.var);
  std::optional<int> level = append_level(loop.var, scope);
  if (!level) return {};
  if (scope.opened.count({tensor(), *level})) return go_on(*level, scope, loop.iterations());
  return ir::block({begin_level(*level, parent(*level, scope)), reserve(*level, loop.iterations())});
}

ir::Stmt AppendedResult::after_loop(const IndexVar& var, const Scope& scope) const {
  std::optional<int> level = append_level(var, scope);
  if (!level || scope.opened.count({tensor(), *level})) return {};
  return end_level(*level, parent(*level, scope));
}

Surrounding AppendedResult::open_together(const IndexVar& var, const Scope& scope, Scope& inside) const {
  std::optional<int> level = append_level(var, scope);
  if (!level || !inside.opened.insert({tensor(), *level}).second) return {};
  ir::Expr up = parent(*level, scope);
  return {ir::block({begin_level(*level, up), reserve(*level, ir::integer(0))}), end_level(*level, up)};
}

ir::Stmt AppendedResult::begin_level(int level, const ir::Expr&) const {
  return ir::declare(appending(level).begin, appending(level).counter);
}

ir::Stmt AppendedResult::go_on(int level, const Scope&, const ir::Expr& iterations) const {
  return reserve(level, iterations);
}

ir::Stmt AppendedResult::end_level(int level, const ir::Expr& parent) const {
  if (!writes_positions()) return {};
  const Appending& own = appending(level);
  ir::Stmt room = own.parents.is_empty() ? ir::Stmt()
                                         : own.parents.reserve(ir::add(parent, ir::integer(1 + parent_extra(level))));
  return ir::block({is_arranged_first(level) ? ir::Stmt() : arrange(level), room,
                    format(level).append()->edges(instance(level), parent, own.begin, own.counter)});
}

std::optional<int> AppendedResult::level_of_body(const LoopBody& body) const {
  std::optional<int> level = append_level(body.var, body.around);
  return level && !is_arranged_first(*level) ? level : std::nullopt;
}

ir::Stmt AppendedResult::before_body(const LoopBody& body, Scope& inside) const {
  std::optional<int> level = level_of_body(body);
  ir::Stmt opened = level ? open_node(*level, body.whole) : ir::Stmt();
  return ir::block({opened, extend(inside)});
}

ir::Stmt AppendedResult::open_node(int level, bool whole) const {
  if (level == order() - 1 || follows_child(level)) return {};
  std::optional<int> below = append_below(level);
  if (!below) {
    return ir::block(
        {make_inserted(level), whole ? make_block(true) : ir::declare(appending(level).stored, ir::boolean(false))});
  }
  const Appending& child = appending(*below);
  std::vector<ir::Stmt> code = {make_inserted(level), ir::declare(child.before, made_so_far(*below))};
  if (*below > level + 1 && !child.parents.is_empty()) {
    // The nodes between are all there as soon as this one is: until they get edges, they have none.
    ir::Expr block = block_size(level, *below);
    ir::Expr first = ir::multiply(appending(level).counter, block), end = ir::add(first, block);
    ir::Expr extra = ir::integer(parent_extra(*below));
    code.push_back(child.parents.reserve(ir::add(end, extra)));
    ir::Var q = ir::int64_var("q");
    std::vector<ir::Stmt> zero;
    for (const Room::Growing& g : child.parents.arrays())
      zero.push_back(ir::store(g.array, ir::add(q, extra), ir::integer(0)));
    code.push_back(ir::For{q, first, end, ir::block(zero)});
  }
  return ir::block(code);
}

ir::Stmt AppendedResult::after_body(const LoopBody& body, const Scope& inside) const {
  std::optional<int> level = level_of_body(body);
  // What is last is appended together with the value, and others with their one child.
  if (!level || *level == order() - 1 || follows_child(*level)) return {};
  std::optional<int> below = append_below(*level);
  if (!below && body.whole) return append_node(*level, inside);
  ir::Expr stored = below ? ir::less(appending(*below).before, made_so_far(*below))
                          : ir::Expr(appending(*level).stored);
  return ir::if_then(stored, append_node(*level, inside));
}

ir::Stmt AppendedResult::append_node(int level, const Scope& scope) const {
  const Appending& own = appending(level);
  const ir::Expr& coordinate = scope.coordinates.at(vars_[static_cast<size_t>(level)]);
  std::vector<ir::Stmt> code;
  if (level > 0 && follows_child(level - 1)) code.push_back(append_node(level - 1, scope));
  code.push_back(check_limit(own.limit, ir::multiply(ir::add(own.counter, ir::integer(1)), ir::integer(own.per))));
  if (writes_coordinates())
    code.push_back(format(level).append()->coordinate(instance(level), own.counter, coordinate));
  code.push_back(ir::increment(own.counter));
  return ir::block(code);
}

ir::Stmt AppendedResult::write(const Write& component) const {
  int level = last_append();
  bool appends = level == order() - 1;
  internal_check(component.lhs.indices == lhs_.indices, "lower",
                 "a level that is appended to is reached out of order", tensor().name());
  internal_check(!appends || !component.op, "lower", "accumulation into a level that is appended to", tensor().name());
  ir::Expr position = component.scope.result_positions.at({tensor(), order() - 1});
  std::vector<ir::Stmt> code;
  if (!appends && !component.whole) code.push_back(open_block());
  if (appends && writes_values()) code.push_back(check_limit(limit_of(values()), ir::add(position, ir::integer(1))));
  code.push_back(store_value(component, position));
  if (appends) code.push_back(append_node(level, component.scope));
  return insert(component, ir::block(code));
}

}  // namespace filigree::lowering
