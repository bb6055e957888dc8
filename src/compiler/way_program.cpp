#include "compiler/way_program.h"

#include "support/large_stack.h"

namespace filigree::compiler {

Program program_of(const Way& way, const KernelOptions& options) {
  ProgramOptions how;
  static_cast<KernelOptions&>(how) = options;
  how.validate = Validate::Never;
  how.make_loops = way.statements.size() > 1 ? own_loops() : loops_of(way);
  if (!way.commands.empty()) how.schedule = schedule::parse(way.commands);
  for (const notation::Statement& statement : way.statements) how.stored.push_back(statement.lhs.tensor.name());
  how.outputs = {how.stored.back()};
  how.stored.pop_back();
  return Program::compile(way.statements, how);
}

bool may_choose(const KernelOptions& options, const notation::Statement& statement) {
  return options.automatic && !options.strict && !options.make_loops && options.schedule.empty() &&
         may_have_ways(statement);
}

MakeLoops own_loops() {
  return [](const notation::Statement&) -> std::optional<concrete::Program> { return std::nullopt; };
}

autoschedule::KnownInputs known_inputs(const notation::Statement& statement, const Arguments& operands) {
  autoschedule::KnownInputs out;
  std::map<std::string, const AnyTensor*> tensors;
  for (const notation::Access& access : notation::accesses(statement.rhs)) {
    for (const Argument& operand : operands) {
      if (operand.name != access.tensor.name()) continue;
      out.stored[operand.name] = static_cast<double>(operand.tensor->stored());
      tensors[operand.name] = operand.tensor;
      for (size_t d = 0; d < access.indices.size(); d++)
        out.extents[access.indices[d]] = operand.tensor->dimensions()[d];
    }
  }
  out.walks = std::make_shared<const autoschedule::Walks>(tensors);
  return out;
}

Ways ways_of(const Kernel& kernel, const Arguments& operands, const WayOptions& options) {
  if (!may_have_ways(kernel.statement())) return {{}, {}, false, "it has too few operands, or updates its result"};
  return on_large_stack([&] {
    return find_ways(kernel.statement(), kernel.program(), known_inputs(kernel.statement(), operands), options);
  });
}

}  // namespace filigree::compiler
