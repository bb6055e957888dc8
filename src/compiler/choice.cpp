#include "compiler/choice.h"

#include <algorithm>

#include <fmt/format.h>

#include "compiler/tuned.h"
#include "support/text.h"

namespace filigree::compiler {

bool Choice::takes(const Way& way) const { return text_of(way) == text_of(taken); }

std::optional<double> Choice::measured(const Way& way) const {
  auto found = measured_ms.find(text_of(way));
  return found == measured_ms.end() ? std::nullopt : std::optional(found->second);
}

namespace {

/// What is taken is one of the ways, even if it was not among those that are found now.
void add_taken(Choice& choice) {
  std::vector<Way>& others = choice.ways.others;
  bool is_there = choice.taken.statements.empty() ||
                  std::any_of(others.begin(), others.end(), [&](const Way& way) { return choice.takes(way); });
  if (!is_there) others.push_back(choice.taken);
}

}  // namespace

Choice choice_of(const Kernel& kernel, const Arguments& operands, const WayOptions& options) {
  Choice out{ways_of(kernel, operands, options), {}, "", {}};
  out.reason = out.ways.reason;
  if (!out.ways.own) return out;
  const notation::Statement& statement = kernel.statement();
  autoschedule::KnownInputs inputs = known_inputs(statement, operands);
  out.measured_ms = tuned_times(statement, inputs);
  if (std::optional<Way> tuned = tuned_way(statement, inputs)) {
    out.taken = *tuned;
    out.reason = "'filigree tune' found that to be the fastest";
    add_taken(out);
    return out;
  }
  if (out.ways.takes_other) out.taken = out.ways.others[0];
  std::optional<Way> chosen = chosen_way(statement, inputs, options);
  if (!chosen || text_of(*chosen) == text_of(out.taken)) return out;
  out.taken = *chosen;
  out.reason = "that was chosen before, for operands of about these sizes";
  add_taken(out);
  return out;
}

std::string command_of(const Way& way) {
  if (!way.schedule.empty()) return fmt::format("-s '{}'", way.schedule);
  if (!way.commands.empty()) return fmt::format("-s '{}'", way.commands);
  if (way.statements.size() < 2) return "";
  std::vector<std::string> statements, formats;
  for (const notation::Statement& statement : way.statements) {
    statements.push_back(notation::to_string(statement));
    bool is_temporary = &statement != &way.statements.back();
    std::string format = to_string(statement.lhs.tensor.format());
    if (is_temporary && statement.lhs.tensor.order() > 0)
      formats.push_back(fmt::format(" -f '{}:{}'", statement.lhs.tensor.name(), format));
  }
  return fmt::format("'{}'{}", join(statements, "; "), join(formats, ""));
}

std::vector<std::string> tasks_of(const Way& way, const notation::Statement& statement,
                                  autoschedule::KnownInputs inputs) {
  inputs.stored.insert(way.stored.begin(), way.stored.end());
  std::vector<notation::Statement> statements = way.statements;
  if (statements.empty()) statements = {statement};
  std::vector<std::string> out;
  for (const notation::Statement& one : statements) {
    PipelineOptions how;
    how.make_loops = loops_of(way);
    out.push_back(autoschedule::tasks_text(plan(one, how), inputs).value_or(""));
  }
  return out;
}

}  // namespace filigree::compiler
