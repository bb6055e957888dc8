// A workspace whose last level takes nodes in any order, in two passes over the producer: in one they are counted, in
// the other each goes where it belongs.
//
//   w(i,j) = B(j,i)      w2_pos[i + 1]++
//                        sums of these; arrays
//                        p = w2_pos[i]++;  w2_crd[p] = j;  w[p] = ...
#pragma once

#include "lower/two_passes.h"
#include "lower/workspace.h"

namespace filigree::lowering {

class PlacedWorkspace : public Workspace, public TwoPasses {
 public:
  PlacedWorkspace(const plan::Placed& how, const concrete::Access& lhs, const std::vector<Range>& ranges);

  ir::Stmt fill(Lowerer& lowerer, const plan::Where& where, const Scope& scope) override;
  ir::Stmt write(const Write& component) const override;
  ir::Stmt prologue() const override { return placement_.init(); }

  ir::Stmt count(const Write& component) const override;
  ir::Stmt between_passes() const override { return placement_.make_room(); }
  ir::Stmt finish_passes() const override { return placement_.tidy(); }
  Placement* placement() override { return &placement_; }

 private:
  /// All that there is of the nodes of the last level.
  Placement::Kept kept() const;

  Placement placement_;
};

}  // namespace filigree::lowering
