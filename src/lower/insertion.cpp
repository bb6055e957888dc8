#include "lower/insertion.h"

namespace filigree::lowering {

level::Node insert_node(const level::Format& format, const level::Instance& level, const ir::Expr& parent,
                        const ir::Expr& coordinate, bool known_new) {
  return format.insert()->insert(level, parent, coordinate, known_new, [](const ir::Expr&) { return ir::Stmt(); });
}

InsertedPath insert_path(const TensorVar& tensor, const std::vector<level::Instance>& levels, const LevelRange& range,
                     const std::vector<ir::Expr>& coordinates, bool known_new) {
  InsertedPath path;
  ir::Expr position = range.parent;
  for (int l = range.begin; l < range.end; l++) {
    size_t n = static_cast<size_t>(l);
    const ir::Expr& coordinate = coordinates[static_cast<size_t>(l - range.begin)];
    level::Node node = insert_node(*tensor.format().levels()[n].format, levels[n], position, coordinate, known_new);
    path.setup.insert(path.setup.end(), node.setup.begin(), node.setup.end());
    position = node.position;
    path.positions.push_back(position);
  }
  return path;
}

std::vector<ir::Expr> coordinates_of(const concrete::Access& component, const Scope& scope) {
  std::vector<ir::Expr> coordinates;
  for (const IndexVar& var : concrete::level_vars(component)) coordinates.push_back(scope.coordinates.at(var));
  return coordinates;
}

ir::Expr differs(const ir::Expr& value, const Scalar& fill) {
  // NaN is no number equal to itself.
  return fill.is_nan() ? ir::equal(value, value) : ir::not_equal(value, ir::constant(fill));
}

}  // namespace filigree::lowering
