#include "file_settings.h"

#include <algorithm>

#include <fmt/format.h>

#include "io/files.h"
#include "support/text.h"

namespace filigree::tool {

int parse_base(const std::string& text) {
  std::string digit = trim(text.starts_with('=') ? text.substr(1) : text);
  if (digit != "0" && digit != "1") throw UsageError(fmt::format("--base needs 0 or 1, found '{}'", text), "for example --base 0 or --base A:0");
  return digit == "1";
}

std::optional<int> file_base(const RunArguments& arguments, const std::string& tensor, bool is_read) {
  if (const Setting* setting = find(arguments.bases, tensor)) return parse_base(setting->value);
  // Without a name it is about all files for which it can be said.
  const Setting* input = find(arguments.inputs, tensor);
  bool is_heeded = is_read && arguments.base && input && heeds_base(input->value, *arguments.base);
  return is_heeded ? arguments.base : std::nullopt;
}

std::optional<Warning> base_without_effect(const std::string& option, int base, const std::string& path) {
  if (heeds_base(path, base)) return std::nullopt;
  return Warning(UserError(fmt::format("{} has no effect: coordinates of '{}' count {}", option, path, base == 1 ? "from 1 without it, too" : "from 0 in every such file")));
}

std::vector<Warning> bases_without_effect(const RunArguments& arguments) {
  std::vector<Warning> warnings;
  auto is_read = [&](const Setting& input) { return is_file_name(input.value); };
  for (const Setting& setting : arguments.bases) {
    int base = parse_base(setting.value);
    std::string option = fmt::format("--base {}:{}", setting.name, base);
    const Setting *input = find(arguments.inputs, setting.name), *output = find(arguments.outputs, setting.name);
    if (input && !is_read(*input)) input = nullptr;
    if ((input && heeds_base(input->value, base)) || (output && heeds_base(output->value, base))) continue;
    if (input || output) warnings.push_back(*base_without_effect(option, base, (input ? input : output)->value));
    else warnings.push_back(Warning(UserError(fmt::format("{} has no effect: '{}' is neither read from a file nor written to one", option, setting.name))));
  }
  if (!arguments.base) return warnings;
  int base = *arguments.base;
  auto heeds = [&](const Setting& setting) { return heeds_base(setting.value, base); };
  auto heeds_input = [&](const Setting& input) { return is_read(input) && !find(arguments.bases, input.name) && heeds(input); };
  if (std::any_of(arguments.inputs.begin(), arguments.inputs.end(), heeds_input)) return warnings;
  bool reads = std::any_of(arguments.inputs.begin(), arguments.inputs.end(), is_read);
  UserError what(fmt::format("--base {} has no effect: {}", base, !reads ? "no file is read" : base == 1 ? "no edge list is read, and other files count from 1 without it, too" : "no text file is read"));
  auto written = std::find_if(arguments.outputs.begin(), arguments.outputs.end(), heeds);
  if (written != arguments.outputs.end()) std::move(what).hint(fmt::format("it is about files that are read; --base {}:{} is about '{}'", written->name, base, written->value));
  warnings.push_back(Warning(std::move(what)));
  return warnings;
}

void check_streams(const RunArguments& arguments) {
  for (const Settings* settings : {&arguments.inputs, &arguments.outputs}) {
    const Setting* first = nullptr;
    for (const Setting& setting : *settings) {
      if (!is_standard_stream(setting.value)) continue;
      bool is_input = settings == &arguments.inputs;
      if (first) {
        throw UsageError(fmt::format("'{}' and '{}' are both {} standard {}", first->name, setting.name, is_input ? "read from" : "written to", is_input ? "input" : "output"),
                         "use a file for one of them");
      }
      first = &setting;
    }
  }
}

}  // namespace filigree::tool
