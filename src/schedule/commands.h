// All commands: how each is read from text, printed and applied.  Internal to schedules.
#pragma once

#include <vector>

#include "schedule/schedule.h"

namespace filigree::schedule {

/// name(arguments) as written.
struct Call {
  Name name;
  std::vector<Name> arguments;
  Source source;
  Span span;
};

struct CommandSyntax {
  const char* name;
  std::vector<const char*> parameters;  // for messages, and how many there are
  Command (*read)(const Call& call);    // Requires: as many arguments as parameters
};
const std::vector<CommandSyntax>& commands();

// protocol.cpp
Command read_protocol(const Call& call);
std::string to_string(const Protocol& command);
void apply(const Protocol& command, concrete::Program& program);
const std::string& tensor_of(const Protocol& command);
bool is_about(const Protocol& command, const notation::Statement& statement);

}  // namespace filigree::schedule
