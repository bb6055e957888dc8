#include "file_settings.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/files.h"
#include "io/output.h"
#include "support/text.h"

namespace filigree::tool {

int parse_base(const std::string& text) {
  std::string digit = trim(text.starts_with('=') ? text.substr(1) : text);
  if (digit != "0" && digit != "1")
    throw UsageError(fmt::format("--base needs 0 or 1, found '{}'", text), "for example --base 0 or --base A:0");
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
  return Warning(UserError(fmt::format("{} has no effect: coordinates of '{}' count {}", option, path,
                                       base == 1 ? "from 1 without it, too" : "from 0 in every such file")));
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
    else
      warnings.push_back(Warning(UserError(
          fmt::format("{} has no effect: '{}' is neither read from a file nor written to one", option, setting.name))));
  }
  if (!arguments.base) return warnings;
  int base = *arguments.base;
  auto heeds = [&](const Setting& setting) { return heeds_base(setting.value, base); };
  auto heeds_input = [&](const Setting& input) {
    return is_read(input) && !find(arguments.bases, input.name) && heeds(input);
  };
  if (std::any_of(arguments.inputs.begin(), arguments.inputs.end(), heeds_input)) return warnings;
  bool reads = std::any_of(arguments.inputs.begin(), arguments.inputs.end(), is_read);
  UserError what(fmt::format("--base {} has no effect: {}", base,
                             !reads      ? "no file is read"
                             : base == 1 ? "no edge list is read, and other files count from 1 without it, too"
                                         : "no text file is read"));
  auto written = std::find_if(arguments.outputs.begin(), arguments.outputs.end(), heeds);
  if (written != arguments.outputs.end())
    std::move(what).hint(fmt::format("it is about files that are read; --base {}:{} is about '{}'", written->name, base,
                                     written->value));
  warnings.push_back(Warning(std::move(what)));
  return warnings;
}

namespace {

void check_inputs(const Settings& inputs) {
  const Setting* first = nullptr;
  for (const Setting& setting : inputs) {
    if (!is_standard_stream(setting.value)) continue;
    if (first)
      throw UsageError(fmt::format("'{}' and '{}' are both read from standard input", first->name, setting.name),
                       "use a file for one of them");
    first = &setting;
  }
}

/// Something that is written, and what it is called in messages.
struct Written {
  std::string what, path;
  io::OutputTarget target;
};

UsageError written_twice(const Written& first, const Written& second) {
  bool is_stream = is_standard_stream(first.path) && is_standard_stream(second.path);
  std::string message = fmt::format("{} and {} are both written to {}", first.what, second.what,
                                    is_stream ? "standard output" : fmt::format("'{}'", first.path));
  if (!is_stream && first.path != second.path) message += fmt::format(", which is the same file as '{}'", second.path);
  return UsageError(message, is_stream ? "use a file for one of them" : "use another file for one of them");
}

/// As far as can be told before there is something to write.
void check_place(const std::string& path) { io::check_target(path, io::find_target(path)); }

/// A result may take the place of what it is made from, which is an update; C code is none.
void check_code_apart(const std::string& emit, const RunArguments& arguments) {
  io::OutputTarget code = io::find_target(emit);
  auto check = [&](const std::string& what, const std::string& path) {
    bool is_file = !is_standard_stream(path) && std::filesystem::exists(path);
    if (!is_file || !are_same_place(io::find_target(path), code)) return;
    throw UsageError(fmt::format("The C code would take the place of '{}', which {} is read from", path, what),
                     "write it to another file");
  };
  for (const Setting& setting : arguments.inputs) check(fmt::format("'{}'", setting.name), setting.value);
  if (arguments.plan_path) check("the plan", *arguments.plan_path);
}

void check_outputs(const RunArguments& arguments) {
  std::vector<Written> all;
  for (const Setting& setting : arguments.outputs) check_output(setting.value);
  if (arguments.emit) {
    check_place(*arguments.emit);
    check_code_apart(*arguments.emit, arguments);
  }
  for (const Setting& setting : arguments.outputs)
    all.push_back({fmt::format("'{}'", setting.name), setting.value, io::find_target(setting.value)});
  if (arguments.emit) all.push_back({"the C code", *arguments.emit, io::find_target(*arguments.emit)});
  for (size_t n = 0; n < all.size(); n++) {
    for (size_t earlier = 0; earlier < n; earlier++) {
      bool are_streams = is_standard_stream(all[n].path) && is_standard_stream(all[earlier].path);
      if (are_streams || are_same_place(all[n].target, all[earlier].target)) throw written_twice(all[earlier], all[n]);
    }
  }
}

}  // namespace

void check_streams(const RunArguments& arguments) {
  check_inputs(arguments.inputs);
  check_outputs(arguments);
}

void check_output(const std::string& path) {
  if (!is_writable_name(path)) {
    throw UserError(fmt::format("Cannot tell from the name '{}' which file format to write", path))
        .hint("known extensions are " + describe_extensions());
  }
  check_place(path);
}

bool is_standard_output(const std::string& path) { return io::find_target(path).descriptor == STDOUT_FILENO; }

}  // namespace filigree::tool
