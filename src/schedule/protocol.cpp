// protocol(tensor, variable, strategy): how the loop over `variable` reaches `tensor`.
//
// Requires: 1. `tensor` is read by the statement  2. with `variable` among its indices  3. no other protocol was asked
// for there.  That levels allow it is checked by lattice/strategy.h.
// Before and after: the same loops; Environment::protocols has one more request.  Where `tensor` is copied into the
// order of the loops, the request is about the copy, which is what the loops meet.
#include <algorithm>

#include <fmt/format.h>

#include "concrete/workspace.h"
#include "schedule/commands.h"
#include "support/text.h"

namespace filigree::schedule {
namespace {

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

Command read_protocol(Arguments& arguments) {
  Name tensor = arguments.tensor(), variable = arguments.name("a variable"), strategy = arguments.name("a strategy");
  std::optional<concrete::Protocol> protocol = concrete::parse_protocol(strategy.text);
  if (!protocol) {
    std::vector<std::string> known = concrete::protocol_names();
    UserError error(fmt::format("Unknown strategy '{}'", strategy.text));
    if (auto guess = did_you_mean(strategy.text, known)) std::move(error).hint("did you mean '" + *guess + "'?");
    arguments.fail(std::move(error).hint("there are: " + join(known, ", ")), strategy.span);
  }
  return Protocol{tensor, variable, *protocol, arguments.place()};
}

std::string to_string(const Protocol& command) {
  return fmt::format("protocol({}, {}, {})", command.tensor.text, command.variable.text,
                     concrete::to_string(command.strategy));
}

Mentioned mentioned(const Protocol& command) { return {{command.tensor}, {command.variable}, {}}; }

void apply(const Protocol& command, Nest& nest) {
  concrete::Program& program = nest.program();
  const std::string &tensor = command.tensor.text, &variable = command.variable.text;
  std::vector<std::string> tensors;
  for (const TensorVar& operand : program.operands) tensors.push_back(operand.name());
  for (const concrete::Access& temporary : concrete::temporaries(program)) tensors.push_back(temporary.tensor.name());
  if (std::find(tensors.begin(), tensors.end(), tensor) == tensors.end()) {
    nest.fail_unknown(fmt::format("The statement does not read a tensor '{}'", tensor), command.tensor, tensors,
                      command.place);
  }
  std::vector<std::string> variables = variables_of(tensor, program);
  if (std::find(variables.begin(), variables.end(), variable) == variables.end()) {
    nest.fail_unknown(fmt::format("'{}' is not indexed by '{}'", tensor, variable), command.variable, variables,
                      command.place);
  }
  for (const std::string& name : stand_ins(tensor, program))
    ask_for_protocol(name, variable, command.strategy, command.place, nest);
}

void ask_for_protocol(const std::string& tensor, const std::string& variable, concrete::Protocol protocol,
                      const Place& place, Nest& nest) {
  std::vector<concrete::ProtocolRequest>& requests = nest.program().environment.protocols;
  for (const concrete::ProtocolRequest& earlier : requests) {
    if (earlier.tensor != tensor || earlier.variable != variable) continue;
    nest.fail(UserError(fmt::format("A protocol for '{}' in the loop over '{}' is given twice", tensor, variable))
                  .hint("leave one of them out"),
              place, place.span);
  }
  requests.push_back({tensor, variable, protocol, place.source, place.span});
}

}  // namespace filigree::schedule
