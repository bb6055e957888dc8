// split(variable, outer, inner, size): a loop over pieces of `size` points around the loops of `variable`; `inner` is
// one piece. split(variable, outer, inner, up, size): `size` pieces instead.  With a tensor at the end: of its
// positions.
//
// Requires: 1. `variable` is a loop, or several that were collapsed  2. outer and inner are new names  3. a tensor that
// is given has the loops as levels that can be numbered  4. where pieces may share a coordinate, nothing is assigned as
// a whole from a workspace that each fills for itself.  That nothing but the tensor leads the loops is checked by
// lattice/strategy.h.
// Before: forall(i, s).  After: forall(i0, forall(i, s)), and Environment::piece_loops says that i0 cuts i.
#include <algorithm>

#include <fmt/format.h>

#include "concrete/derivations.h"
#include "schedule/commands.h"

namespace filigree::schedule {

Command read_split(Arguments& arguments) {
  Name variable = arguments.name("a variable"), outer = arguments.name("a name for the outer loop"),
       inner = arguments.name("a name for the inner loop");
  const std::vector<Arguments::Word> directions = {{"down", 0}, {"up", 1}};
  std::optional<int> direction = arguments.word_if(directions);
  std::int64_t size = arguments.size();
  if (!direction) direction = arguments.word_if(directions);
  Split split{variable,         outer, inner, size, direction == 1 ? Split::Direction::Up : Split::Direction::Down, {},
              arguments.place()};
  if (arguments.left() > 0) split.tensor = arguments.tensor();
  return split;
}

Command read_divide(Arguments& arguments) {
  Name variable = arguments.name("a variable"), outer = arguments.name("a name for the outer loop"),
       inner = arguments.name("a name for the inner loop");
  return Split{variable, outer, inner, arguments.size(), Split::Direction::Up, {}, arguments.place()};
}

std::string to_string(const Split& command) {
  return fmt::format("split({}, {}, {}, {}{}{})", command.variable.text, command.outer.text, command.inner.text,
                     command.direction == Split::Direction::Up ? "up, " : "", command.size,
                     command.tensor ? ", " + command.tensor->text : "");
}

Mentioned mentioned(const Split& command) {
  Mentioned names{{}, {command.variable}, {command.outer, command.inner}};
  if (command.tensor) names.tensors.push_back(*command.tensor);
  return names;
}

void apply(const Split& command, Nest& nest) {
  Space space = nest.space(command.variable, command.place);
  auto given = command.direction == Split::Direction::Up ? concrete::PieceLoop::Given::Count
                                                         : concrete::PieceLoop::Given::Size;
  nest.check_amount(given, command.size, command.place);
  if (command.tensor) space = nest.in_positions(*command.tensor, space, command.place);
  IndexVar pieces = nest.define_loop(command.outer, command.place);
  nest.define(command.inner, space, command.place);
  nest.retire(command.variable, fmt::format("was split into '{}' and '{}'", command.outer.text, command.inner.text));
  nest.insert({{space.loops, space.positions}, pieces, given, command.size, command.place.source, command.place.span});
}

namespace {

/// Pieces of several loops may divide the points of one component among them.
void check_absent_points(const Nest& nest, const concrete::PieceLoop& cut) {
  if (cut.loops.size() < 2) return;
  for (const concrete::Stmt& loop : loops_over(cut.var, nest.program().statement)) {
    concrete::for_each(loop, [&](const concrete::Stmt& stmt) {
      const concrete::Assign* assign = stmt.as<concrete::Assign>();
      bool reduces = assign && std::any_of(cut.loops.begin(), cut.loops.end(),
                                           [&](const IndexVar& var) { return !contains(assign->lhs.indices, var); });
      if (!reduces || !counts_absent_points(*assign)) return;
      nest.fail(UserError(fmt::format("A component of '{}' is reduced in one go, not in pieces: where nothing is "
                                      "stored it has the fill {}, which is not what '{}' starts from",
                                      assign->lhs.tensor.name(), to_string(assign->lhs.tensor.fill()),
                                      facts(*assign->op).symbol))
                    .hint("split loops over indices of the result alone"),
                {cut.source, cut.span}, cut.span, {cut.var});
    });
  }
}

}  // namespace

void check_pieces(const Nest& nest) {
  for (const concrete::PieceLoop& cut : nest.program().environment.piece_loops) check_absent_points(nest, cut);
}

}  // namespace filigree::schedule
