// collapse(outer, inner, variable): two loops as one, in the same order.
//
// Requires: 1. both are loops  2. `inner` stands directly inside `outer`, wherever it stands  3. both in coordinates, or `inner` in positions
// 4. neither was split before  5. `variable` is a new name.
// Before and after: the same loops; `variable` stands for both, so that commands that follow split and move them together.
#include <algorithm>

#include <fmt/format.h>

#include "schedule/commands.h"

namespace filigree::schedule {
namespace {

/// Are the inner loops directly inside of the outer ones, wherever these stand?  A variable may have other loops elsewhere, in the producer of a workspace.
bool are_nested(const concrete::Stmt& stmt, const std::vector<IndexVar>& outer, const std::vector<IndexVar>& inner) {
  std::vector<IndexVar> all = outer;
  all.insert(all.end(), inner.begin(), inner.end());
  std::vector<concrete::Stmt> loops = loops_over(all.front(), stmt);
  return loop_inside(outer.back(), stmt) == inner.front() && std::all_of(loops.begin(), loops.end(), [&](const concrete::Stmt& loop) {
           const concrete::Forall* at = loop.as<concrete::Forall>();
           for (size_t n = 0; n < all.size(); n++, at = at->body.as<concrete::Forall>()) {
             if (!at || at->var != all[n]) return false;
             if (n + 1 == all.size()) break;
           }
           return true;
         });
}

bool has_pieces(const Space& space, const concrete::Environment& environment) {
  return std::any_of(environment.cuts.begin(), environment.cuts.end(), [&](const concrete::Cut& cut) { return contains(space.loops, cut.var); });
}

bool is_piece(const Space& space, const concrete::Environment& environment) {
  return std::any_of(environment.cuts.begin(), environment.cuts.end(), [&](const concrete::Cut& cut) {
    return std::any_of(cut.loops.begin(), cut.loops.end(), [&](const IndexVar& var) { return contains(space.loops, var); });
  });
}

}  // namespace

Command read_collapse(Arguments& arguments) {
  Name outer = arguments.name("the outer variable"), inner = arguments.name("the inner variable"), variable = arguments.name("a name for both");
  return Collapse{outer, inner, variable, arguments.place()};
}

std::string to_string(const Collapse& command) {
  return fmt::format("collapse({}, {}, {})", command.outer.text, command.inner.text, command.variable.text);
}

Mentioned mentioned(const Collapse& command) { return {{}, {command.outer, command.inner}, {command.variable}}; }

void apply(const Collapse& command, Nest& nest) {
  Space outer = nest.space(command.outer, command.place), inner = nest.space(command.inner, command.place);
  if (outer.positions) {
    nest.fail(UserError(fmt::format("'{}' is in positions of '{}', which do not number what is inside", command.outer.text, outer.positions->tensor.name()))
                  .hint("collapse first, then take the positions of both"),
              command.place, command.outer.span, outer.loops);
  }
  if (!are_nested(nest.program().statement, outer.loops, inner.loops)) {
    nest.fail(UserError(fmt::format("The loop over '{}' is not directly inside the loop over '{}'", command.inner.text, command.outer.text))
                  .hint("reorder the loops first; what is computed between them must stay there"),
              command.place, command.inner.span, {outer.loops.back(), inner.loops.front()});
  }
  const concrete::Environment& environment = nest.program().environment;
  for (const auto& [name, space] : {std::pair(&command.outer, &outer), std::pair(&command.inner, &inner)}) {
    if (!has_pieces(*space, environment) && !is_piece(*space, environment)) continue;
    nest.fail(UserError(fmt::format("'{}' comes from a split, and the number of its iterations may differ from piece to piece", name->text)).hint("collapse first, then split both together"),
              command.place, name->span, space->loops);
  }
  Space both{outer.loops, inner.positions};
  both.loops.insert(both.loops.end(), inner.loops.begin(), inner.loops.end());
  if (both.positions) {
    // Positions of the inner level number what is below several outer coordinates only if these are levels of the same operand.
    both.positions = nest.positions_of({both.positions->tensor.name(), command.outer.span}, both, command.place);
  }
  nest.define(command.variable, both, command.place);
  for (const Name* name : {&command.outer, &command.inner}) nest.retire(*name, fmt::format("was collapsed into '{}'", command.variable.text));
}

}  // namespace filigree::schedule
