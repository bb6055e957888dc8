// Schedules: how a statement is to run.  A schedule never changes what is computed.
//
//   schedule := command (',' command)*           "protocol(A, j, gallop), protocol(B, j, step)"
//   command  := name '(' argument (',' argument)* ')'
//
// Commands are data: they print as text that reads back, and are applied to concrete index notation.  A command is
// an alternative of Command, a line in commands.h, and a file with its text, its checks and what it does.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "concrete/concrete.h"

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

/// protocol(tensor, variable, strategy): reach `tensor` in the loop over `variable` like this (concrete/protocol.h).
struct Protocol {
  Name tensor, variable;
  concrete::Protocol strategy;
  Source source = nullptr;  // the text it is from, if any
  Span span = {};           // of the whole command
  bool operator==(const Protocol& other) const { return tensor == other.tensor && variable == other.variable && strategy == other.strategy; }
};

using Command = std::variant<Protocol>;
using Schedule = std::vector<Command>;

/// Throws UserError that points into the text.  `name` is what messages call the text.
Schedule parse(const std::string& text, const std::string& name = "schedule");
/// Text that parse() reads back.
std::string to_string(const Command& command);
std::string to_string(const Schedule& schedule);

/// The tensor that a command names.
const std::string& tensor_of(const Command& command);
/// Does the command fit the statement: does it read that tensor with that variable?
bool is_about(const Command& command, const notation::Statement& statement);

/// The program with all commands applied, in order.
/// Requires: a program as concretize makes it, without workspaces for its result.
/// Throws UserError for a command that does not fit the program.  What depends on how loops meet operands is checked
/// where that is decided: lattice/strategy.h.
concrete::Program apply_schedule(const Schedule& schedule, const concrete::Program& program);

}  // namespace filigree::schedule
