// All commands: how each is read from text, printed and applied.  Internal to schedules.
#pragma once

#include <vector>

#include "schedule/arguments.h"
#include "schedule/nest.h"

namespace filigree::schedule {

struct CommandSyntax {
  std::vector<const char*> names;       // the first is how it prints
  std::vector<const char*> parameters;  // for messages: "size", "[tensor]" if it may be left out, "..." for any number more
  Command (*read)(Arguments& arguments);
};
const std::vector<CommandSyntax>& commands();

/// "split(variable, outer, inner, size)"
std::string usage(const CommandSyntax& syntax);

// One file each.
Command read_protocol(Arguments& arguments);
Command read_reorder(Arguments& arguments);
Command read_split(Arguments& arguments);
Command read_collapse(Arguments& arguments);
Command read_pos(Arguments& arguments);
Command read_coord(Arguments& arguments);

Command read_parallelize(Arguments& arguments);

std::string to_string(const Protocol& command);
std::string to_string(const Reorder& command);
std::string to_string(const Split& command);
std::string to_string(const Collapse& command);
std::string to_string(const Pos& command);
std::string to_string(const Coord& command);
std::string to_string(const Parallelize& command);

void apply(const Protocol& command, Nest& nest);
void apply(const Reorder& command, Nest& nest);
void apply(const Split& command, Nest& nest);
void apply(const Collapse& command, Nest& nest);
void apply(const Pos& command, Nest& nest);
void apply(const Coord& command, Nest& nest);
void apply(const Parallelize& command, Nest& nest);

}  // namespace filigree::schedule
