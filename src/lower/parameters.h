// The parameters of a lowered function: index variable extents and the tensors' arrays.
#pragma once

#include <map>

#include "level/level_format.h"
#include "lower/lower.h"

namespace filigree::lowering {

/// A tensor that is a parameter, as code sees it.
struct TensorParameter {
  int number = 0;  // among the function's tensors
  std::vector<level::Instance> levels;
  ir::Var values;
};

class Parameters {
 public:
  Parameters(const plan::Plan& plan, const Options& options);

  const ir::Expr& extent(const IndexVar& var) const { return extents_.at(var); }
  /// The lowest coordinate of a variable.
  ir::Expr origin(const IndexVar& var) const;
  /// Extents that follow from others: before everything else.
  ir::Stmt setup() const { return ir::block(setup_); }
  const TensorParameter& tensor(const TensorVar& tensor) const { return tensors_.at(tensor); }
  bool has(const TensorVar& tensor) const { return tensors_.count(tensor) > 0; }

  /// How many components the operands that have gaps store together: a first guess for the room results need.
  const ir::Expr& stored() const { return stored_; }

  /// Extents and all arrays of operands, in tensor order.
  std::vector<ir::Parameter> inputs() const { return inputs_; }
  /// The parameter for one array of a tensor; the values come after all level arrays.
  static ir::Parameter array(const TensorParameter& tensor, int number, const ir::Var& var, ir::Direction direction);

 private:
  TensorParameter make(const TensorVar& tensor, const std::vector<IndexVar>& indices, int number,
                       const ArrayTypes& types) const;

  /// The arrays of the whole tensor, and the extents of the window.
  TensorParameter make_window(const TensorVar& window, const std::vector<IndexVar>& indices,
                              const TensorParameter& whole) const;

  void derive_extents(const concrete::Environment& environment);

  std::map<IndexVar, ir::Expr> extents_, origins_;
  std::vector<ir::Stmt> setup_;
  std::map<TensorVar, TensorParameter> tensors_;
  std::vector<ir::Parameter> inputs_;
  ir::Expr stored_ = ir::integer(0);
};

}  // namespace filigree::lowering
