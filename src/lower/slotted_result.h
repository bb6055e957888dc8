// A result with a slot for each entry of a row: in one pass entries are counted, in the other each takes the next slot.
//
//   A(i,j) = ..., A ell          A_counts[i]++
//                                A1_size = max of A_counts, which are 0 again
//                                s = A_counts[i]++;  A_crd[..s..] = j;  A_vals[..s..] = ...
#pragma once

#include "lower/level_result.h"
#include "lower/two_passes.h"

namespace filigree::lowering {

class SlottedResult : public LevelResult, public TwoPasses {
 public:
  SlottedResult(const plan::Slotted& how, const ResultOf& of);

  ir::Stmt prologue() const override;
  std::optional<ir::Stmt> run(Lowerer& lowerer, const plan::Stmt& loops, const Scope& scope) override;
  ir::Stmt write(const Write& component) const override;

  ir::Stmt count(const Write& component) const override;
  ir::Stmt between_passes() const override;
  ir::Stmt finish_passes() const override { return ir::Free{counts_}; }

 private:
  bool is_inserted(int) const override { return true; }
  int level_of_slots() const;
  int level_of(const IndexVar& var) const;

  IndexVar within_;  // entries with the same coordinate here are counted together
  int own_;          // its level
  int slots_;        // the level that has a slot for each entry
  ir::Var counts_;
};

}  // namespace filigree::lowering
