// A result whose last level takes nodes in any order: in one pass they are counted, in the other each goes where it
// belongs.
//
//   A(i,j) = B(i,j), A csr, B csc      A2_pos[i + 1]++
//                                      sums of these; arrays
//                                      p = A2_pos[i]++;  A2_crd[p] = j;  A_vals[p] = ...
#pragma once

#include "lower/level_result.h"
#include "lower/two_passes.h"

namespace filigree::lowering {

class PlacedResult : public LevelResult, public TwoPasses {
 public:
  PlacedResult(const plan::Placed& how, const ResultOf& of);

  ir::Stmt prologue() const override { return placement_.init(); }
  std::optional<ir::Stmt> run(Lowerer& lowerer, const plan::Stmt& loops, const Scope& scope) override;
  ir::Stmt write(const Write& component) const override;

  ir::Stmt count(const Write& component) const override;
  ir::Stmt between_passes() const override { return placement_.make_room(); }
  ir::Stmt finish_passes() const override;
  Placement* placement() override { return &placement_; }

 private:
  bool is_inserted(int level) const override { return level < order() - 1; }
  ir::Expr size(int level) const override;
  /// Are there values on the way, if only to be sorted along with coordinates?
  bool keeps_values() const;

  plan::Placed how_;
  Placement placement_;
};

}  // namespace filigree::lowering
