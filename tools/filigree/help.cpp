#include "help.h"

#include <algorithm>

#include <fmt/format.h>

#include "support/diagnostic.h"
#include "support/text.h"
#include "terminal.h"
#include "usage.h"

namespace filigree::tool {
namespace {

constexpr size_t width = 100;
constexpr size_t spelling_width = 30;

std::string option_line(const Option& option) {
  return fmt::format("  {:<{}}{}\n", option.spelling(), spelling_width - 2, option.summary);
}

/// All but `help`, which the option of that name tells of on the same screen.
std::string command_lines() {
  size_t longest = 0;
  for (const CommandRow& row : all_commands()) longest = std::max(longest, row.synopsis.size());
  std::string text;
  for (const CommandRow& row : all_commands()) {
    if (row.command != Command::Help) text += fmt::format("  {:<{}}  {}\n", row.synopsis, longest, row.summary);
  }
  return text;
}

std::string topic_lines() {
  std::string text;
  for (const Topic& topic : written_topics()) text += fmt::format("  {:<14}{}\n", topic.name, topic.summary);
  return text + fmt::format("  {:<14}{}\n", "options", "all options, and the commands that take them");
}

std::string command_help(const CommandRow& row) {
  return "usage: " + row.synopsis + "\n\n" + row.text + option_lines(row.command) +
         "\nfiligree help formats lists formats, and filigree help examples shows more commands.\n";
}

}  // namespace

std::string wrap(const std::string& text, size_t indent, size_t width) {
  std::string lines, line;
  auto end_line = [&] {
    if (!line.empty()) lines += std::string(indent, ' ') + line + "\n";
    line.clear();
  };
  for (const std::string& word : split(text, ' ')) {
    if (word.empty()) continue;
    if (!line.empty() && indent + line.size() + 1 + word.size() > width) end_line();
    line += (line.empty() ? "" : " ") + word;
  }
  end_line();
  return lines;
}

std::string option_lines(Command command) {
  std::string text;
  for (Group group : {Group::Tensors, Group::Running, Group::Showing, Group::General}) {
    std::string lines;
    for (const Option* option : options_of(command)) {
      bool is_for_installing = option->name == "completion" || option->name == "man";
      if (option->group == group && !is_for_installing) lines += option_line(*option);
    }
    if (lines.empty()) continue;
    std::string title = heading_of(group, command),
                remark = title == heading_of(Group::Tensors) ? " (T: the name of a tensor; these may be repeated)" : "";
    text += "\n" + heading(title) + remark + "\n" + lines;
  }
  return text;
}

std::string sentences(const Option& option) {
  std::string text = option.summary + ".";
  if (text[0] >= 'a' && text[0] <= 'z' && (text.size() < 2 || text[1] != '.'))
    text[0] = static_cast<char>(text[0] - 'a' + 'A');
  if (!option.details.empty()) text += "  " + option.details;
  for (const std::string& alias : option.aliases) text += fmt::format("  Also --{}.", alias);
  return text;
}

std::string takers(const Option& option) {
  std::vector<std::string> names;
  for (const CommandRow& row : all_commands()) {
    if (row.command == Command::Help) continue;
    if (option.belongs_to(row.command)) names.push_back(row.name.empty() ? "an expression" : row.name);
  }
  return names.size() + 1 == all_commands().size() ? "" : join(names, ", ");
}

std::string all_option_details() {
  std::string text;
  for (const Option& option : all_options()) {
    std::string commands = takers(option);
    text += "  " + option.spelling() + (commands.empty() ? "" : "   [" + commands + "]") + "\n" +
            wrap(sentences(option), 8, width);
  }
  return text;
}

std::string main_help() {
  return "Filigree compiles tensor algebra in index notation to one fused kernel, and runs it.\n\n" + command_lines() +
         "\n  filigree 'y(i) = A(i,j) * x(j)' -f A:csr -i A:matrix.mtx -i x:ones -o y:y.tns\n" +
         option_lines(Command::Run) + "\n" + wrap("topics of help: " + join(topic_names(), ", "), 0, width);
}

std::vector<std::string> topic_names() {
  std::vector<std::string> names;
  for (const CommandRow& row : all_commands()) {
    if (!row.name.empty() && row.command != Command::Help) names.push_back(row.name);
  }
  for (const Topic& topic : written_topics()) names.push_back(topic.name);
  names.push_back("options");
  return names;
}

std::string help_text(const std::string& given) {
  std::string name = lower_case(trim(given));
  for (const CommandRow& row : all_commands()) {
    if (row.name == name && !name.empty())
      return row.command == Command::Help ? "usage: " + row.synopsis + "\n\n" + row.text + "\ntopics\n" + topic_lines()
                                          : command_help(row);
  }
  for (const Topic& topic : written_topics()) {
    if (topic.name == name) return topic.text;
  }
  if (name == "options") return all_option_details();
  std::optional<std::string> guess = did_you_mean(name, topic_names());
  std::string there_are = "there are " + join(topic_names(), ", ");
  throw UsageError(fmt::format("There is no help about '{}'", given),
                   guess ? fmt::format("did you mean '{}'? {}", *guess, there_are) : there_are);
}

}  // namespace filigree::tool
