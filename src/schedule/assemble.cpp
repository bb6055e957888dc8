// assemble(result, insert|append): how the result is filled.
//
// Requires: 1. `result` is what the statement assigns  2. it has levels that are filled while the kernel runs  3. no
// other way was asked for.  That the loops can fill it so is checked by assemble/assemble.h. Before and after: the same
// loops; Environment::assembly says how.  The result's index is then made, and not copied from an operand.
#include <algorithm>

#include <fmt/format.h>

#include "schedule/commands.h"
#include "support/text.h"

namespace filigree::schedule {
namespace {

using How = Assemble::How;

const std::vector<Arguments::Word> ways = {{"insert", int(How::Insert)}, {"append", int(How::Append)}};
const std::vector<Arguments::Word> truths = {{"false", 0}, {"true", 1}};

}  // namespace

Command read_assemble(Arguments& arguments) {
  Name tensor = arguments.tensor();
  auto how = static_cast<How>(arguments.word("a way to fill it", ways));
  Span span = arguments.next_span();
  // In other systems, whether the passes that count and place can be given schedules of their own.
  bool separately = arguments.left() > 0 && arguments.word("true or false", truths) == 1;
  if (separately) {
    arguments.fail(
        UserError("The loops that fill a result run as one, and its passes have no schedules of their own")
            .hint(fmt::format("write assemble({}, {})", tensor.text, how == How::Insert ? "insert" : "append")),
        span);
  }
  return Assemble{tensor, how, arguments.place()};
}

std::string to_string(const Assemble& command) {
  return fmt::format("assemble({}, {})", command.tensor.text, command.how == How::Insert ? "insert" : "append");
}

Mentioned mentioned(const Assemble& command) {
  Mentioned names{};
  names.results.push_back(command.tensor);
  return names;
}

void apply(const Assemble& command, Nest& nest) {
  concrete::Program& program = nest.program();
  std::vector<std::string> results;
  for (const TensorVar& result : program.results) results.push_back(result.name());
  auto found = std::find_if(program.results.begin(), program.results.end(),
                            [&](const TensorVar& result) { return result.name() == command.tensor.text; });
  if (found == program.results.end())
    nest.fail_unknown(fmt::format("The statement does not assign '{}'", command.tensor.text), command.tensor, results,
                      command.place);
  const std::vector<Level>& levels = found->format().levels();
  bool has_choice = std::any_of(levels.begin(), levels.end(), [](const Level& level) {
    return !level.format->insert() || level.format->counts_entries();
  });
  if (!has_choice) {
    std::string stored =
        levels.empty() ? "a scalar"
                       : fmt::format("stored as {}, which takes components in any order", to_string(found->format()));
    nest.fail(UserError(fmt::format("'{}' is {}: there is one way to fill it", command.tensor.text, stored))
                  .hint("leave the command out"),
              command.place, command.tensor.span);
  }
  concrete::Environment& environment = program.environment;
  if (environment.assembly)
    nest.fail(UserError(fmt::format("It is said twice how '{}' is filled", command.tensor.text))
                  .hint("leave one of them out"),
              command.place, command.place.span);
  environment.assembly = concrete::AssemblyRequest{command.how, command.place.source, command.place.span};
  environment.may_share_patterns = false;
}

}  // namespace filigree::schedule
