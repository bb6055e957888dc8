#include "lower/index_first_result.h"

#include "lower/insertion.h"
#include "lower/lowerer.h"

namespace filigree::lowering {
namespace {

/// In the first pass, components only say which blocks there are; values come later, and from elsewhere.
class NoWriter : public Writer {
 public:
  ir::Stmt write(const Write&) const override { return {}; }
};

}  // namespace

/// In the second pass, the workspace tells where the block of a component is.
class IndexFirstResult::BlockWriter : public Writer {
 public:
  BlockWriter(const Workspace& workspace, const IndexFirstResult& result) : workspace_(workspace), result_(result) {}
  ir::Stmt write(const Write& component) const override {
    const ir::Expr& coordinate = component.scope.coordinates.at(concrete::level_vars(component.lhs)[0]);
    const level::Format& blocks = *component.lhs.tensor.format().levels()[0].format;
    level::Node block = blocks.locate()->locate(workspace_.level(0), ir::integer(0), {coordinate});
    return ir::block({ir::block(block.setup), result_.write_below(block.position, component)});
  }

 private:
  const Workspace& workspace_;
  const IndexFirstResult& result_;
};

IndexFirstResult::IndexFirstResult(const plan::IndexFirst& how, const ResultOf& of)
    : AppendedResult({how.gaps}, of), workspace_(how.workspace) {
  values_room_.reset();
}

ir::Stmt IndexFirstResult::tell_positions(const Workspace& workspace, const Scope& scope) const {
  int level = last_append();
  const level::PositionIteration& nodes = *format(level).position_iteration();
  std::vector<ir::Expr> above;
  for (int l = 0; l < level; l++) above.push_back(scope.coordinates.at(vars_[static_cast<size_t>(l)]));
  level::Bounds bounds = nodes.bounds(instance(level), parent(level, scope));
  ir::Var cursor = ir::int64_var("p" + instance(level).name);
  level::Node node = nodes.access(instance(level), cursor, above);
  const level::Format& blocks = *workspace_.format().levels()[0].format;
  ir::Stmt tell = *blocks.insert()->set_position(workspace.level(0), node.coordinate, node.position);
  return ir::For{cursor, bounds.begin, bounds.end, ir::block({ir::block(node.setup), tell})};
}

ir::Stmt IndexFirstResult::write_below(const ir::Expr& position, const Write& component) const {
  std::vector<ir::Expr> coordinates;
  int first = last_append() + 1;
  for (int l = first; l < order(); l++)
    coordinates.push_back(component.scope.coordinates.at(vars_[static_cast<size_t>(l)]));
  InsertedPath path = insert_path(tensor(), parameter_.levels, {first, order(), position}, coordinates, true);
  return ir::block({ir::block(path.setup), store_value(component, path.positions.back())});
}

std::optional<ir::Stmt> IndexFirstResult::run(Lowerer& lowerer, const plan::Stmt& loops, const Scope& scope) {
  const concrete::Assign* first = nullptr;
  concrete::for_each(loops.what(), [&](const concrete::Stmt& s) {
    const concrete::Assign* assign = s.as<concrete::Assign>();
    if (!first && assign && assign->lhs.tensor == workspace_) first = assign;
  });
  const Workspace& workspace = lowerer.workspace(*first, scope);
  BlockWriter components(workspace, *this);
  NoWriter none;
  Scope index = scope, values = scope;
  index.writers = {{workspace_, &workspace}, {tensor(), &none}};
  values.writers = {{workspace_, &components}};
  WhereRunner fill = [&](const plan::Where& where, const Scope& here) {
    return ir::block({tell_positions(workspace, here), lowerer.lower_side(where.producer, here)});
  };
  values.wheres[workspace_] = &fill;
  ir::Stmt blocks = lowerer.lower_loop(loops, index);
  return ir::block({blocks, allocate_blocks(), lowerer.lower_loop(loops, values)});
}

}  // namespace filigree::lowering
