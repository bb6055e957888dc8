// Rows of blocks, in two passes: which blocks there are, then what is in them.
//
//   for each row: insert the block of every component into the workspace; append all of them, in order, to the result
//   make room for their values, all zero
//   for each row: tell the workspace where its blocks are; store every component in its block
//
// So values are written once and stay where they are, and their memory is asked for once, when its size is known:
// through a workspace with values, each block would be zeroed, filled and copied, and the result would grow on the way.
#include "lower/lowerer.h"
#include "support/check.h"

namespace filigree::lowering {
namespace {

/// In the first pass, components only say which blocks there are.
class NodeWriter : public Writer {
 public:
  explicit NodeWriter(const Workspace& workspace) : workspace_(workspace) {}
  ir::Stmt write(const Write& component) const override {
    const ir::Expr& coordinate = component.scope.coordinates.at(concrete::level_vars(component.lhs)[0]);
    return ir::block(workspace_.insert_node(coordinate).setup);
  }

 private:
  const Workspace& workspace_;
};

/// Values come later, and from elsewhere.
class NoWriter : public Writer {
 public:
  ir::Stmt write(const Write&) const override { return {}; }
};

/// In the second pass, the workspace tells where the block of a component is.
class BlockWriter : public Writer {
 public:
  BlockWriter(const Workspace& workspace, const ResultAssembly& result) : workspace_(workspace), result_(result) {}
  ir::Stmt write(const Write& component) const override {
    const ir::Expr& coordinate = component.scope.coordinates.at(concrete::level_vars(component.lhs)[0]);
    const level::Format& blocks = *component.lhs.tensor.format().levels()[0].format;
    level::Node block = blocks.locate()->locate(workspace_.level(0), ir::integer(0), {coordinate});
    std::vector<ir::Stmt> code = block.setup;
    code.push_back(result_.write_below(block.position, component.scope, component.value));
    return ir::block(code);
  }

 private:
  const Workspace& workspace_;
  const ResultAssembly& result_;
};

}  // namespace

ir::Stmt Lowerer::lower_index_first(const plan::Stmt& loops, const Scope& scope, ResultAssembly& result,
                                    const TensorVar& temporary) {
  const concrete::Assign* first = nullptr;
  concrete::for_each(loops.what(), [&](const concrete::Stmt& s) {
    const concrete::Assign* assign = s.as<concrete::Assign>();
    if (!first && assign && assign->lhs.tensor == temporary) first = assign;
  });
  Workspace& workspace = this->workspace(*first, scope);
  result.fill_after_index();
  workspace.keep_nodes_only();
  NodeWriter nodes(workspace);
  BlockWriter components(workspace, result);
  NoWriter none;
  Scope index = scope, values = scope;
  index.writers = {{temporary, &nodes}, {result.tensor(), &none}};
  values.writers = {{temporary, &components}};
  WhereRunner fill = [&](const plan::Where& where, const Scope& here) {
    const level::Format& blocks = *temporary.format().levels()[0].format;
    ir::Stmt positions = result.for_each_node(here, [&](const level::Node& node) {
      return *blocks.insert()->set_position(workspace.level(0), node.coordinate, node.position);
    });
    return ir::block({positions, lower_side(where.producer, here).code});
  };
  values.wheres[temporary] = &fill;
  ir::Stmt blocks = lower_loop(loops, index);
  return ir::block({blocks, result.allocate_blocks(), lower_loop(loops, values)});
}

}  // namespace filigree::lowering
