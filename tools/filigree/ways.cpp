#include "ways.h"

#include <fmt/format.h>

#include "compiler/tuned.h"
#include "compiler/way_program.h"
#include "support/text.h"
#include "terminal.h"

namespace filigree::tool {
namespace {

constexpr size_t most_shown = 6;  // beside the statement's own loops

std::string measure_text(const autoschedule::Measure& measure) {
  return fmt::format("about {:.3g} tasks, {:.3g} of work", measure.tasks, measure.work);
}

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

compiler::Ways ways_for(const Kernel& kernel, const filigree::Arguments& inputs, const ProgramOptions& options) {
  compiler::WayOptions how;
  how.parallel = options.thread_count() > 1;
  return compiler::ways_of(kernel, inputs, how);
}

}  // namespace

std::optional<compiler::Way> taken_way(const Kernel& kernel, const compiler::Ways& ways,
                                       const filigree::Arguments& inputs) {
  if (!ways.own) return std::nullopt;  // there is no choice
  const notation::Statement& statement = kernel.statement();
  std::optional<compiler::Way> way = compiler::tuned_way(statement, compiler::known_inputs(statement, inputs));
  if (!way && ways.takes_other) way = ways.others[0];
  return way && !way->statements.empty() ? way : std::nullopt;
}

const Kernel* only_kernel(const Program& program, const filigree::Arguments& inputs) {
  const std::vector<Program::Step>& steps = program.steps(inputs);
  return steps.size() == 1 ? std::get_if<Kernel>(&steps[0].kernel) : nullptr;
}

std::optional<Program> taken_instead(const Program& program, const filigree::Arguments& inputs,
                                     const ProgramOptions& options) {
  const Kernel* kernel = only_kernel(program, inputs);
  if (!kernel || !compiler::may_choose(options, kernel->statement())) return std::nullopt;
  std::optional<compiler::Way> way = taken_way(*kernel, ways_for(*kernel, inputs, options), inputs);
  return way ? std::optional(compiler::program_of(*way, options)) : std::nullopt;
}

std::string describe_ways(const Program& program, const filigree::Arguments& inputs, const ProgramOptions& options) {
  const Kernel* kernel = only_kernel(program, inputs);
  if (!kernel || !compiler::may_choose(options, kernel->statement())) return "";
  compiler::Ways ways = ways_for(*kernel, inputs, options);
  if (!ways.own) return "";
  std::string text = "\n" + heading("ways") + "\n";
  const notation::Statement& statement = kernel->statement();
  autoschedule::KnownInputs known = compiler::known_inputs(statement, inputs);
  std::optional<compiler::Way> taken = taken_way(*kernel, ways, inputs);
  std::string taken_text = taken ? compiler::text_of(*taken) : compiler::text_of({});
  text += fmt::format("  its own loops{}: {}\n", taken ? "" : ", which are taken", measure_text(*ways.own));
  text += statement_lines(statement, false, nullptr, known);
  for (size_t n = 0; n < std::min(most_shown, ways.others.size()); n++) {
    const compiler::Way& way = ways.others[n];
    bool is_taken = compiler::text_of(way) == taken_text;
    std::string taken_word = way.statements.size() > 1 ? ", which are taken" : ", which is taken";
    text += fmt::format("  {}{}: {}\n", compiler::name_of(way), is_taken ? taken_word : "", measure_text(way.measure));
    if (!way.schedule.empty()) text += fmt::format("    -s '{}'\n", way.schedule);
    if (!way.candidate.empty()) text += fmt::format("    candidate {}\n", way.candidate);
    text += way_lines(way, known);
  }
  if (ways.others.size() > most_shown) text += fmt::format("  and {} more\n", ways.others.size() - most_shown);
  bool is_tuned = taken ? !ways.takes_other || compiler::text_of(ways.others[0]) != taken_text : ways.takes_other;
  return text + fmt::format("  - {}\n", is_tuned ? "'filigree tune' found that to be the fastest" : ways.reason);
}

}  // namespace filigree::tool
