// mergeby(variable, gallop|two_finger): how the loop over `variable` goes through the operands that meet there.
//
// Requires: 1. `variable` is one loop  2. two operands or more that cannot be located meet there  3. no protocol was
// asked for one of them.  That their levels allow it is checked by lattice/strategy.h. Before and after: the same
// loops; Environment::protocols has a request for each of these operands: all gallop, or all step.
#include <algorithm>

#include <fmt/format.h>

#include "schedule/commands.h"
#include "support/text.h"

namespace filigree::schedule {
namespace {

using Strategy = MergeBy::Strategy;

const std::vector<Arguments::Word> strategies = {{"two_finger", int(Strategy::TwoFinger)},
                                                 {"gallop", int(Strategy::Gallop)}};

/// Has the loop to walk through the operand, as no coordinate of it can be located?
bool is_walked(const concrete::Access& access, const IndexVar& var) {
  std::vector<IndexVar> vars = concrete::level_vars(access);
  for (size_t n = 0; n < vars.size(); n++) {
    if (vars[n] == var && !access.tensor.format().levels()[n].format->locate()) return true;
  }
  return false;
}

/// The operands that loops over `var` walk through, each once.
std::vector<std::string> walked(const IndexVar& var, const concrete::Stmt& stmt) {
  std::vector<std::string> tensors;
  for (const concrete::Stmt& loop : loops_over(var, stmt)) {
    concrete::for_each(loop, [&](const concrete::Stmt& inside) {
      const concrete::Assign* assign = inside.as<concrete::Assign>();
      if (!assign) return;
      for (const concrete::Access& access : notation::accesses(assign->rhs)) {
        bool is_new = std::find(tensors.begin(), tensors.end(), access.tensor.name()) == tensors.end();
        if (is_new && is_walked(access, var)) tensors.push_back(access.tensor.name());
      }
    });
  }
  return tensors;
}

}  // namespace

Command read_merge_by(Arguments& arguments) {
  Name variable = arguments.name("a variable");
  return MergeBy{variable, static_cast<Strategy>(arguments.word("a strategy", strategies)), arguments.place()};
}

std::string to_string(const MergeBy& command) {
  return fmt::format("mergeby({}, {})", command.variable.text,
                     command.strategy == Strategy::Gallop ? "gallop" : "two_finger");
}

Mentioned mentioned(const MergeBy& command) { return {{}, {command.variable}, {}}; }

void apply(const MergeBy& command, Nest& nest) {
  IndexVar var = nest.one_loop(command.variable, command.place, "say it for one of them, before they are collapsed");
  std::vector<std::string> tensors = walked(var, nest.program().statement);
  if (tensors.size() < 2) {
    std::string found = tensors.empty() ? "the loop walks through no operand"
                                        : fmt::format("the loop walks through '{}' alone", tensors[0]);
    nest.fail(
        UserError(fmt::format("There is nothing to merge in the loop over '{}': {}", command.variable.text, found))
            .hint("leave the command out"),
        command.place, command.variable.span, {var});
  }
  auto protocol = command.strategy == Strategy::Gallop ? concrete::Protocol::Gallop : concrete::Protocol::Step;
  for (const std::string& tensor : tensors) ask_for_protocol(tensor, var.name(), protocol, command.place, nest);
}

}  // namespace filigree::schedule
