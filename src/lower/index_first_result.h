// Rows of blocks, in two passes: which blocks there are, then what is in them.
//
//   for each row: insert the block of every component into the workspace; append all of them, in order, to the result
//   make room for their values, all zero
//   for each row: tell the workspace where its blocks are; store every component in its block
//
// So values are written once and stay where they are, and their memory is asked for once, when its size is known:
// through a workspace with values, each block would be zeroed, filled and copied, and the result would grow on the way.
#pragma once

#include "lower/appended_result.h"

namespace filigree::lowering {

class Workspace;

class IndexFirstResult : public AppendedResult {
 public:
  IndexFirstResult(const plan::IndexFirst& how, const ResultOf& of);

  std::optional<ir::Stmt> run(Lowerer& lowerer, const plan::Stmt& loops, const Scope& scope) override;

 private:
  class BlockWriter;

  /// Values wait until all nodes are there.
  ir::Stmt make_block(bool) const override { return {}; }

  /// Between the passes: every component holds the fill, which is zero.
  ir::Stmt allocate_blocks() const { return ir::Alloc{values(), value_count(), true}; }
  /// The workspace gets the position of each block below the parent the loops are at.
  ir::Stmt tell_positions(const Workspace& workspace, const Scope& scope) const;
  /// Stores a value below the block at `position`.
  ir::Stmt write_below(const ir::Expr& position, const Write& component) const;

  TensorVar workspace_;
};

}  // namespace filigree::lowering
