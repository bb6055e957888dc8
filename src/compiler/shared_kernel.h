// One kernel for several statements that share their loops, with a result for each.
#pragma once

#include "compiler/kernel.h"

namespace filigree::compiler {

class SharedKernel {
 public:
  /// Nothing if the statements share no loops: concrete/share_loops.h says which do.
  /// Requires: linked statements (notation/program.h) that read nothing of each other and assign different tensors; no
  /// schedule.
  static std::optional<SharedKernel> compile(const std::vector<notation::Statement>& statements,
                                             const KernelOptions& options);

  /// The result of each statement.  `extents`: of its index variables and of its dimensions, by name.
  std::vector<AnyTensor> run(const Arguments& operands, const std::vector<Extents>& extents) const;

  const concrete::Program& program() const;
  ir::FunctionDef function(const std::string& name) const;

 private:
  struct Family;
  explicit SharedKernel(std::shared_ptr<Family> family) : family_(std::move(family)) {}
  std::shared_ptr<Family> family_;
};

}  // namespace filigree::compiler
