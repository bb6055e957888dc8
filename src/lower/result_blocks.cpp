// Results whose index is made before their values: blocks below the innermost level that is appended to.
#include "lower/result.h"

namespace filigree::lowering {

void ResultAssembly::fill_after_index() {
  fills_after_index_ = true;
  values_room_.reset();
}

ir::Stmt ResultAssembly::allocate_blocks() const { return ir::Alloc{parameter_.values, value_count(), true}; }

ir::Stmt ResultAssembly::for_each_node(const Scope& scope,
                                       const std::function<ir::Stmt(const level::Node&)>& visit) const {
  int level = *last_append();
  const level::Instance& instance = parameter_.levels[level];
  const level::PositionIteration& nodes = *format(level).position_iteration();
  std::vector<ir::Expr> above;
  for (int l = 0; l < level; l++) above.push_back(scope.coordinates.at(vars_[l]));
  level::Bounds bounds = nodes.bounds(instance, parent(level, scope));
  ir::Var cursor = ir::int64_var("p" + instance.name);
  level::Node node = nodes.access(instance, cursor, above);
  std::vector<ir::Stmt> body = node.setup;
  body.push_back(visit(node));
  return ir::For{cursor, bounds.begin, bounds.end, ir::block(body)};
}

ir::Stmt ResultAssembly::write_below(const ir::Expr& position, const Scope& scope,
                                     const std::function<ir::Expr(const ir::Expr&)>& value) const {
  std::vector<ir::Stmt> code;
  ir::Expr at = position;
  for (int l = *last_append() + 1; l < order(); l++) {
    level::Node node = format(l).insert()->insert(parameter_.levels[l], at, scope.coordinates.at(vars_[l]), true,
                                                  [](const ir::Expr&) { return ir::Stmt(); });
    code.insert(code.end(), node.setup.begin(), node.setup.end());
    at = node.position;
  }
  code.push_back(ir::store(parameter_.values, at, value(ir::Load{parameter_.values, at})));
  return ir::block(code);
}

}  // namespace filigree::lowering
