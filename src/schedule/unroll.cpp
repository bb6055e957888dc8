// unroll(variable, factor): `factor` iterations of the loop over `variable` one after the other, without tests between
// them.
//
// Requires: 1. it is not unrolled already  2. it goes through no operands side by side, which lattice/strategy.h
// checks. Before and after: the same loops; their tags say how they run.  In place of several that were collapsed there
// is one.  The compiler of the generated code unrolls.
#include <fmt/format.h>

#include "schedule/commands.h"
#include "support/text.h"

namespace filigree::schedule {
namespace {

constexpr std::int64_t most = 1024;  // more is code that no processor can hold
constexpr std::int64_t most_together = 1024;

}  // namespace

Command read_unroll(Arguments& arguments) {
  Name variable = arguments.name("a variable");
  Span span = arguments.next_span();
  std::int64_t factor = arguments.size();
  if (factor > most)
    arguments.fail(UserError(fmt::format("'unroll' repeats code {} times at most, found {}", most, factor))
                       .hint("split the loop, and unroll the loop over a piece"),
                   span);
  return Unroll{variable, factor, arguments.place()};
}

std::string to_string(const Unroll& command) {
  return fmt::format("unroll({}, {})", command.variable.text, command.factor);
}

Mentioned mentioned(const Unroll& command) { return {{}, {command.variable}, {}}; }

void apply(const Unroll& command, Nest& nest) {
  IndexVar var = nest.as_one_loop(command.variable, command.place);
  concrete::LoopTag tag = nest.tag(var);
  if (tag.unrolled > 0) {
    nest.fail(UserError(fmt::format("The loop over '{}' is unrolled already, {}", command.variable.text,
                                    counted(tag.unrolled, "time")))
                  .hint("leave one of them out"),
              command.place, command.place.span, {var});
  }
  std::int64_t together = command.factor;
  for (const concrete::Forall& loop : concrete::tagged_loops(nest.program().statement)) {
    if (loop.tag.unrolled > 1) together *= loop.tag.unrolled;  // at most 1024 times 1024 before it is refused
    if (together > most_together)
      nest.fail(
          UserError(fmt::format("Loops that are unrolled together repeat code {} times at most, and this would be "
                                "{}",
                                most_together, together))
              .hint("unroll fewer of them, or by less"),
          command.place, command.place.span, {var, loop.var});
  }
  tag.unrolled = static_cast<int>(command.factor);
  tag.unrolled_by = {command.place.source, command.place.span};
  nest.set_tag(var, tag);
}

}  // namespace filigree::schedule
