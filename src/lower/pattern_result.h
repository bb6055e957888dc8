// A result with the pattern of an operand (concrete/shared_pattern.h): its index is copied before anything is computed,
// and values go where the operand has its own.
//
//   A csr, with the pattern of B:    A2_size = B2_pos[i_size],  A2_pos = B2_pos,  A2_crd = B2_crd,  and then
//   A_vals[pB2] = ... in any order
#pragma once

#include <map>

#include "lower/level_result.h"

namespace filigree::lowering {

class PatternResult : public LevelResult {
 public:
  PatternResult(const plan::PatternOf& how, const ResultOf& of);

  ir::Stmt prologue() const override;
  ir::Stmt epilogue() const override;
  ir::Stmt before_body(const LoopBody& body, Scope& inside) const override;
  ir::Stmt after_body(const LoopBody& body, const Scope& inside) const override;
  bool needs_value() const override;
  ir::Stmt write(const Write& component) const override;

 private:
  bool is_inserted(int level) const override { return level >= how_.levels; }
  bool is_shared(int level) const { return !is_inserted(level); }
  ir::Expr size(int level) const override;
  std::optional<ir::Expr> own_position(int level, const Scope& scope) const override;

  /// Does something have to be stored below each node that loops over this variable come to?
  bool needs_component_in(const IndexVar& var) const;
  /// Where the loops are, something is stored.
  ir::Stmt note_node(const Scope& scope) const;
  ir::Stmt copy_index() const;

  plan::PatternOf how_;
  std::vector<level::Instance> operand_;  // its levels
  ir::Var threads_;
  bool accumulates_;
  std::map<int, ir::Var> sizes_;  // of levels that are copies, unless their size follows from the level above
  ir::Var stored_ = ir::bool_var("stored");  // has anything been stored below the node of the last of these?
  ir::Var noted_;                            // by node of the last of these, if that is noted: the same
};

}  // namespace filigree::lowering
