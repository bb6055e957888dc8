#include "file_settings.h"

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
  return is_read ? arguments.base : std::nullopt;
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
