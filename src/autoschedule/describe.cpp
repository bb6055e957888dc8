#include "autoschedule/describe.h"

#include <fmt/format.h>

#include "support/text.h"

namespace filigree::autoschedule {

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < 0x20) out += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
    else out += c;
  }
  return out + "\"";
}

namespace {

std::string class_json(const Frontier& frontier, const Problem& problem, size_t number,
                       const std::optional<Choice>& choice) {
  const CostClass& one = frontier.classes[number];
  std::vector<std::string> cost, candidates;
  for (const Query& query : one.cost) cost.push_back(quoted(to_string(query, frontier.universe)));
  for (const Candidate& member : one.members)
    candidates.push_back("        " + quoted(to_string(frontier.plan(member, problem))));
  std::string tasks = choice ? fmt::format(",\n      \"tasks\": {:.6g}", choice->tasks[number]) : "";
  return fmt::format("    {{\n      \"cost\": [{}]{},\n      \"candidates\": [\n{}\n      ]\n    }}", join(cost, ", "),
                     tasks, join(candidates, ",\n"));
}

}  // namespace

std::string to_json(const Frontier& frontier, const Problem& problem, const std::optional<Choice>& choice,
                    const std::string& more) {
  std::vector<std::string> classes;
  for (size_t n = 0; n < frontier.classes.size(); n++) classes.push_back(class_json(frontier, problem, n, choice));
  std::string chosen = choice ? fmt::format(",\n  \"chosen\": {{\"class\": {}, \"candidate\": {}}}", choice->best,
                                            quoted(to_string(choice->candidate)))
                              : "";
  return fmt::format(
      "{{\n  \"statement\": {},\n  \"candidates\": {},\n  \"not_dominated\": {},\n  \"frontier\": [\n{}\n  ]{}{}\n}}\n",
      quoted(notation::to_string(problem.statement)), frontier.candidates, frontier.size(), join(classes, ",\n"),
      chosen, more);
}

std::string describe(const Frontier& frontier, const Problem& problem, const std::optional<Choice>& choice) {
  std::string text = fmt::format("the frontier has {} of {}, with {}\n", frontier.size(),
                                 counted(static_cast<long long>(frontier.candidates), "candidate"),
                                 counted(static_cast<long long>(frontier.classes.size()), "cost"));
  for (size_t n = 0; n < frontier.classes.size(); n++) {
    const CostClass& one = frontier.classes[n];
    std::string tasks = choice ? fmt::format(", about {:.3g} tasks", choice->tasks[n]) : "";
    text +=
        fmt::format("cost {}: {}{}\n", n + 1, counted(static_cast<long long>(one.members.size()), "candidate"), tasks);
    text += "  " + to_string(one.cost, frontier.universe) + "\n";
    Stmt shown = choice && choice->best == n ? choice->candidate : frontier.plan(one.members[0], problem);
    text += "  " + to_string(shown) + "\n";
  }
  if (choice) {
    text += fmt::format(
        "the candidate that is shown for cost {} takes the fewest tasks: it copies {:.3g} components first, and has "
        "{}\n",
        choice->best + 1, choice->burden.copied, counted(choice->burden.temporaries, "temporary", "temporaries"));
  }
  return text;
}

}  // namespace filigree::autoschedule
