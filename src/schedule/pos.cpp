// pos(variable, position, tensor): from coordinates to positions.  coord(position, variable): and back.
//
// Requires: 1. `variable` is in coordinates, `position` in positions  2. `tensor` has the loops as levels that can be
// numbered  3. the other name is new.  That nothing but the tensor leads the loops is checked by lattice/strategy.h
// where they are cut. Before and after: the same loops; what follows cuts them by positions of `tensor`, or by
// coordinates again.
#include <fmt/format.h>

#include "schedule/commands.h"

namespace filigree::schedule {

Command read_pos(Arguments& arguments) {
  Name variable = arguments.name("a variable"), position = arguments.name("a name for its positions"),
       tensor = arguments.tensor();
  return Pos{variable, position, tensor, arguments.place()};
}

Command read_coord(Arguments& arguments) {
  Name position = arguments.name("a variable in positions"), variable = arguments.name("a name for its coordinates");
  return Coord{position, variable, arguments.place()};
}

std::string to_string(const Pos& command) {
  return fmt::format("pos({}, {}, {})", command.variable.text, command.position.text, command.tensor.text);
}
std::string to_string(const Coord& command) {
  return fmt::format("coord({}, {})", command.position.text, command.variable.text);
}

Mentioned mentioned(const Pos& command) { return {{command.tensor}, {command.variable}, {command.position}}; }
Mentioned mentioned(const Coord& command) { return {{}, {command.position}, {command.variable}}; }

void apply(const Pos& command, Nest& nest) {
  Space space = nest.space(command.variable, command.place);
  if (space.positions) {
    nest.fail(UserError(fmt::format("'{}' is in positions of '{}' already", command.variable.text,
                                    space.positions->tensor.name()))
                  .hint(fmt::format("coord({}, ...) goes back to coordinates", command.variable.text)),
              command.place, command.variable.span, space.loops);
  }
  space = nest.in_positions(command.tensor, space, command.place);
  nest.define(command.position, space, command.place);
  nest.retire(command.variable,
              fmt::format("became '{}', in positions of '{}'", command.position.text, command.tensor.text));
}

void apply(const Coord& command, Nest& nest) {
  Space space = nest.space(command.position, command.place);
  if (!space.positions && !space.is_both) {
    nest.fail(UserError(fmt::format("'{}' is in coordinates already", command.position.text))
                  .hint("pos(variable, position, tensor) goes to positions"),
              command.place, command.position.span, space.loops);
  }
  space = Space{space.loops};
  nest.define(command.variable, space, command.place);
  nest.retire(command.position, fmt::format("became '{}', in coordinates", command.variable.text));
}

}  // namespace filigree::schedule
