// collapse(outer, inner, variable): two loops as one, in the same order.
//
// Requires: 1. both are loops  2. `inner` stands directly inside `outer`, wherever it stands  3. both in coordinates, or `inner` in positions
// 4. `variable` is a new name.
// Before and after: the same loops; `variable` stands for both, so that commands that follow split and move them together.
#include <fmt/format.h>

#include "schedule/commands.h"

namespace filigree::schedule {
namespace {

/// Where one of the loops stands, does the other stand there, too?
bool are_nested(const concrete::Stmt& stmt, const IndexVar& outer, const IndexVar& inner) {
  bool nested = true;
  concrete::for_each(stmt, [&](const concrete::Stmt& s) {
    const concrete::Forall* forall = s.as<concrete::Forall>();
    if (!forall) return;
    const concrete::Forall* below = forall->body.as<concrete::Forall>();
    bool here = below && below->var == inner;
    if (forall->var == outer) nested = nested && here;
    if (here && forall->var != outer) nested = false;
  });
  return nested;
}

}  // namespace

Command read_collapse(Arguments& arguments) {
  Name outer = arguments.name("the outer variable"), inner = arguments.name("the inner variable"), variable = arguments.name("a name for both");
  return Collapse{outer, inner, variable, arguments.place()};
}

std::string to_string(const Collapse& command) {
  return fmt::format("collapse({}, {}, {})", command.outer.text, command.inner.text, command.variable.text);
}

void apply(const Collapse& command, Nest& nest) {
  Space outer = nest.space(command.outer, command.place), inner = nest.space(command.inner, command.place);
  if (outer.positions) {
    nest.fail(UserError(fmt::format("'{}' is in positions of '{}', which do not number what is inside", command.outer.text, outer.positions->tensor.name()))
                  .hint("collapse first, then take the positions of both"),
              command.place, command.outer.span, outer.loops);
  }
  if (!are_nested(nest.program().statement, outer.loops.back(), inner.loops.front())) {
    nest.fail(UserError(fmt::format("The loop over '{}' is not directly inside the loop over '{}'", command.inner.text, command.outer.text))
                  .hint("reorder the loops first; what is computed between them must stay there"),
              command.place, command.inner.span, {outer.loops.back(), inner.loops.front()});
  }
  Space both{outer.loops, inner.positions};
  both.loops.insert(both.loops.end(), inner.loops.begin(), inner.loops.end());
  nest.define(command.variable, both, command.place);
  for (const Name* name : {&command.outer, &command.inner}) nest.retire(*name, fmt::format("was collapsed into '{}'", command.variable.text));
}

}  // namespace filigree::schedule
