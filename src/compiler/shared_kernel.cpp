// Results are dense or scalars, so that a kernel makes nothing but their values; members differ in the widths of operands' arrays alone.
#include "compiler/shared_kernel.h"

#include <algorithm>
#include <mutex>

#include <fmt/format.h>

#include "compiler/views.h"
#include "support/check.h"
#include "tensor/size.h"

namespace filigree::compiler {

struct SharedKernel::Family {
  Family(const std::vector<notation::Statement>& s, const KernelOptions& o, concrete::Program p)
      : statements(s), options(o), program(std::move(p)) {}

  ir::FunctionDef function(const std::vector<lower::ArrayTypes>& types, const std::string& name) const {
    PipelineOptions how;
    how.function_name = name;
    how.array_types = types;
    how.observer = options.observer;
    return generate(program, how);
  }

  const Executable& member(const std::vector<lower::ArrayTypes>& types) {
    std::lock_guard lock(mutex);
    auto& executable = members[types];
    if (!executable) executable = make_executable(function(types, "kernel"), options);
    return *executable;
  }

  /// A result without its values.
  ir::TensorView empty_result(const notation::Statement& statement, const Extents& extents) const {
    const TensorVar& tensor = statement.lhs.tensor;
    ir::TensorView view{{}, std::vector<ir::ArrayView>(1)};
    for (size_t d = 0; d < statement.lhs.indices.size(); d++) view.dimensions.push_back(extents.at(fmt::format("{}.{}", tensor.name(), d + 1)));
    check_shape(view.dimensions, tensor.format(), tensor.name());
    check_storage_fits(view.dimensions, tensor.format(), tensor.type(), 0, tensor.name());
    return view;
  }

  std::vector<notation::Statement> statements;
  KernelOptions options;
  concrete::Program program;
  std::mutex mutex;
  std::map<std::vector<lower::ArrayTypes>, std::unique_ptr<const Executable>> members;
};

std::optional<SharedKernel> SharedKernel::compile(const std::vector<notation::Statement>& statements, const KernelOptions& options) {
  PipelineOptions how;
  how.observer = options.observer;
  std::optional<concrete::Program> program = plan_together(statements, how);
  if (!program) return std::nullopt;
  return SharedKernel(std::make_shared<Family>(statements, options, std::move(*program)));
}

std::vector<Tensor> SharedKernel::run(const Arguments& operands, const std::vector<Extents>& extents) const {
  const concrete::Program& program = family_->program;
  std::vector<lower::ArrayTypes> types(program.results.size());
  std::vector<ir::TensorView> views;
  for (size_t n = 0; n < program.results.size(); n++) views.push_back(family_->empty_result(family_->statements[n], extents[n]));
  for (const TensorVar& operand : program.operands) {
    auto argument = std::find_if(operands.begin(), operands.end(), [&](const Argument& a) { return a.name == operand.name(); });
    internal_check(argument != operands.end(), "run", "an operand is missing", operand.name());
    types.push_back(array_types(*argument->tensor));
    views.push_back(view(*argument->tensor));
  }
  MemoryLimit limit;
  ir::Status status = family_->member(types).run(views, limit);
  if (status != ir::Status::Ok) throw UserError(fmt::format("Memory ran out while computing '{}'", program.results[0].name()));
  std::vector<Tensor> results;
  for (size_t n = 0; n < program.results.size(); n++) {
    const TensorVar& result = program.results[n];
    std::vector<std::vector<Array>> levels(static_cast<size_t>(result.format().level_count()));  // dense levels have no arrays
    results.push_back(Tensor::from_kernel(views[n].dimensions, result.format(), std::move(levels), take(views[n].arrays[0]),
                                          result.type(), result.fill()));
  }
  return results;
}

const concrete::Program& SharedKernel::program() const { return family_->program; }

ir::FunctionDef SharedKernel::function(const std::string& name) const {
  return family_->function(lower::uniform_array_types(family_->program, ElementType::Int32, ElementType::Int32), name);
}

}  // namespace filigree::compiler
