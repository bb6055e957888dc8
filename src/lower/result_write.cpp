// Components of a result: counted, placed, or stored where loops have reached them.
#include <algorithm>

#include "lower/result.h"
#include "support/check.h"

namespace filigree::lowering {

using IndexedBy = level::ArrayDescription::IndexedBy;

ir::Expr ResultAssembly::last_parent(const concrete::Access& lhs, const Scope& scope) const {
  ir::Expr parent = ir::integer(0);
  std::vector<IndexVar> vars = concrete::level_vars(lhs);
  for (int l = 0; l + 1 < order(); l++) {
    parent = format(l)
                 .insert()
                 ->insert(parameter_.levels[l], parent, scope.coordinates.at(vars[l]), false,
                          [](const ir::Expr&) { return ir::Stmt(); })
                 .position;
  }
  return parent;
}

ir::Stmt ResultAssembly::count(const concrete::Access& lhs, const Scope& scope) const {
  if (counted_) {
    const ir::Expr& at = scope.coordinates.at(counted_->within);
    return ir::store(counted_->counts, at, ir::add(ir::load_index(counted_->counts, at), ir::integer(1)));
  }
  return placement_->count(last_parent(lhs, scope));
}

ir::Stmt ResultAssembly::place(const concrete::Access& lhs, const Scope& scope, const ir::Expr& value) const {
  level::Node node = placement_->place(last_parent(lhs, scope), scope.coordinates.at(concrete::level_vars(lhs).back()));
  std::vector<ir::Stmt> code = node.setup;
  if (keeps_values()) code.push_back(ir::store(parameter_.values, node.position, value));
  return ir::block(code);
}

ir::Stmt ResultAssembly::between_passes() const {
  if (counted_) return make_slots();
  std::vector<ir::Stmt> code = {placement_->allot()};
  for (const Room::Growing& g : arrays(order() - 1, IndexedBy::Position))
    code.push_back(ir::Alloc{g.array, ir::multiply(placement_->size(), ir::integer(g.per))});
  if (keeps_values()) code.push_back(ir::Alloc{parameter_.values, placement_->size()});
  return ir::block(code);
}

ir::Stmt ResultAssembly::finish_passes() const {
  if (counted_) return ir::Free{counted_->counts};
  std::vector<ir::Stmt> code = {placement_->tidy()};
  if (!writes_values() && keeps_values()) code.push_back(ir::Free{parameter_.values});  // moved along, but nobody's
  return ir::block(code);
}

ir::Stmt ResultAssembly::write_elsewhere(const concrete::Access& lhs, const Scope& scope,
                                         const std::function<ir::Expr(const ir::Expr&)>& value) const {
  if (!writes_values()) return {};
  internal_check(!last_append(), "lower", "a level that is appended to is reached out of order", tensor().name());
  ir::Expr position = ir::integer(0);
  std::vector<ir::Expr> positions;
  std::vector<IndexVar> vars = concrete::level_vars(lhs);
  for (int l = 0; l < order(); l++) {
    position = format(l)
                   .insert()
                   ->insert(parameter_.levels[l], position, scope.coordinates.at(vars[l]), true,
                            [](const ir::Expr&) { return ir::Stmt(); })
                   .position;
    positions.push_back(position);
  }
  ir::Var at = ir::int64_var("p" + parameter_.levels.back().name);
  ir::Stmt store = ir::store(parameter_.values, at, value(ir::Load{parameter_.values, at}));
  if (positions.back() == position) positions.back() = at;
  return ir::block(
      {ir::declare(at, position), insert_all(positions, lhs, scope, store, value(ir::constant(tensor().fill())))});
}

ir::Stmt ResultAssembly::write(const Write& component) const {
  const auto& [lhs, scope, op, own, value, whole] = component;
  if (placement_) return place(lhs, scope, value(ir::constant(tensor().fill())));
  if (counted_) return write_counted(lhs, scope, value);
  if (lhs.indices != lhs_.indices) return write_elsewhere(lhs, scope, value);
  ir::Expr position = order() == 0 ? ir::integer(0) : scope.result_positions.at({tensor(), order() - 1});
  std::vector<ir::Stmt> code;
  std::optional<int> level = last_append();
  bool appends = level && *level == order() - 1;
  internal_check(!appends || !op, "lower", "accumulation into a level that is appended to", tensor().name());
  if (level && !appends && !whole) code.push_back(open_block());
  code.push_back(note_node(scope));
  if (source_ && !notes_nodes() && !is_shared(order() - 1))
    code.push_back(ir::assign(block_stored_, ir::boolean(true)));
  if (appends && writes_values()) code.push_back(check_limit(values_limit_, ir::add(position, ir::integer(1))));
  if (writes_values())
    code.push_back(ir::store(parameter_.values, position, value(ir::Load{parameter_.values, position})));
  if (appends) code.push_back(append_node(*level, scope));
  std::vector<ir::Expr> positions;
  for (int l = 0; l < order(); l++) positions.push_back(scope.result_positions.at({tensor(), l}));
  return insert_all(positions, lhs, scope, ir::block(code), value(ir::constant(tensor().fill())));
}

}  // namespace filigree::lowering
