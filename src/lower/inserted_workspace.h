// A workspace whose components are inserted in any order, those that are there already found again.
//
//   w(j) += B(i,k) * C(k,j)       if (!w_here[j]) { w_here[j] = true;  w_list[w_count++] = j;  w[j] = 0 }
//                                 w[j] += ...
#pragma once

#include "lower/room.h"
#include "lower/workspace.h"

namespace filigree::lowering {

class InsertedWorkspace : public Workspace {
 public:
  InsertedWorkspace(const concrete::Assign& assign, const std::vector<Range>& ranges, const policy::Memory& memory);

  ir::Stmt fill(Lowerer& lowerer, const plan::Where& where, const Scope& scope) override;
  ir::Stmt write(const Write& component) const override;
  ir::Stmt finalize() const override;
  ir::Stmt clear() const override;
  ir::Stmt prologue() const override;

 protected:
  /// What levels need.
  ir::Stmt open_levels() const;

 private:
  /// Before the first insertion: components that are there from the start have no insertion to begin with.
  ir::Stmt begin() const;
  /// The component at these coordinates (one per level), inserted if it is not there.
  level::Node insert(const std::vector<ir::Expr>& coordinates) const;
  /// Is the number of positions of all levels decided by the extents?
  bool is_sized() const;
  ir::Stmt initialize_block(int level, const ir::Expr& position) const;

  std::optional<Scalar> start_;  // a new component before the first value is combined into it; none: overwritten
  bool written_once_ = false;    // by the producer that is lowered: no component comes twice
  Room room_;
};

/// Nodes of its first level and no values: these go to a result that has its index first (index_first_result.h).
class NodeWorkspace : public InsertedWorkspace {
 public:
  using InsertedWorkspace::InsertedWorkspace;

  /// Only says which nodes there are.
  ir::Stmt write(const Write& component) const override;
  ir::Stmt prologue() const override { return open_levels(); }
  ir::Stmt epilogue() const override { return free_levels(); }
};

}  // namespace filigree::lowering
