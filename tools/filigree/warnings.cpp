#include "warnings.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "file_settings.h"
#include "front/declared_sizes.h"
#include "ir/print.h"
#include "support/match.h"

namespace filigree::tool {
namespace {

Warning without_effect(const std::string& option, const std::string& why) {
  return Warning(UserError(fmt::format("{} has no effect: {}", option, why)));
}

/// Inputs that only statements read whose values are lost.
void add_unread_inputs(const Problem& problem, std::vector<Warning>& warnings) {
  std::vector<notation::Step> steps = notation::link(problem.statements, {});
  std::set<std::string> outputs(problem.results.begin(), problem.results.end()), read;
  for (const TensorVar& input : notation::inputs(notation::statements_of(notation::used_steps(steps, outputs))))
    read.insert(input.name());
  for (const DeclaredTensor& tensor : problem.tensors) {
    if (!tensor.is_input || !problem.inputs.count(tensor.use.name) || read.count(tensor.use.name)) continue;
    warnings.push_back(Warning(UserError(
        fmt::format("Nothing needs the input '{}': the values that it is read for are lost", tensor.use.name))));
  }
}

/// The code of all kernels as text; nothing if the program is refused.
std::optional<std::string> code_of(const Problem& problem, const ProgramOptions& options) {
  try {
    std::string text;
    for (const ir::FunctionDef& function : Program::compile(problem.statements, options).functions())
      text += ir::print(function);
    return text;
  } catch (const UserError&) {
    return std::nullopt;
  }
}

/// Commands without which the code is the same.
void add_commands(const Problem& problem, const ProgramOptions& given, std::vector<Warning>& warnings) {
  if (given.schedule.empty()) return;
  ProgramOptions options = given;
  options.observer = nullptr;
  options.automatic = false;  // a schedule that is made is no measure for one that is given
  std::optional<std::string> code = code_of(problem, options);
  for (size_t n = 0; code && n < given.schedule.size(); n++) {
    options.schedule = given.schedule;
    options.schedule.erase(options.schedule.begin() + static_cast<std::ptrdiff_t>(n));
    if (code_of(problem, options) != code) continue;
    UserError what("This command has no effect: the code is the same without it");
    schedule::Place place = match_variant(given.schedule[n], [](const auto& command) { return command.place; });
    if (place.source) std::move(what).at(place.source, place.span);
    warnings.push_back(Warning(std::move(what)));
  }
}

void add_options(const RunArguments& arguments, const Problem& problem, std::vector<Warning>& warnings) {
  bool only_code = !arguments.print.empty() || arguments.emit || arguments.explain;
  bool shows_c = arguments.emit ||
                 std::find(arguments.print.begin(), arguments.print.end(), "c") != arguments.print.end() ||
                 (!problem.has_data && !only_code);
  if (arguments.with_main && !shows_c)
    warnings.push_back(without_effect("--main", "no C is shown, which --emit and --print c do"));
  if (arguments.target != compiler::Target::Jit && !problem.has_data)
    warnings.push_back(without_effect("--target", "nothing is run without inputs"));
  bool reads_files = std::any_of(problem.inputs.begin(), problem.inputs.end(),
                                 [](const auto& input) { return std::holds_alternative<FileInput>(input.second); });
  for (Warning& warning : bases_without_effect(arguments)) warnings.push_back(std::move(warning));
  if (arguments.threads > 1 && arguments.schedule == "serial" && !reads_files)
    warnings.push_back(without_effect("--threads", "-s serial runs on one"));
}

}  // namespace

std::vector<Warning> find_warnings(const RunArguments& arguments, const Problem& problem, const Program& program,
                                   const ProgramOptions& options) {
  std::vector<Warning> warnings = program.warnings(front::known_sizes(problem).extents);
  add_unread_inputs(problem, warnings);
  add_commands(problem, options, warnings);
  add_options(arguments, problem, warnings);
  return warnings;
}

}  // namespace filigree::tool
