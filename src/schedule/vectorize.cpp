// vectorize(variable): iterations of the loop over `variable` are elements of vectors.  parallelize(variable, vector) is the same.
//
// Requires: 1. `variable` is one loop  2. it is an innermost one when all commands are done  3. it goes through no operands side by side, which
// lattice/strategy.h checks.  Sums may be added up in another order.
// Before and after: the same loops; Environment::tags says how they run.
#include <fmt/format.h>

#include "schedule/commands.h"

namespace filigree::schedule {
namespace {

/// A loop inside of this one.
std::optional<IndexVar> loop_inside(const concrete::Stmt& loop) {
  std::optional<IndexVar> found;
  concrete::for_each(loop.as<concrete::Forall>()->body, [&](const concrete::Stmt& stmt) {
    if (const concrete::Forall* forall = stmt.as<concrete::Forall>(); forall && !found) found = forall->var;
  });
  return found;
}

}  // namespace

Command read_vectorize(Arguments& arguments) { return Vectorize{arguments.name("a variable"), arguments.place()}; }

std::string to_string(const Vectorize& command) { return fmt::format("vectorize({})", command.variable.text); }

Mentioned mentioned(const Vectorize& command) { return {{}, {command.variable}, {}}; }

void apply(const Vectorize& command, Nest& nest) {
  IndexVar var = nest.one_loop(command.variable, command.place, "vectorize the innermost of them before they are collapsed");
  concrete::LoopTag& tag = nest.program().environment.tags[var];
  tag.vector = true;
  tag.vector_by = {command.place.source, command.place.span};
}

void check_vector_loops(const Nest& nest) {
  for (const auto& [var, tag] : nest.program().environment.tags) {
    if (!tag.vector) continue;
    for (const concrete::Stmt& loop : loops_over(var, nest.program().statement)) {
      std::optional<IndexVar> inside = loop_inside(loop);
      if (!inside) continue;
      nest.fail(UserError(fmt::format("The loop over '{}' cannot run as vectors: the loop over '{}' is inside of it", var.name(), inside->name()))
                    .hint("vectorize an innermost loop, or reorder the loops"),
                {tag.vector_by.source, tag.vector_by.span}, tag.vector_by.span, {var});
    }
  }
}

}  // namespace filigree::schedule
