#include "schedule/schedule.h"

#include "schedule/commands.h"
#include "support/text.h"

namespace filigree::schedule {

const std::vector<CommandSyntax>& commands() {
  static const std::vector<CommandSyntax> all = {
      {{"reorder"}, {"variable", "variable", "..."}, read_reorder},
      {{"split"}, {"variable", "outer", "inner", "[up]", "size", "[tensor]"}, read_split},
      {{"collapse", "fuse"}, {"outer", "inner", "variable"}, read_collapse},
      {{"pos"}, {"variable", "position", "tensor"}, read_pos},
      {{"coord"}, {"position", "variable"}, read_coord},
      {{"parallelize"}, {"variable", "cpu|vector", "none|ignore|atomics|temporary|reduction"}, read_parallelize},
      {{"protocol"}, {"tensor", "variable", "strategy"}, read_protocol},
  };
  return all;
}

std::string to_string(const Command& command) {
  return std::visit([](const auto& c) { return to_string(c); }, command);
}

std::string to_string(const Schedule& schedule) {
  std::vector<std::string> parts;
  for (const Command& command : schedule) parts.push_back(to_string(command));
  return join(parts, ", ");
}

concrete::Program apply_schedule(const Schedule& schedule, const concrete::Program& program) {
  Nest nest(program);
  for (const Command& command : schedule) std::visit([&](const auto& c) { apply(c, nest); }, command);
  return nest.program();
}

}  // namespace filigree::schedule
