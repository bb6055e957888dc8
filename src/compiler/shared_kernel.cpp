// Results are dense or scalars, so that a kernel makes nothing but their values; members differ in the widths of operands' arrays alone.
#include "compiler/shared_kernel.h"

#include <algorithm>
#include <mutex>

#include <fmt/format.h>

#include "compiler/views.h"
#include "notation/assignment.h"
#include "support/check.h"
#include "tensor/size.h"

namespace filigree::compiler {
namespace {

/// Plain assignments whose left tensors are no operands, and in `old_values` what the operands are that stand for them.
std::vector<notation::Statement> with_old_tensors(const std::vector<notation::Statement>& statements, std::map<std::string, std::string>& old_values) {
  FreshNames taken;
  for (const notation::Statement& statement : statements) {
    taken.use(statement.lhs.tensor.name());
    for (const notation::Access& access : notation::accesses(statement.rhs)) taken.use(access.tensor.name());
    for (const IndexVar& var : notation::index_vars(statement)) taken.use(var.name());
  }
  std::vector<notation::Statement> apart;
  for (const notation::Statement& statement : statements) {
    notation::Statement assigned = notation::as_assignment(statement);
    apart.push_back(notation::with_old_tensor(assigned, taken));
    std::vector<notation::Access> before = notation::accesses(assigned.rhs), after = notation::accesses(apart.back().rhs);
    for (size_t n = 0; n < before.size(); n++) {
      if (before[n].tensor.name() == after[n].tensor.name()) continue;
      old_values[after[n].tensor.name()] = before[n].tensor.name();
      taken.use(after[n].tensor.name());
    }
  }
  return apart;
}

}  // namespace

struct SharedKernel::Family {
  Family(const std::vector<notation::Statement>& s, std::map<std::string, std::string> old, const KernelOptions& o, concrete::Program p)
      : statements(s), old_values(std::move(old)), options(o), program(std::move(p)) {}

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

  /// The argument for an operand of the program.
  const Tensor& argument(const TensorVar& operand, const Arguments& arguments) const {
    auto old = old_values.find(operand.name());
    const std::string& name = old == old_values.end() ? operand.name() : old->second;
    auto found = std::find_if(arguments.begin(), arguments.end(), [&](const Argument& a) { return a.name == name; });
    internal_check(found != arguments.end(), "run", "an operand is missing", name);
    return *found->tensor;
  }

  std::vector<notation::Statement> statements;
  std::map<std::string, std::string> old_values;  // what an operand is the old value of: u for u_old
  KernelOptions options;
  concrete::Program program;
  std::mutex mutex;
  std::map<std::vector<lower::ArrayTypes>, std::unique_ptr<const Executable>> members;
};

std::optional<SharedKernel> SharedKernel::compile(const std::vector<notation::Statement>& statements, const KernelOptions& options) {
  std::map<std::string, std::string> old_values;
  std::vector<notation::Statement> apart = with_old_tensors(statements, old_values);
  PipelineOptions how;
  how.observer = options.observer;
  std::optional<concrete::Program> program = plan_together(apart, how);
  if (!program) return std::nullopt;
  return SharedKernel(std::make_shared<Family>(apart, std::move(old_values), options, std::move(*program)));
}

std::vector<Tensor> SharedKernel::run(const Arguments& operands, const std::vector<Extents>& extents) const {
  const concrete::Program& program = family_->program;
  std::vector<lower::ArrayTypes> types(program.results.size());
  std::vector<ir::TensorView> views;
  for (size_t n = 0; n < program.results.size(); n++) views.push_back(family_->empty_result(family_->statements[n], extents[n]));
  for (const TensorVar& operand : program.operands) {
    const Tensor& argument = family_->argument(operand, operands);
    types.push_back(array_types(argument));
    views.push_back(view(argument));
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
