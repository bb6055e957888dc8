// Levels of a result that need more than a position: arrays of their own, a place for the coordinate, another order.
#include "lower/lowerer.h"
#include "lower/result.h"

namespace filigree::lowering {

using level::ArrayDescription;
using IndexedBy = ArrayDescription::IndexedBy;

ir::Stmt ResultAssembly::set_initially(int level, const ir::Expr& begin, const ir::Expr& end) const {
  ir::Var q = ir::int64_var("q");
  std::vector<ir::Stmt> code;
  std::vector<ArrayDescription> descriptions = format(level).arrays();
  for (size_t a = 0; a < descriptions.size(); a++) {
    const ir::Var& array = parameter_.levels[level].arrays[a];
    if (descriptions[a].indexed_by != IndexedBy::Position || !descriptions[a].initially || !writes(descriptions[a]))
      continue;
    ElementType type = array.type().element;
    code.push_back(ir::store(array, q,
                             type == ElementType::Bool ? ir::boolean(*descriptions[a].initially != 0)
                                                       : ir::integer(*descriptions[a].initially)));
  }
  return code.empty() ? ir::Stmt() : ir::Stmt(ir::For{q, begin, end, ir::block(code)});
}

ir::Stmt ResultAssembly::allocate_inserted(Memory memory) const {
  std::vector<ir::Stmt> code;
  for (int l = 0; l < order(); l++) {
    if (is_appended(l) || is_placed(l) || is_shared(l) || !allocates()) continue;
    auto room = inserted_room_.find(l);
    if (room != inserted_room_.end() && memory != Memory::Fixed) code.push_back(room->second.open(ir::integer(0)));
    if (memory == Memory::Growing) continue;
    std::vector<ArrayDescription> all = format(l).arrays();
    for (size_t a = 0; a < all.size(); a++) {
      if (all[a].indexed_by == IndexedBy::Nothing && writes(all[a]))
        code.push_back(ir::Alloc{parameter_.levels[l].arrays[a], ir::integer(all[a].extra)});
    }
    code.push_back(format(l).insert()->init(parameter_.levels[l]));
    if (!has_arrays(l) || room != inserted_room_.end()) continue;
    std::vector<ArrayDescription> descriptions = format(l).arrays();
    bool zero = true;
    for (size_t a = 0; a < descriptions.size(); a++) {
      if (descriptions[a].indexed_by != IndexedBy::Position || !writes(descriptions[a])) continue;
      code.push_back(ir::Alloc{parameter_.levels[l].arrays[a], ir::multiply(size(l), ir::integer(descriptions[a].per)),
                               descriptions[a].initially == 0});
      zero = zero && descriptions[a].initially == 0;
    }
    if (!zero) code.push_back(set_initially(l, ir::integer(0), size(l)));
  }
  return ir::block(code);
}

ir::Stmt ResultAssembly::make_inserted(int level) const {
  std::vector<ir::Stmt> code;
  for (int l = level + 1; l < order() && !is_appended(l); l++) {
    auto room = inserted_room_.find(l);
    if (room == inserted_room_.end()) continue;
    ir::Expr block = block_size(level, l + 1);
    ir::Expr first = ir::multiply(append_[level]->counter, block), end = ir::add(first, block);
    code.push_back(room->second.reserve(end));
    code.push_back(set_initially(l, first, end));
  }
  return ir::block(code);
}

ir::Stmt ResultAssembly::insert_all(const std::vector<ir::Expr>& positions, const concrete::Access& lhs,
                                    const Scope& scope, const ir::Stmt& store, const ir::Expr& value) const {
  std::vector<IndexVar> vars = concrete::level_vars(lhs);
  std::vector<ir::Stmt> code = {store};
  ir::Expr fits = ir::boolean(true);
  int told = 0;      // of a slot and what it counts: below both nothing is stored yet
  bool pads = true;  // do levels without a place for it hold the fill at all other coordinates?
  for (int l = 0; l < order(); l++) {
    if (is_appended(l) || is_shared(l)) continue;
    const level::Insert& insert = *format(l).insert();
    const ir::Expr& coordinate = scope.coordinates.at(vars[l]);
    ir::Expr up = l == 0 ? ir::integer(0) : positions[l - 1];
    bool certain = insert.holds_all() || told == 2;
    if (counted_ && (l == counted_->level || vars[l] == counted_->within)) told++;
    pads = pads && (certain || format(l).pads());
    if (!certain)
      fits = ir::both(
          fits,
          insert.insert(parameter_.levels[l], up, coordinate, true, [](const ir::Expr&) { return ir::Stmt(); }).found);
    if (has_arrays(l)) code.push_back(insert.mark(parameter_.levels[l], positions[l], coordinate));
  }
  // Then what has no place is no loss if it equals the fill.
  ir::Expr is_lost = pads ? differs(ir::convert(value, tensor().type()), tensor().fill()) : ir::boolean(true);
  ir::Stmt refuse = ir::if_then(is_lost, ir::Return{ir::Status::DoesNotFit});
  return ir::is_true(fits) ? ir::block(code) : ir::if_then(fits, ir::block(code), refuse);
}

ir::Stmt ResultAssembly::make_slots() const {
  const ir::Var& slots = parameter_.levels[counted_->level].extent.as<ir::VarRef>()->var;
  ir::Var q = ir::int64_var("q");
  ir::Stmt longest = ir::block({ir::assign(slots, ir::max(slots, ir::load_index(counted_->counts, q))),
                                ir::store(counted_->counts, q, ir::integer(0))});
  return ir::block({ir::declare(slots, ir::integer(0)), ir::For{q, ir::integer(0), counted_->extent, longest},
                    allocate_inserted(Memory::All), open_values(expected_)});
}

ir::Stmt ResultAssembly::write_counted(const concrete::Access& lhs, const Scope& scope,
                                       const std::function<ir::Expr(const ir::Expr&)>& value) const {
  const ir::Expr& at = scope.coordinates.at(counted_->within);
  ir::Var slot = ir::int64_var(vars_[counted_->level].name());
  Scope inner = scope;
  inner.coordinates.insert_or_assign(vars_[counted_->level], slot);
  return ir::block({ir::declare(slot, ir::load_index(counted_->counts, at)),
                    ir::store(counted_->counts, at, ir::add(slot, ir::integer(1))),
                    write_elsewhere(lhs, inner, value)});
}

ir::Stmt ResultAssembly::arrange(int level) const {
  const level::Arrange* arrange = format(level).arrange();
  if (!arrange) return {};
  const AppendState& state = *append_[level];
  const std::string& name = parameter_.levels[level].name;
  ir::Var count = ir::int64_var(name + "_siblings"), size = ir::int64_var(name + "_slots");
  std::optional<level::Arrange::Values> values;
  if (level == order() - 1) values = {parameter_.values, ir::constant(tensor().fill())};
  std::optional<ir::Expr> room = arrange->room(size, count);
  return ir::block({ir::declare(count, ir::subtract(state.counter, state.begin)), arrange->measure(size, count),
                    room ? state.nodes.reserve(ir::add(state.begin, *room)) : ir::Stmt(),
                    arrange->arrange(parameter_.levels[level], values, state.begin, count, size),
                    ir::assign(state.counter, ir::add(state.begin, size))});
}

ir::Stmt ResultAssembly::collect(int level, const ir::Expr& coordinate) const {
  const AppendState& state = *append_[level];
  return ir::block({format(level).append()->coordinate(parameter_.levels[level], state.counter, coordinate),
                    ir::increment(state.counter)});
}

ir::Stmt ResultAssembly::visit_arranged(int level, const ir::Var& coordinate, const ir::Stmt& body) const {
  const AppendState& state = *append_[level];
  const level::Instance& instance = parameter_.levels[level];
  ir::Var end = ir::int64_var(instance.name + "_end");
  level::Node node = format(level).position_iteration()->access(instance, state.counter, {});
  std::optional<int> below = append_below(level);
  // A position that holds nothing has no children, or components with the fill.
  ir::Stmt before =
      below ? before_body(level, false)
            : ir::block({make_inserted(level), make_block(false), ir::declare(state.stored, ir::boolean(true))});
  ir::Stmt free;
  if (below && *below == level + 1) {
    const AppendState& child = *append_[*below];
    free = ir::block(
        {child.parents.reserve(ir::add(state.counter, ir::integer(1 + parent_extra(*below)))),
         format(*below).append()->edges(parameter_.levels[*below], state.counter, child.counter, child.counter)});
  }
  ir::Stmt visit = ir::if_then(node.found, ir::block({ir::declare(coordinate, node.coordinate), body}), free);
  return ir::block({arrange(level), ir::declare(end, state.counter), ir::assign(state.counter, state.begin),
                    ir::While{ir::less(state.counter, end), ir::block({before, visit, ir::increment(state.counter)})}});
}

}  // namespace filigree::lowering
