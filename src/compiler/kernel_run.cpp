// One call of a kernel that is prepared: the member of the family runs, and what it made becomes a tensor.
#include <cstring>

#include <fmt/format.h>

#include "compiler/kernel_family.h"
#include "compiler/memory_error.h"
#include "compiler/race_error.h"
#include "compiler/views.h"
#include "support/large_stack.h"
#include "tensor/size.h"

namespace filigree {

std::string Kernel::Family::activity(const Call& call) const {
  std::string dimensions =
      call.result_dimensions.empty() ? "" : fmt::format(" ({})", describe_dimensions(call.result_dimensions));
  return fmt::format("computing '{}'{}", result().name(), dimensions);
}

/// Where a schedule says that races do not matter, whoever sees one says so.
ir::Status Kernel::Family::run_member(const compiler::Executable& executable, std::vector<ir::TensorView>& views,
                                      compiler::MemoryLimit& limit) const {
  try {
    return executable.run(views, limit);
  } catch (const ir::RaceError&) {
    if (std::optional<UserError> error = compiler::ignored_race(program)) throw std::move(*error);
    throw;
  }
}

bool Kernel::Family::execute(lowering::Mode mode, const Call& call, ir::TensorView& result_view,
                             compiler::MemoryLimit limit) {
  const compiler::Executable& executable = member_for(mode, call);
  std::vector<ir::TensorView> views = {result_view};
  for (const AnyTensor* operand : call.operands) views.push_back(compiler::view(*operand));
  ir::Status status = run_member(executable, views, limit);
  if (limit.exceeded || status == ir::Status::DoesNotFit) return false;
  if (status == ir::Status::PatternMismatch && share_patterns)
    return with_own_pattern().execute(mode, call, result_view, limit);
  if (status == ir::Status::PatternMismatch) throw pattern_mismatch();
  if (status != ir::Status::Ok) {
    MemberKey chosen = key(mode, call);
    throw compiler::out_of_memory(
        activity(call), on_large_stack([&] { return planned(chosen, pipeline_options(chosen)); }), limit.refused);
  }
  result_view = views[0];
  return true;
}

AnyTensor Kernel::Family::adopt(const Call& call, const ir::TensorView& made, bool has_values) const {
  AnyTensor tensor = compiler::adopt(made, call.result_dimensions, result(), made_format(), has_values);
  tensor.check_full(result().name());
  return tensor;
}

bool Kernel::Family::is_watched(const Call& call) const {
  return !options.force && can_be_out_of_proportion(call.result_dimensions, made_format(), result().type());
}

AnyTensor Kernel::Family::run(const Call& call) {
  if (is_watched(call)) return run_watched(call);
  ir::TensorView made = empty_result(call);
  return execute(lowering::Mode::Grow, call, made) ? finished(adopt(call, made, true)) : run_sparse(call);
}

AnyTensor Kernel::Family::run_sparse(const Call& call) {
  return in_sparse_format().run(call).converted(statement.lhs.tensor.format(), result().name(), options.force);
}

AnyTensor Kernel::Family::finished(AnyTensor made) const {
  if (!program.made) return made;  // moved: a conditional expression would copy every array
  return made.converted(statement.lhs.tensor.format(), result().name(), options.force);
}

AnyTensor Kernel::Family::run_watched(const Call& call) {
  std::int64_t entries = 0;
  for (const AnyTensor* operand : call.operands) entries += operand->stored();
  double most = proportionate_bytes(result().type(), static_cast<int>(call.result_dimensions.size()), entries);
  // Arrays grow by doubling, so those that stay in proportion ask for less than twice as much.
  compiler::MemoryLimit limit{static_cast<std::int64_t>(std::min(2 * most, 0x1p62))};
  ir::TensorView made = empty_result(call);
  bool is_done = options.target != compiler::Target::Interpret && execute(lowering::Mode::Grow, call, made, limit);
  if (is_done) {
    AnyTensor result = adopt(call, made, true);
    if (static_cast<double>(result.values().count()) * position_bytes(made_format(), this->result().type()) <= most)
      return finished(std::move(result));
  }
  return run_sparse(call);
}

void Kernel::Family::copy_values(const AnyTensor& from, AnyTensor& to) const {
  bool same = from.values().count() == to.values().count();
  for (size_t level = 0; same && level < from.level_arrays().size(); level++) {
    for (size_t a = 0; same && a < from.level_arrays()[level].size(); a++)
      same = from.level_arrays()[level][a] == to.level_arrays()[level][a];
  }
  if (!same) throw pattern_mismatch();
  if (from.values().count() > 0)
    std::memcpy(to.values().data(), from.values().data(), static_cast<size_t>(from.values().bytes()));
}

UserError Kernel::Family::pattern_mismatch() const {
  return UserError(fmt::format("'{}' does not have the pattern that these operands give", result().name()))
      .hint(pattern_depends_on_values() ? "which components it stores depends on values; use run()"
                                        : "make it with assemble() on operands with the same patterns");
}

ir::TensorView Kernel::Family::empty_result(const Call& call) const {
  size_t count = 1;
  for (const Level& level : result().format().levels()) count += level.format->arrays().size();
  return {call.result_dimensions, std::vector<ir::ArrayView>(count)};
}

}  // namespace filigree
