#include "compiler/kernel.h"

#include "compiler/kernel_family.h"
#include "concrete/written.h"
#include "notation/canonical_names.h"
#include "support/forked.h"
#include "support/large_stack.h"

namespace filigree {

Kernel Kernel::compile(const notation::Statement& statement, const KernelOptions& options) {
  return on_large_stack([&] {
    notation::check_tensor_names({statement});
    if (!options.schedule.empty())
      return of_checked(statement, options);  // which has index variables by the names that they have
    notation::CanonicalNames canonical = notation::with_canonical_names({statement});
    Kernel kernel = of_checked(canonical.statements[0], options);
    kernel.family_->written_names = canonical.names;
    return kernel;
  });
}

Kernel Kernel::compile(const concrete::Written& loops, const std::map<std::string, TensorVar>& tensors,
                       const KernelOptions& options) {
  KernelOptions how = options;
  how.make_loops = [loops](const notation::Statement& statement) { return loops.loops_for(statement); };
  return compile(loops.statement(tensors), how);
}

Kernel Kernel::of_checked(const notation::Statement& statement, const KernelOptions& options) {
  Inside inside;
  return on_large_stack([&] {
    notation::check(statement);
    return Kernel(std::make_shared<Family>(statement, options));
  });
}

AnyTensor Kernel::run(const Arguments& operands, const Extents& extents) const {
  Inside inside;
  Family& family = family_->for_arguments(operands);
  Family::Call call = family.prepare(operands, extents);
  if (std::optional<AnyTensor> result = family.run_way(call)) return std::move(*result);
  return family.naming(call, [&] { return family.run(call); });
}

AnyTensor Kernel::assemble(const Arguments& operands, const Extents& extents) const {
  Inside inside;
  Family& family = family_->for_arguments(operands);
  Family::Call call = family.prepare(operands, extents);
  if (!family.has_all_modes() || family.is_watched(call)) {
    AnyTensor result = family.run(call);
    for (std::int64_t p = 0; p < result.values().count(); p++) result.values().set(p, result.fill());
    return result;
  }
  ir::TensorView result = family.empty_result(call);
  family.execute(lowering::Mode::Pattern, call, result);
  return family.naming(call, [&] { return family.adopt(call, result, false); });
}

void Kernel::compute(AnyTensor& result, const Arguments& operands) const {
  Inside inside;
  Family& family = family_->for_arguments(operands);
  Family::Call call = family.prepare_given(result, operands);
  if (!family.has_all_modes()) {
    call.given = nullptr;
    family.copy_values(family.run(call), result);
    return;
  }
  ir::TensorView made = compiler::view(result);
  family.execute(lowering::Mode::Values, call, made);
}

bool Kernel::update(AnyTensor& result, const Arguments& operands) const {
  Inside inside;
  Family& family = *family_;
  if (!family.written.op)
    throw UserError(fmt::format("'{}' is assigned, not updated", family.result().name()))
        .hint("write +=, or another assignment that starts from the old value");
  if (family.in_place) {
    Family::Call call = family.prepare_given(result, operands);
    ir::TensorView made = compiler::view(result);
    family.execute(lowering::Mode::Update, call, made);
    return true;
  }
  Arguments with_old = operands;
  with_old.emplace_back(family.written.lhs.tensor, result);
  if (notation::updates_part(family.declared)) {
    result = family.part_update().run(with_old).at(family.written.lhs.tensor.name());
  } else {
    result = run(with_old, family.extents_of(result));
  }
  return false;
}

const concrete::Program& Kernel::program() const { return family_->program; }
const notation::Statement& Kernel::statement() const { return family_->declared; }

ir::FunctionDef Kernel::function(lowering::Mode mode, const std::string& name, const Arguments& operands,
                                 const Extents& extents) const {
  Inside inside;
  return on_large_stack([&] { return family_->for_arguments(operands).lowered(mode, name, operands, extents); });
}

std::string Kernel::c_text(lowering::Mode mode, const emit::EmitOptions& options, const Arguments& operands,
                           const Extents& extents) const {
  compiler::check_units(program());
  return on_large_stack([&] { return compiler::emit(function(mode, "kernel", operands, extents), options); });
}

}  // namespace filigree
