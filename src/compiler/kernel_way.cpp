// What a call of a kernel runs instead of the statement's own loops, if that is less work for operands of these sizes.
#include "compiler/kernel_family.h"
#include "compiler/tuned.h"
#include "compiler/way_program.h"
#include "support/large_stack.h"

namespace filigree {

autoschedule::KnownInputs Kernel::Family::known_inputs(const Call& call) const {
  autoschedule::KnownInputs out;
  out.extents = call.extents;
  for (size_t n = 0; n < call.operands.size(); n++)
    out.stored[operand_names[n]] = static_cast<double>(call.operands[n]->stored());
  return out;
}

const Program* Kernel::Family::way(const Call& call) {
  if (!has_ways) return nullptr;
  autoschedule::KnownInputs inputs = known_inputs(call);
  std::string bucket = compiler::bucket_of(inputs);
  std::lock_guard lock(mutex);
  auto known = ways.find(bucket);
  if (known == ways.end()) known = ways.emplace(bucket, on_large_stack([&] { return find_way(inputs); })).first;
  return known->second.get();
}

compiler::Ways Kernel::Family::find_ways(const autoschedule::KnownInputs& inputs) const {
  compiler::WayOptions how;
  how.worth = options.policy->other_ways();
  how.policy = options.policy.get();
  how.parallel = options.thread_count() > 1;
  return compiler::find_ways(statement, program, inputs, how);
}

std::unique_ptr<const Program> Kernel::Family::find_way(const autoschedule::KnownInputs& inputs) const {
  if (std::optional<compiler::Way> tuned = compiler::tuned_way(statement, inputs)) return program_of(*tuned);
  compiler::Ways found = find_ways(inputs);
  return found.takes_other ? program_of(found.others[0]) : nullptr;
}

std::unique_ptr<const Program> Kernel::Family::program_of(const compiler::Way& way) const {
  if (way.statements.empty()) return nullptr;  // its own loops
  try {
    return std::make_unique<const Program>(compiler::program_of(way, options));
  } catch (const UserError&) {  // the statement alone says what is wrong, if anything is
    return nullptr;
  }
}

std::optional<AnyTensor> Kernel::Family::run_way(const Call& call) {
  const Program* steps = way(call);
  if (!steps) return std::nullopt;
  Arguments arguments;
  for (size_t n = 0; n < call.operands.size(); n++) arguments.emplace_back(operand_names[n], *call.operands[n]);
  try {
    return std::move(steps->run(arguments).at(statement.lhs.tensor.name()));
  } catch (const UserError&) {  // a temporary may be too large
    return std::nullopt;
  }
}

}  // namespace filigree
