#include "alternatives.h"

#include <algorithm>

#include <fmt/format.h>

#include "layout_format.h"
#include "names.h"
#include "plan.h"
#include "schedule/schedule.h"
#include "support/warning.h"
#include "terminal.h"

namespace filigree::tool {
namespace {

/// One text for all spellings of a format: csr, ds.
std::string meaning_of_format(const Setting& setting, const front::ProgramNames& names) {
  const front::ProgramNames::Tensor* tensor = names.find(setting.name);
  if (!tensor) return setting.value;  // refused with all other options that name no tensor
  return to_string(parse_format_option(setting.value, tensor->use.order, setting.option + " " + setting.name));
}

std::string meaning_of_schedule(const std::string& text) {
  RunArguments arguments;
  arguments.schedule = text;
  return has_commands(arguments) ? schedule::to_string(schedule::parse(text, "-s")) : text;
}

/// Keeps the first of those that mean the same.
template <class Choice, class Meaning, class Spelling>
std::vector<Choice> distinct(const std::vector<Choice>& choices, const Meaning& meaning, const Spelling& spelling) {
  std::vector<Choice> kept;
  std::vector<std::string> meanings;
  for (const Choice& choice : choices) {
    std::string means = meaning(choice);
    auto same = std::find(meanings.begin(), meanings.end(), means);
    if (same == meanings.end()) {
      kept.push_back(choice);
      meanings.push_back(means);
      continue;
    }
    std::string first = spelling(kept[static_cast<size_t>(same - meanings.begin())]), again = spelling(choice);
    print_error(
        Warning(UserError(first == again ? fmt::format("{} is given twice, and timed once", again)
                                         : fmt::format("{} means the same as {}, and is not timed", again, first)))
            .text());
  }
  return kept;
}

}  // namespace

CompareArguments distinct_alternatives(CompareArguments arguments) {
  std::set<std::string> declared = declared_names(arguments.common);
  for (const Settings& choices : arguments.formats) {
    for (const Setting& setting : choices) declared.insert(setting.name);
  }
  notation::ParsedProgram parsed = notation::parse_program(arguments.common.expression, declared);
  front::ProgramNames names(parsed, given_names(arguments.common));
  auto format = [&](const Setting& setting) { return meaning_of_format(setting, names); };
  auto setting_text = [](const Setting& setting) {
    return fmt::format("{} {}:{}", setting.option, setting.name, setting.value);
  };
  for (const Setting& setting : arguments.common.formats) format(setting);
  for (Settings& choices : arguments.formats) choices = distinct(choices, format, setting_text);
  arguments.schedules =
      distinct(arguments.schedules, meaning_of_schedule, [](const std::string& text) { return "-s '" + text + "'"; });
  return arguments;
}

}  // namespace filigree::tool
