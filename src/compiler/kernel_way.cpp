// What a call of a kernel runs instead of the statement's own loops, if that is less work for operands of these sizes.
#include "compiler/kernel_family.h"
#include "compiler/tuned.h"
#include "compiler/way_program.h"
#include "support/large_stack.h"

namespace filigree {

autoschedule::KnownInputs Kernel::Family::known_inputs(const Call& call) const {
  autoschedule::KnownInputs out;
  out.extents = call.extents;
  std::map<std::string, const AnyTensor*> tensors;
  for (size_t n = 0; n < call.operands.size(); n++) {
    out.stored[operand_names[n]] = static_cast<double>(call.operands[n]->stored());
    tensors[operand_names[n]] = call.operands[n];
  }
  out.walks = std::make_shared<const autoschedule::Walks>(tensors);
  return out;
}

const Program* Kernel::Family::way(const Call& call) {
  if (!has_ways) return nullptr;
  // Tensors with the same memory have the same pattern, most probably: a choice is no more than that.
  std::vector<std::int64_t> likeness;
  for (const auto& [var, extent] : call.extents) likeness.push_back(extent);
  for (size_t n = 0; n < call.operands.size(); n++) {
    likeness.push_back(call.operands[n]->stored());
    if (operands[n].may_be_absent())
      likeness.push_back(static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(call.operands[n]->values().data())));
  }
  std::lock_guard lock(mutex);
  if (remembered_way && remembered_way->likeness == likeness) return remembered_way->program;
  autoschedule::KnownInputs inputs = known_inputs(call);
  std::string bucket = compiler::bucket_of(statement, inputs);
  auto known = ways.find(bucket);
  if (known == ways.end()) known = ways.emplace(bucket, on_large_stack([&] { return find_way(inputs); })).first;
  remembered_way = {std::move(likeness), known->second.get()};
  return known->second.get();
}

std::unique_ptr<const Program> Kernel::Family::find_way(const autoschedule::KnownInputs& inputs) const {
  if (std::optional<compiler::Way> tuned = compiler::tuned_way(statement, inputs)) return program_of(*tuned);
  compiler::WayOptions how;
  how.worth = options.policy->other_ways();
  how.policy = options.policy.get();
  how.parallel = options.thread_count() > 1;
  if (std::optional<compiler::Way> chosen = compiler::chosen_way(statement, inputs, how)) return program_of(*chosen);
  compiler::Ways found = compiler::find_ways(statement, program, inputs, how);
  compiler::Way taken = found.takes_other ? found.others[0] : compiler::Way();
  if (!found.others.empty()) compiler::keep_chosen(statement, inputs, how, taken);
  return program_of(taken);
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
