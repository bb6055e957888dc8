// collapse(outer, inner, variable): two loops as one, in the same order.
//
// Requires: 1. both are loops  2. `inner` stands directly inside `outer`, wherever it stands  3. both in coordinates,
// or `inner` in positions
// 4. of pieces: the inner loop has as many for each iteration of the outer one  5. `variable` is a new name.
// Before and after: the same loops; `variable` stands for both, so that commands that follow split and move them
// together.  Pieces and what is inside of them become again what was split.
#include <algorithm>

#include <fmt/format.h>

#include "concrete/derivations.h"
#include "concrete/parts.h"
#include "concrete/vars.h"
#include "schedule/commands.h"

namespace filigree::schedule {
namespace {

/// Are the inner loops directly inside of the outer ones, wherever these stand?  A variable may have other loops
/// elsewhere, in the producer of a workspace.
bool are_nested(const concrete::Stmt& stmt, const std::vector<IndexVar>& outer, const std::vector<IndexVar>& inner) {
  std::vector<IndexVar> all = outer;
  all.insert(all.end(), inner.begin(), inner.end());
  std::vector<concrete::Stmt> loops = loops_over(all.front(), stmt);
  return loop_inside(outer.back(), stmt) == inner.front() &&
         std::all_of(loops.begin(), loops.end(), [&](const concrete::Stmt& loop) {
           const concrete::Forall* at = loop.as<concrete::Forall>();
           for (size_t n = 0; n < all.size(); n++, at = at->body.as<concrete::Forall>()) {
             if (!at || at->var != all[n]) return false;
             if (n + 1 == all.size()) break;
           }
           return true;
         });
}

/// The cut whose pieces and their insides are collapsed again, if that is so: there is nothing left of it then.
std::optional<concrete::PieceLoop> undone(const Space& outer, const Space& inner,
                                          const concrete::Environment& environment) {
  for (const concrete::PieceLoop& cut : environment.piece_loops) {
    if (outer.loops != std::vector<IndexVar>{cut.var} || cut.by_number) continue;
    std::vector<concrete::PieceLoop> same = concrete::cuts_of(environment, cut);
    bool is_free = same.back().var == cut.var &&
                   std::none_of(environment.piece_loops.begin(), environment.piece_loops.end(),
                                [&](const concrete::PieceLoop& other) { return contains(other.loops, cut.var); }) &&
                   std::none_of(environment.bounds.begin(), environment.bounds.end(),
                                [&](const concrete::ExtentBound& bound) { return bound.var == cut.var; });
    if (is_free && inner.loops == cut.loops && inner.positions == cut.positions) return cut;
  }
  return std::nullopt;
}

/// What the loops go through, whatever it was cut into.
std::vector<IndexVar> sources(const std::vector<IndexVar>& loops, const concrete::Environment& environment) {
  std::vector<IndexVar> out;
  for (const IndexVar& loop : loops) {
    std::vector<IndexVar> own = {loop};
    for (const concrete::PieceLoop& cut : environment.piece_loops) {
      if (cut.var == loop) own = sources(cut.loops, environment);
    }
    if (const concrete::FlatLoop* flat = concrete::flat_loop(environment, loop))
      own = sources(flat->loops, environment);
    concrete::append_new(out, own);
  }
  return out;
}

/// Points are numbered through only where every iteration of the outer loop has as many inside.
void check_parts(const Collapse& command, const Space& outer, const Space& inner, const Nest& nest) {
  const concrete::Environment& environment = nest.program().environment;
  std::vector<IndexVar> outer_sources = sources(outer.loops, environment);
  bool come_from_one = concrete::without(outer_sources, sources(inner.loops, environment)) != outer_sources;
  for (const auto& [name, space] : {std::pair(&command.outer, &outer), std::pair(&command.inner, &inner)}) {
    auto refuse = [&](const std::string& what, const char* hint) {
      nest.fail(UserError(what).hint(hint), command.place, name->span, space->loops);
    };
    for (const concrete::PointParts& parts : concrete::all_parts(environment)) {
      for (const concrete::PointPart& part : parts.parts) {
        bool meets = std::any_of(part.loops.begin(), part.loops.end(),
                                 [&](const IndexVar& var) { return contains(space->loops, var); });
        if (!meets) continue;
        bool both = std::any_of(parts.parts.begin(), parts.parts.end(), [&](const concrete::PointPart& other) {
          return &other != &part && contains(space == &inner ? outer.loops : inner.loops, other.loops.front());
        });
        if (parts.numbering.by_number)
          refuse(
              fmt::format("'{}' is a part of what was split, and its loops stand in an order of their own", name->text),
              "collapse first, then reorder");
        if (both || come_from_one)
          refuse(fmt::format(
                     "'{}' and '{}' come from the same variable, and the last of '{}' may have less inside than others",
                     command.outer.text, command.inner.text, command.outer.text),
                 "split the variable at once into what both together would be");
        bool varies = space == &inner && parts.numbering.positions && part.loops != parts.numbering.loops;
        if (varies)
          refuse(fmt::format("'{}' counts pieces of what '{}' stores, of which there may be more or fewer each time",
                             name->text, parts.numbering.positions->tensor.name()),
                 "collapse first, then split both together");
      }
    }
  }
}

}  // namespace

Command read_collapse(Arguments& arguments) {
  Name outer = arguments.name("the outer variable"), inner = arguments.name("the inner variable"),
       variable = arguments.name("a name for both");
  return Collapse{outer, inner, variable, arguments.place()};
}

std::string to_string(const Collapse& command) {
  return fmt::format("collapse({}, {}, {})", command.outer.text, command.inner.text, command.variable.text);
}

Mentioned mentioned(const Collapse& command) { return {{}, {command.outer, command.inner}, {command.variable}}; }

void apply(const Collapse& command, Nest& nest) {
  Space outer = nest.space(command.outer, command.place), inner = nest.space(command.inner, command.place);
  if (outer.positions) {
    nest.fail(UserError(fmt::format("'{}' is in positions of '{}', which do not number what is inside",
                                    command.outer.text, outer.positions->tensor.name()))
                  .hint("collapse first, then take the positions of both"),
              command.place, command.outer.span, outer.loops);
  }
  if (!are_nested(nest.program().statement, outer.loops, inner.loops)) {
    nest.fail(UserError(fmt::format("The loop over '{}' is not directly inside the loop over '{}'", command.inner.text,
                                    command.outer.text))
                  .hint("reorder the loops first; what is computed between them must stay there"),
              command.place, command.inner.span, {outer.loops.back(), inner.loops.front()});
  }
  const concrete::Environment& environment = nest.program().environment;
  auto retire = [&] {
    for (const Name* name : {&command.outer, &command.inner})
      nest.retire(*name, fmt::format("was collapsed into '{}'", command.variable.text));
  };
  if (std::optional<concrete::PieceLoop> cut = undone(outer, inner, environment)) {
    if (!nest.tag(cut->var).is_plain()) {
      nest.fail(UserError(fmt::format("The loop over '{}' runs in a way of its own, and there would be none",
                                      command.outer.text))
                    .hint("collapse first"),
                command.place, command.outer.span, outer.loops);
    }
    nest.define(command.variable, inner, command.place);
    nest.remove(*cut);
    return retire();
  }
  check_parts(command, outer, inner, nest);
  Space both{outer.loops, inner.positions};
  both.loops.insert(both.loops.end(), inner.loops.begin(), inner.loops.end());
  if (both.positions) {
    // Positions of the inner level number what is below several outer coordinates only if these are levels of the same
    // operand.
    both.positions = nest.positions_of({both.positions->tensor.name(), command.outer.span}, both, command.place);
  }
  nest.define(command.variable, both, command.place);
  retire();
}

}  // namespace filigree::schedule
