#include "schedule/schedule.h"

#include "schedule/commands.h"
#include "support/text.h"

namespace filigree::schedule {

const std::vector<CommandSyntax>& commands() {
  static const std::vector<CommandSyntax> all = {
      {"protocol", {"tensor", "variable", "strategy"}, read_protocol},
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

const std::string& tensor_of(const Command& command) {
  return std::visit([](const auto& c) -> const std::string& { return tensor_of(c); }, command);
}

bool is_about(const Command& command, const notation::Statement& statement) {
  return std::visit([&](const auto& c) { return is_about(c, statement); }, command);
}

concrete::Program apply_schedule(const Schedule& schedule, const concrete::Program& program) {
  concrete::Program out = program;
  for (const Command& command : schedule) std::visit([&](const auto& c) { apply(c, out); }, command);
  return out;
}

}  // namespace filigree::schedule
