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

/// Is this one loop or more around a workspace with a row of blocks, which are copied to the result?
std::optional<Lowerer::BlockRows> Lowerer::as_block_rows(const concrete::Forall& forall) {
  if (const concrete::Forall* inner = forall.body.as<concrete::Forall>()) return as_block_rows(*inner);
  const concrete::Where* where = forall.body.as<concrete::Where>();
  const concrete::Assign* copy = where ? only_assign(where->consumer) : nullptr;
  const concrete::Access* source = copy ? copy->rhs.as<concrete::Access>() : nullptr;
  if (!source || !copies_whole_nodes(*copy)) return std::nullopt;
  ResultAssembly* r = result(copy->lhs.tensor);
  const concrete::Assign& write = *some_assign(where->producer);
  bool is_row = r->can_fill_after_index() && write.lhs.tensor == source->tensor &&
                source->tensor.order() == copy->lhs.tensor.order() - *r->last_append();
  bool starts_at_zero = !write.op || identity(*write.op, source->tensor.type())->is_zero();
  if (!is_row || !starts_at_zero || !workspace(write, Scope()).takes_positions()) return std::nullopt;
  return BlockRows{r, source->tensor};
}

ir::Stmt Lowerer::lower_index_first(const plan::Stmt& loops, const Scope& scope, const BlockRows& rows) {
  rows.result->fill_after_index();
  workspaces_.at(rows.workspace)->keep_nodes_only();
  block_rows_ = rows;
  ir::Stmt index = lower_loop(loops, scope);
  block_rows_->has_index = true;
  ir::Stmt values = lower_loop(loops, scope);
  block_rows_.reset();
  return ir::block({index, rows.result->allocate_blocks(), values});
}

ir::Stmt Lowerer::fill_blocks(const plan::Body& producer, const Scope& scope) {
  const TensorVar& workspace = block_rows_->workspace;
  const level::Format& blocks = *workspace.format().levels()[0].format;
  ir::Stmt positions = block_rows_->result->for_each_node(scope, [&](const level::Node& node) {
    return *blocks.insert()->set_position(instance(workspace, 0), node.coordinate, node.position);
  });
  return ir::block({positions, lower_side(producer, scope).code});
}

ir::Stmt Lowerer::write_in_block(const concrete::Access& lhs, const Scope& scope,
                                 const std::function<ir::Expr(const ir::Expr&)>& value) const {
  const ir::Expr& coordinate = scope.coordinates.at(concrete::level_vars(lhs)[0]);
  if (!block_rows_->has_index) return ir::block(workspaces_.at(lhs.tensor)->insert_node(coordinate).setup);
  level::Node block =
      lhs.tensor.format().levels()[0].format->locate()->locate(instance(lhs.tensor, 0), ir::integer(0), {coordinate});
  std::vector<ir::Stmt> code = block.setup;
  code.push_back(block_rows_->result->write_below(block.position, scope, value));
  return ir::block(code);
}

}  // namespace filigree::lowering
