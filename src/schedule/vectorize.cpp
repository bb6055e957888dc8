// vectorize(variable): iterations of the loop over `variable` are elements of vectors.  parallelize(variable, vector) is the same.
//
// Requires: 1. `variable` is one loop  2. when all commands are done there are only loops inside, which may be reordered with it  3. it goes through
// no operands side by side, which lattice/strategy.h checks.  Sums may be added up in another order.
// Before: forall(k, forall(j, s)).  After: forall(j, forall(k, s)), since all elements of a vector take every step together; Environment::tags
// says how the loop runs.
#include <fmt/format.h>

#include "schedule/commands.h"

namespace filigree::schedule {
namespace {

/// The loops directly inside of this one, from the outside in.
std::vector<IndexVar> loops_inside(const concrete::Forall& loop) {
  std::vector<IndexVar> inside;
  for (const concrete::Forall* inner = loop.body.as<concrete::Forall>(); inner; inner = inner->body.as<concrete::Forall>()) inside.push_back(inner->var);
  return inside;
}

/// A loop inside of this one that is not alone there.
std::optional<IndexVar> loop_among_others(const concrete::Forall& loop) {
  const concrete::Forall* innermost = &loop;
  while (const concrete::Forall* inner = innermost->body.as<concrete::Forall>()) innermost = inner;
  std::optional<IndexVar> found;
  concrete::for_each(innermost->body, [&](const concrete::Stmt& stmt) {
    if (const concrete::Forall* forall = stmt.as<concrete::Forall>(); forall && !found) found = forall->var;
  });
  return found;
}

/// Makes the loop the innermost one.
void settle(const IndexVar& var, const Place& place, Nest& nest) {
  for (const concrete::Stmt& loop : loops_over(var, nest.program().statement)) {
    const concrete::Forall& forall = *loop.as<concrete::Forall>();
    if (std::optional<IndexVar> other = loop_among_others(forall)) {
      nest.fail(UserError(fmt::format("The loop over '{}' cannot run as vectors: the loop over '{}' is inside of it, and not alone there", var.name(), other->name()))
                    .hint("vectorize an innermost loop, or reorder the loops"),
                place, place.span, {var});
    }
    std::vector<IndexVar> inside = loops_inside(forall);
    if (inside.empty()) continue;
    try {
      move_inside(var, inside, place, nest);
    } catch (const UserError& why) {
      nest.fail(UserError(fmt::format("The loop over '{}' cannot run as vectors: it cannot be inside of the loop over '{}'. {}", var.name(), inside.back().name(), why.message()))
                    .hint("vectorize an innermost loop, or reorder the loops"),
                place, place.span, {var});
    }
    nest.program().environment.remarks.push_back(fmt::format("the loop over {} is the innermost one: its iterations are elements of vectors, which take each step of the loops inside together", var.name()));
  }
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

void settle_vector_loops(Nest& nest) {
  std::map<IndexVar, concrete::LoopTag> tags = nest.program().environment.tags;
  for (const auto& [var, tag] : tags) {
    if (tag.vector) settle(var, {tag.vector_by.source, tag.vector_by.span}, nest);
  }
}

}  // namespace filigree::schedule
