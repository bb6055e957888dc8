// Schedules: how a statement is to run.  A schedule never changes what is computed.
//
//   schedule := command (',' command)*           "split(i, i0, i1, 32), parallelize(i0, cpu, none)"
//   command  := name '(' argument (',' argument)* ')'
//
// Commands are data: they print as text that reads back, and are applied to concrete index notation.  A command is
// an alternative of Command, a line in commands.h, and a file with its text, its checks and what it does.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "concrete/concrete.h"
#include "concrete/requests.h"

namespace filigree::schedule {

/// A name as it was written; the span is empty for one that was not.
struct Name {
  Name(std::string text, Span span = {}) : text(std::move(text)), span(span) {}
  Name(const char* text) : Name(std::string(text)) {}
  Name(const TensorVar& tensor) : Name(tensor.name()) {}
  Name(const IndexVar& var) : Name(var.name()) {}
  std::string text;
  Span span;
  bool operator==(const Name& other) const { return text == other.text; }
};

/// The text a command is from, if any; commands are the same wherever they stand.
struct Place {
  Source source = nullptr;
  Span span = {};  // of the whole command
  bool operator==(const Place&) const { return true; }
};

/// protocol(tensor, variable, strategy): reach `tensor` in the loop over `variable` like this (concrete/protocol.h).
struct Protocol {
  Name tensor, variable;
  concrete::Protocol strategy;
  Place place = {};
  bool operator==(const Protocol&) const = default;
};

/// reorder(i, j, ...): these loops, which stand one directly inside the other, in this order.
struct Reorder {
  std::vector<Name> order;
  Place place = {};
  bool operator==(const Reorder&) const = default;
};

/// split(variable, outer, inner, size): a loop over pieces of `size`, and one inside each; with `up`, a loop over
/// `size` pieces. With a tensor, pieces are of its positions.
struct Split {
  enum class Direction { Down, Up };
  Name variable, outer, inner;
  std::int64_t size;
  Direction direction = Direction::Down;
  std::optional<Name> tensor = {};
  Place place = {};
  bool operator==(const Split&) const = default;
};

/// collapse(outer, inner, variable): two loops, one directly inside the other, as one.
struct Collapse {
  Name outer, inner, variable;
  Place place = {};
  bool operator==(const Collapse&) const = default;
};

/// pos(variable, position, tensor): the loop runs over the positions of `tensor`, which has all there is to visit.
struct Pos {
  Name variable, position, tensor;
  Place place = {};
  bool operator==(const Pos&) const = default;
};

/// coord(position, variable): back from positions to coordinates.
struct Coord {
  Name position, variable;
  Place place = {};
  bool operator==(const Coord&) const = default;
};

/// cut(variable, pieces, kind, [tensor], [number]): a piece of equal work for each thread, or so many pieces.
struct Cut {
  enum class Kind { Rows, Nonzeros, Merge };
  Name variable, pieces;
  Kind kind;
  std::optional<Name> tensor = {};
  std::optional<std::int64_t> number = {};
  Place place = {};
  bool operator==(const Cut&) const = default;
};

/// parallelize(variable, unit, races): iterations at the same time.
struct Parallelize {
  enum class Unit {
    Cpu,
    Vector,
    GpuBlock,
    GpuWarp,
    GpuThread,
    Serial
  };  // Serial: one iteration after the other, as without the command
  Name variable;
  Unit unit;
  concrete::Races races = concrete::Races::None;
  bool reduces = false;  // written as a reduction: temporaries, of a scalar
  Place place = {};
  bool operator==(const Parallelize&) const = default;
};

/// vectorize(variable): iterations as elements of vectors; the same as parallelize(variable, vector).
struct Vectorize {
  Name variable;
  Place place = {};
  bool operator==(const Vectorize&) const = default;
};

/// unroll(variable, factor): so many iterations of the loop one after the other, without tests between them.
struct Unroll {
  Name variable;
  std::int64_t factor;
  Place place = {};
  bool operator==(const Unroll&) const = default;
};

/// bound(variable, kind, amount): what is known about the number of coordinates of `variable`; each run checks it. With
/// another name, the variable is called so from here on.
struct Bound {
  using Kind = concrete::ExtentBound::Kind;
  Name variable;
  Kind kind;
  std::int64_t amount;
  std::optional<Name> renamed = {};
  Place place = {};
  bool operator==(const Bound&) const = default;
};

/// precompute(expression, variables, inner, [workspace]): this part of the statement is computed on its own, into a
/// workspace over `variables`; the loops that fill it are over `inner` instead.
struct Precompute {
  Name expression;  // its text; notation::to_string of one
  std::vector<Name> variables, inner;
  std::optional<Name> workspace = {};  // a name that is free, if it is not given: with_names
  std::optional<Name> format = {};     // a word or the text of a format
  std::optional<ElementType> type = {};
  Place place = {};
  bool operator==(const Precompute&) const = default;
};

/// reformat(tensor, format): an operand is copied into this format first.
struct Reformat {
  Name tensor, format;
  Place place = {};
  bool operator==(const Reformat&) const = default;
};

/// mergeby(variable, strategy): how the loop over `variable` goes through all operands that meet there and cannot be
/// located.
struct MergeBy {
  enum class Strategy { TwoFinger, Gallop };  // step by step; or each leaps to where the others are
  Name variable;
  Strategy strategy;
  Place place = {};
  bool operator==(const MergeBy&) const = default;
};

/// assemble(result, how): in which way the levels of `result` are filled that have no place for every component.
struct Assemble {
  using How = concrete::AssemblyRequest::How;
  Name tensor;
  How how;
  Place place = {};
  bool operator==(const Assemble&) const = default;
};

using Command = std::variant<Protocol, Reorder, Split, Collapse, Pos, Coord, Cut, Parallelize, Vectorize, Unroll, Bound,
                             Precompute, Reformat, MergeBy, Assemble>;
using Schedule = std::vector<Command>;

/// Throws UserError that points into the text.  `name` is what messages call the text.
Schedule parse(const std::string& text, const std::string& name = "schedule");
/// Text that parse() reads back.
std::string to_string(const Command& command);
std::string to_string(const Schedule& schedule);

/// The schedule with a name for every workspace: those that have none get one that nothing else in the statement or the
/// schedule has.
Schedule with_names(const Schedule& schedule, const notation::Statement& statement);

/// For each command: does the statement have what it names, by itself or from commands before it?
std::vector<bool> about(const Schedule& schedule, const notation::Statement& statement);
/// The tensors that a command names.
std::vector<std::string> tensors_of(const Command& command);

/// A statement whose operands are in the formats that a schedule asks for.
struct Reformatted {
  notation::Statement statement;
  std::vector<std::pair<TensorVar, TensorVar>>
      copies;  // from the operand as declared to what the statement reads instead, of the same name
};
/// Throws UserError for a format that cannot hold the operand, or would change which components of the result are
/// stored.
Reformatted reformat(const Schedule& schedule, const notation::Statement& statement);

/// A statement with the parts marked that are to be computed on their own, and what else is asked for before there are
/// loops.
struct Steered {
  notation::Statement statement;
  concrete::Requests requests;
};
/// Requires: a plain assignment.  Throws UserError for a part that the statement does not have, or that cannot be
/// computed so.
Steered steer(const Schedule& schedule, const notation::Statement& statement);

/// The program with all commands applied, in order.
/// Requires: a program as concretize makes it of what steer() says, without workspaces for its result.
/// Throws UserError for a command that does not fit the program.  What depends on how loops meet operands is checked
/// where that is decided: lattice/strategy.h.
concrete::Program apply_schedule(const Schedule& schedule, const concrete::Program& program);

/// Throws UserError if results may depend on how many threads there are, and on which of them is first.
/// Temporaries are combined in order: they give the same bits for the same number of pieces, which is for lowering to
/// fix.
void check_deterministic(const concrete::Program& program);

}  // namespace filigree::schedule
