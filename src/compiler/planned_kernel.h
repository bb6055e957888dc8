// A kernel of a plan, such as one that a person changed: nothing is chosen any more.
//
//   PlannedKernel spmv = PlannedKernel::compile(plan::parse(text));
//   AnyTensor y = spmv.run({{"A", matrix}, {"x", vector}}).at("y");
//
// Plans are text that kernels print (plan/text.h).  Operands are given as they are stored outside of the plan, which
// `operands` tells.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "compiler/program.h"
#include "plan/plan.h"

namespace filigree {

class PlannedKernel {
 public:
  /// Throws UserError for a plan that cannot run: one that plan::find_mistake finds nothing wrong with, but that only
  /// makes a part of its results, or is for units that code cannot be generated for.  Of the options, those about
  /// plans have no effect.
  static PlannedKernel compile(const plan::Plan& plan, const KernelOptions& options = {});

  /// The results by name.  `extents` are those that no operand tells: of index variables, and of dimensions of results.
  std::map<std::string, AnyTensor> run(const Arguments& operands, const Sizes& sizes = {}) const;

  const plan::Plan& plan() const;
  /// As they are given and come out.
  const std::vector<TensorVar>& operands() const;
  const std::vector<TensorVar>& results() const;
  /// The lowered function; index arrays are int32 unless operands are given.
  ir::FunctionDef function(const std::string& name, const Arguments& operands = {}, const Sizes& sizes = {}) const;

 private:
  struct Made;
  explicit PlannedKernel(std::shared_ptr<Made> made) : made_(std::move(made)) {}
  std::shared_ptr<Made> made_;
};

}  // namespace filigree
