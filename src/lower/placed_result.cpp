#include "lower/placed_result.h"

#include "lower/insertion.h"
#include "lower/lowerer.h"

namespace filigree::lowering {

PlacedResult::PlacedResult(const plan::Placed& how, const ResultOf& of)
    : LevelResult(of),
      how_(how),
      placement_(tensor(), parameter_.levels, parent_count(order() - 1),
                 {arrays(order() - 1, ArrayDescription::IndexedBy::Position), values(), keeps_values()},
                 ir::int64_var(parameter_.levels.back().name + "_size"), how) {}

bool PlacedResult::keeps_values() const { return writes_values() || how_.sorts || how_.merges; }

ir::Expr PlacedResult::size(int level) const {
  return level == order() - 1 ? ir::Expr(placement_.size()) : LevelResult::size(level);
}

std::optional<ir::Stmt> PlacedResult::run(Lowerer& lowerer, const plan::Stmt& loops, const Scope& scope) {
  return lowerer.lower_two_passes(tensor(), *this, loops, scope);
}

ir::Stmt PlacedResult::count(const Write& component) const {
  return placement_.count(coordinates_of(component.lhs, component.scope));
}

ir::Stmt PlacedResult::write(const Write& component) const {
  level::Node node = placement_.place(coordinates_of(component.lhs, component.scope));
  ir::Stmt store;
  if (keeps_values()) store = ir::store(values(), node.position, component.value(ir::constant(tensor().fill())));
  return ir::block({ir::block(node.setup), store});
}

ir::Stmt PlacedResult::finish_passes() const {
  bool is_nobodys = !writes_values() && keeps_values();  // moved along
  return ir::block({placement_.tidy(), is_nobodys ? ir::Stmt(ir::Free{values()}) : ir::Stmt()});
}

}  // namespace filigree::lowering
