#include "ways.h"

#include <fmt/format.h>

#include "autoschedule/describe.h"
#include "compiler/choice.h"
#include "show.h"
#include "support/text.h"
#include "terminal.h"

namespace filigree::tool {
namespace {

constexpr size_t most_shown = 6;  // beside the statement's own loops

/// A statement with its loops and their tasks.
std::string statement_lines(const notation::Statement& statement, bool is_temporary, const compiler::MakeLoops& loops,
                            const autoschedule::KnownInputs& inputs) {
  compiler::PipelineOptions how;
  how.make_loops = loops;
  concrete::Program planned = compiler::plan(statement, how);
  std::string format =
      is_temporary ? fmt::format(", '{}' in {}", statement.lhs.tensor.name(), to_string(statement.lhs.tensor.format()))
                   : "";
  std::string text = fmt::format("    {}{}\n", notation::to_string(statement), format);
  text += fmt::format("      {}\n", concrete::to_string(planned.statement));
  if (std::optional<std::string> tasks = autoschedule::tasks_text(planned, inputs))
    text += fmt::format("      {}\n", *tasks);
  return text;
}

std::string way_lines(const compiler::Way& way, autoschedule::KnownInputs inputs) {
  inputs.stored.insert(way.stored.begin(), way.stored.end());
  std::string text;
  for (size_t n = 0; n < way.statements.size(); n++)
    text += statement_lines(way.statements[n], n + 1 < way.statements.size(), compiler::loops_of(way), inputs);
  return text;
}

/// Nothing for several kernels, and where there is no choice.
std::optional<compiler::Choice> choice_for(const Program& program, const filigree::Arguments& inputs,
                                           const ProgramOptions& options) {
  const Kernel* kernel = only_kernel(program, inputs);
  if (!kernel || !compiler::may_choose(options, kernel->statement())) return std::nullopt;
  compiler::WayOptions how;
  how.parallel = options.thread_count() > 1;
  compiler::Choice choice = compiler::choice_of(*kernel, inputs, how);
  return choice.ways.own ? std::optional(std::move(choice)) : std::nullopt;
}

std::string measure_text(const compiler::Choice& choice, const compiler::Way& way,
                         const autoschedule::Measure& measure) {
  std::string text = measure.work > 0 ? fmt::format("about {:.3g} tasks, {:.3g} of work", measure.tasks, measure.work)
                                      : "not estimated";
  if (std::optional<double> time = choice.measured(way))
    text += fmt::format(", {} when it was tuned", show_time(*time));
  return text + "\n";
}

std::string way_json(const compiler::Choice& choice, const compiler::Way& way, const autoschedule::Measure& measure,
                     const notation::Statement& statement, const autoschedule::KnownInputs& inputs) {
  std::vector<std::string> members = {fmt::format("\"way\": {}", autoschedule::quoted(compiler::name_of(way)))};
  auto add = [&](const char* name, const std::string& text) {
    if (!text.empty()) members.push_back(fmt::format("\"{}\": {}", name, autoschedule::quoted(text)));
  };
  add("text", compiler::command_of(way));
  add("candidate", way.candidate);
  std::vector<std::string> cost;
  for (const std::string& tasks : compiler::tasks_of(way, statement, inputs))
    cost.push_back(autoschedule::quoted(tasks));
  members.push_back(fmt::format("\"cost\": [{}]", join(cost, ", ")));
  members.push_back(fmt::format("\"tasks\": {:.6g}, \"work\": {:.6g}", measure.tasks, measure.work));
  if (std::optional<double> time = choice.measured(way))
    members.push_back(fmt::format("\"measured_ms\": {:.6g}", *time));
  members.push_back(fmt::format("\"taken\": {}", choice.takes(way)));
  return "    {" + join(members, ", ") + "}";
}

}  // namespace

const Kernel* only_kernel(const Program& program, const filigree::Arguments& inputs) {
  const std::vector<Program::Step>& steps = program.steps(inputs);
  return steps.size() == 1 ? std::get_if<Kernel>(&steps[0].kernel) : nullptr;
}

std::optional<Program> taken_instead(const Program& program, const filigree::Arguments& inputs,
                                     const ProgramOptions& options) {
  std::optional<compiler::Choice> choice = choice_for(program, inputs, options);
  bool is_other = choice && !choice->taken.statements.empty();
  return is_other ? std::optional(compiler::program_of(choice->taken, options)) : std::nullopt;
}

std::string describe_ways(const Program& program, const filigree::Arguments& inputs, const ProgramOptions& options) {
  std::optional<compiler::Choice> choice = choice_for(program, inputs, options);
  if (!choice) return "";
  std::string text = "\n" + heading("ways") + "\n";
  const notation::Statement& statement = only_kernel(program, inputs)->statement();
  autoschedule::KnownInputs known = compiler::known_inputs(statement, inputs);
  text += fmt::format("  its own loops{}: {}", choice->takes({}) ? ", which are taken" : "",
                      measure_text(*choice, {}, *choice->ways.own));
  text += statement_lines(statement, false, nullptr, known);
  const std::vector<compiler::Way>& others = choice->ways.others;
  for (size_t n = 0; n < others.size(); n++) {
    const compiler::Way& way = others[n];
    if (n >= most_shown && !choice->takes(way)) continue;
    std::string taken_word = way.statements.size() > 1 ? ", which are taken" : ", which is taken";
    text += fmt::format("  {}{}: {}", compiler::name_of(way), choice->takes(way) ? taken_word : "",
                        measure_text(*choice, way, way.measure));
    if (std::string command = compiler::command_of(way); !command.empty()) text += fmt::format("    {}\n", command);
    if (!way.candidate.empty()) text += fmt::format("    candidate {}\n", way.candidate);
    text += way_lines(way, known);
  }
  if (others.size() > most_shown) text += fmt::format("  and {} more\n", others.size() - most_shown);
  return text + fmt::format("  - {}\n", choice->reason);
}

std::string ways_json(const Program& program, const filigree::Arguments& inputs, const ProgramOptions& options) {
  std::optional<compiler::Choice> choice = choice_for(program, inputs, options);
  if (!choice) return "";
  const notation::Statement& statement = only_kernel(program, inputs)->statement();
  autoschedule::KnownInputs known = compiler::known_inputs(statement, inputs);
  std::vector<std::string> rows = {way_json(*choice, {}, *choice->ways.own, statement, known)};
  for (const compiler::Way& way : choice->ways.others)
    rows.push_back(way_json(*choice, way, way.measure, statement, known));
  return fmt::format("  \"ways\": [\n{}\n  ],\n  \"why\": {}", join(rows, ",\n"),
                     autoschedule::quoted(choice->reason));
}

}  // namespace filigree::tool
