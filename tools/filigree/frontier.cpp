#include "frontier.h"

#include <fmt/format.h>

#include "autoschedule/describe.h"

namespace filigree::tool {
namespace {

/// People wait for these.
constexpr size_t most_candidates = 200'000;

/// Of all indices and operands; nothing if some input is not there.
std::optional<autoschedule::InputSizes> find_sizes(const autoschedule::Problem& problem,
                                                   const filigree::Arguments& inputs) {
  std::map<IndexVar, double> extents;
  autoschedule::InputSizes out;
  for (const notation::Access& access : notation::accesses(problem.statement.rhs)) {
    auto input = std::find_if(inputs.begin(), inputs.end(),
                              [&](const Argument& given) { return given.name == access.tensor.name(); });
    if (input == inputs.end()) return std::nullopt;
    out.stored[access.tensor.name()] = static_cast<double>(input->tensor->stored());
    for (size_t d = 0; d < access.indices.size(); d++)
      extents[access.indices[d]] = static_cast<double>(input->tensor->dimensions()[d]);
  }
  for (const std::string& index : problem.indices) {
    auto known = extents.find(problem.variables.at(index));
    if (known == extents.end()) known = extents.find(problem.variables.at(problem.dimensions.at(index)));
    if (known == extents.end()) return std::nullopt;
    out.extents[index] = known->second;
  }
  return out;
}

std::string without_frontier(const notation::Statement& statement, const std::string& reason, bool in_words,
                             const std::string& more) {
  if (in_words) return "none is found: " + reason + "\n";
  return fmt::format("{{\n  \"statement\": {},\n  \"reason\": {}{}\n}}\n",
                     autoschedule::quoted(notation::to_string(statement)), autoschedule::quoted(reason), more);
}

}  // namespace

std::string frontier_text(const notation::Statement& statement, const filigree::Arguments& inputs, bool in_words,
                          const std::string& ways) {
  std::string more = ways.empty() ? "" : ",\n" + ways;
  auto made = autoschedule::problem_of(statement);
  if (const auto* none = std::get_if<autoschedule::NotScheduled>(&made))
    return without_frontier(statement, none->reason, in_words, more);
  const auto& problem = std::get<autoschedule::Problem>(made);
  auto found = autoschedule::find_frontier(problem, {.most_candidates = most_candidates});
  if (const auto* none = std::get_if<autoschedule::NotScheduled>(&found))
    return without_frontier(statement, none->reason, in_words, more);
  const auto& frontier = std::get<autoschedule::Frontier>(found);
  std::optional<autoschedule::InputSizes> sizes = find_sizes(problem, inputs);
  std::optional<autoschedule::Choice> choice = sizes ? autoschedule::choose(frontier, problem, *sizes) : std::nullopt;
  return in_words ? autoschedule::describe(frontier, problem, choice)
                  : autoschedule::to_json(frontier, problem, choice, more);
}

}  // namespace filigree::tool
