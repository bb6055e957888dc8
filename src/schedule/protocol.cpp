// protocol(tensor, variable, strategy): how the loop over `variable` reaches `tensor`.
//
// Requires: 1. `tensor` is read by the statement  2. with `variable` among its indices  3. no other protocol was asked
// for there.  That levels allow it is checked by lattice/strategy.h.
// Before and after: the same loops; Environment::protocols has one more request.  Where `tensor` is copied into the order
// of the loops, the request is about the copy, which is what the loops meet.
#include <algorithm>

#include <fmt/format.h>

#include "schedule/commands.h"
#include "support/text.h"

namespace filigree::schedule {
namespace {

[[noreturn]] void fail(UserError error, const Protocol& command, Span span) {
  if (command.source) std::move(error).at(command.source, span);
  throw error;
}

[[noreturn]] void fail_unknown(const std::string& message, const Name& name, const std::vector<std::string>& known, const Protocol& command) {
  UserError error(message);
  if (auto guess = did_you_mean(name.text, known)) std::move(error).hint("did you mean '" + *guess + "'?");
  fail(std::move(error).hint("there are: " + join(known, ", ")), command, name.span);
}

/// The names of the variables that index `tensor` where it is read.
std::vector<std::string> variables_of(const std::string& tensor, const concrete::Program& program) {
  std::vector<std::string> names;
  concrete::for_each(program.statement, [&](const concrete::Stmt& stmt) {
    const concrete::Assign* assign = stmt.as<concrete::Assign>();
    if (!assign) return;
    for (const concrete::Access& access : notation::accesses(assign->rhs)) {
      if (access.tensor.name() != tensor) continue;
      for (const IndexVar& var : access.indices) {
        if (std::find(names.begin(), names.end(), var.name()) == names.end()) names.push_back(var.name());
      }
    }
  });
  return names;
}

/// The tensors that stand for `tensor` in the loops: copies of it, and itself where it is read for more than a copy.
std::vector<std::string> stand_ins(const std::string& tensor, const concrete::Program& program) {
  std::vector<std::string> names;
  auto add = [&](const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  concrete::for_each(program.statement, [&](const concrete::Stmt& stmt) {
    const concrete::Assign* assign = stmt.as<concrete::Assign>();
    if (!assign) return;
    const TensorVar& target = assign->lhs.tensor;
    bool is_result = std::find(program.results.begin(), program.results.end(), target) != program.results.end();
    bool copies = assign->rhs.as<concrete::Access>() && !assign->op && !is_result;
    for (const concrete::Access& access : notation::accesses(assign->rhs)) {
      if (access.tensor.name() == tensor) add(copies ? target.name() : tensor);
    }
  });
  return names;
}

}  // namespace

Command read_protocol(const Call& call) {
  const Name& strategy = call.arguments[2];
  std::vector<std::string> known = concrete::protocol_names();
  Protocol command{call.arguments[0], call.arguments[1], concrete::Protocol::Step, call.source, call.span};
  std::optional<concrete::Protocol> protocol = concrete::parse_protocol(strategy.text);
  if (!protocol) fail_unknown(fmt::format("Unknown strategy '{}'", strategy.text), strategy, known, command);
  command.strategy = *protocol;
  return command;
}

std::string to_string(const Protocol& command) {
  return fmt::format("protocol({}, {}, {})", command.tensor.text, command.variable.text, concrete::to_string(command.strategy));
}

const std::string& tensor_of(const Protocol& command) { return command.tensor.text; }

bool is_about(const Protocol& command, const notation::Statement& statement) {
  std::vector<notation::Access> accesses = notation::accesses(statement.rhs);
  return std::any_of(accesses.begin(), accesses.end(), [&](const notation::Access& access) {
    bool is_indexed = std::any_of(access.indices.begin(), access.indices.end(), [&](const IndexVar& var) { return var.name() == command.variable.text; });
    return access.tensor.name() == command.tensor.text && is_indexed;
  });
}

void apply(const Protocol& command, concrete::Program& program) {
  const std::string &tensor = command.tensor.text, &variable = command.variable.text;
  std::vector<std::string> tensors;
  for (const TensorVar& operand : program.operands) tensors.push_back(operand.name());
  if (std::find(tensors.begin(), tensors.end(), tensor) == tensors.end()) {
    fail_unknown(fmt::format("The statement does not read a tensor '{}'", tensor), command.tensor, tensors, command);
  }
  std::vector<std::string> variables = variables_of(tensor, program);
  if (std::find(variables.begin(), variables.end(), variable) == variables.end()) {
    fail_unknown(fmt::format("'{}' is not indexed by '{}'", tensor, variable), command.variable, variables, command);
  }
  std::vector<concrete::ProtocolRequest>& requests = program.environment.protocols;
  std::vector<std::string> names = stand_ins(tensor, program);
  for (const concrete::ProtocolRequest& earlier : requests) {
    if (std::find(names.begin(), names.end(), earlier.tensor) == names.end() || earlier.variable != variable) continue;
    fail(UserError(fmt::format("A protocol for '{}' in the loop over '{}' is given twice", tensor, variable)), command, command.span);
  }
  for (const std::string& name : names) requests.push_back({name, variable, command.strategy, command.source, command.span});
}

}  // namespace filigree::schedule
