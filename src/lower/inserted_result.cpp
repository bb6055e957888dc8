#include "lower/inserted_result.h"

namespace filigree::lowering {

ir::Stmt InsertedResult::prologue() const {
  return ir::block({allocate_inserted(), open_values(cleared_in_.has_value())});
}

ir::Stmt InsertedResult::at_coordinate(const IndexVar& var, const ir::Var& coordinate) const {
  if (cleared_in_ != var) return {};
  ir::Expr row = block_size(0, order());
  return initialize_values(ir::multiply(coordinate, row), ir::multiply(ir::add(coordinate, ir::integer(1)), row));
}

ir::Stmt InsertedResult::write(const Write& component) const {
  if (component.lhs.indices != lhs_.indices) return insert_elsewhere(component, component.scope, order());
  ir::Expr position = order() == 0 ? ir::integer(0) : component.scope.result_positions.at({tensor(), order() - 1});
  return insert(component, store_value(component, position));
}

}  // namespace filigree::lowering
