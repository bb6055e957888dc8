// Results are dense or scalars, so that a kernel makes nothing but their values; members differ in the widths of
// operands' arrays alone.
#include "compiler/shared_kernel.h"

#include <algorithm>
#include <mutex>

#include <fmt/format.h>

#include "compiler/memory_error.h"
#include "compiler/views.h"
#include "notation/extents.h"
#include "support/check.h"
#include "support/large_stack.h"
#include "support/text.h"
#include "tensor/size.h"

namespace filigree::compiler {

struct SharedKernel::Family {
  Family(const std::vector<notation::Statement>& s, const KernelOptions& o, SharedPlan plan)
      : statements(s), options(o), program(std::move(plan.program)), old_values(std::move(plan.old_values)) {}

  ir::FunctionDef function(const std::vector<lowering::ArrayTypes>& types, const std::string& name) const {
    PipelineOptions how;
    how.function_name = name;
    how.array_types = types;
    how.observer = options.observer;
    how.policy = options.policy.get();
    return generate(program, how);
  }

  const Executable& member(const std::vector<lowering::ArrayTypes>& types) {
    std::lock_guard lock(mutex);
    auto& executable = members[types];
    if (!executable) executable = on_large_stack([&] { return make_executable(function(types, "kernel"), options); });
    return *executable;
  }

  /// A result without its values.
  ir::TensorView empty_result(const notation::Statement& statement, const Extents& extents) const {
    const TensorVar& tensor = statement.lhs.tensor;
    ir::TensorView view{{}, std::vector<ir::ArrayView>(1)};
    for (size_t d = 0; d < statement.lhs.indices.size(); d++)
      view.dimensions.push_back(extents.at(notation::dimension_name(tensor, d)));
    check_shape(view.dimensions, tensor.format(), tensor.name());
    check_storage_fits(view.dimensions, tensor.format(), tensor.type(), 0, tensor.name());
    return view;
  }

  /// The argument for an operand of the program.
  const AnyTensor& argument(const TensorVar& operand, const Arguments& arguments) const {
    auto old = old_values.find(operand.name());
    const std::string& name = old == old_values.end() ? operand.name() : old->second;
    auto found = std::find_if(arguments.begin(), arguments.end(), [&](const Argument& a) { return a.name == name; });
    internal_check(found != arguments.end(), "run", "an operand is missing", name);
    return *found->tensor;
  }

  std::vector<notation::Statement> statements;
  KernelOptions options;
  concrete::Program program;
  std::map<std::string, std::string> old_values;  // as SharedPlan's
  std::mutex mutex;
  std::map<std::vector<lowering::ArrayTypes>, std::unique_ptr<const Executable>> members;
};

std::optional<SharedKernel> SharedKernel::compile(const std::vector<notation::Statement>& statements,
                                                  const KernelOptions& options) {
  for (const notation::Statement& statement : statements) {
    std::vector<notation::Access> all = notation::accesses(statement.rhs);
    // What is selected is found when a kernel of its own runs.
    if (std::any_of(all.begin(), all.end(), [](const notation::Access& access) { return access.tensor.selection(); }))
      return std::nullopt;
  }
  PipelineOptions how;
  how.observer = options.observer;
  how.policy = options.policy.get();
  std::optional<SharedPlan> plan = plan_together(statements, how);
  if (!plan) return std::nullopt;
  return SharedKernel(std::make_shared<Family>(statements, options, std::move(*plan)));
}

std::vector<AnyTensor> SharedKernel::run(const Arguments& operands, const std::vector<Extents>& extents) const {
  const concrete::Program& program = family_->program;
  std::vector<lowering::ArrayTypes> types(program.results.size());
  std::vector<ir::TensorView> views;
  for (size_t n = 0; n < program.results.size(); n++)
    views.push_back(family_->empty_result(family_->statements[n], extents[n]));
  for (const TensorVar& operand : program.operands) {
    const AnyTensor& argument = family_->argument(operand, operands);
    types.push_back(array_types(argument));
    views.push_back(view(argument));
  }
  MemoryLimit limit;
  ir::Status status = family_->member(types).run(views, limit);
  if (status != ir::Status::Ok) {
    std::vector<std::string> names;
    for (const TensorVar& result : program.results) names.push_back("'" + result.name() + "'");
    throw out_of_memory("computing " + join(names, ", "), program, limit.refused);
  }
  std::vector<AnyTensor> results;
  for (size_t n = 0; n < program.results.size(); n++) {
    const TensorVar& result = program.results[n];
    std::vector<std::vector<Array>> levels(
        static_cast<size_t>(result.format().level_count()));  // dense levels have no arrays
    results.push_back(AnyTensor::from_kernel(views[n].dimensions, result.format(), std::move(levels),
                                             take(views[n].arrays[0]), result.type(), result.fill()));
  }
  return results;
}

const concrete::Program& SharedKernel::program() const { return family_->program; }

ir::FunctionDef SharedKernel::function(const std::string& name) const {
  return family_->function(lowering::uniform_array_types(family_->program, ElementType::Int32, ElementType::Int32),
                           name);
}

}  // namespace filigree::compiler
