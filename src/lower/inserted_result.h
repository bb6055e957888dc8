// A result whose components come in any order: their positions follow from their coordinates.
//
//   y(i) += A(i,j) * x(j), y dense      y_vals = 0 ...        before all loops, or row by row where the loop comes to i
//                                       y_vals[i] += ...
#pragma once

#include "lower/level_result.h"

namespace filigree::lowering {

class InsertedResult : public LevelResult {
 public:
  InsertedResult(const plan::Inserted& how, const ResultOf& of) : LevelResult(of), cleared_in_(how.cleared_in) {}

  ir::Stmt prologue() const override;
  ir::Stmt at_coordinate(const IndexVar& var, const ir::Var& coordinate) const override;
  ir::Stmt write(const Write& component) const override;

 private:
  bool is_inserted(int) const override { return true; }

  std::optional<IndexVar> cleared_in_;  // values below a coordinate get the fill where this loop comes to it
};

}  // namespace filigree::lowering
