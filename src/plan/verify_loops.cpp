#include "plan/verify_loops.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "concrete/derivations.h"
#include "support/text.h"

namespace filigree::plan {
namespace {

using lattice::Lattice;
using lattice::Mask;
using lattice::Operand;

std::string name_of(const Operand& operand) {
  std::vector<std::string> path;
  for (const IndexVar& var : operand.path) path.push_back(var.name());
  return fmt::format("{}.{}({})", operand.tensor.name(), operand.level + 1, join(path, ","));
}

std::string name_of(const Lattice& lattice, Mask present) {
  std::vector<std::string> names;
  for (size_t k = 0; k < lattice.operands.size(); k++) {
    if (present >> k & 1) names.push_back(name_of(lattice.operands[k]));
  }
  return names.empty() ? "universe" : "{" + join(names, ", ") + "}";
}

/// The same operands by the numbers that they have in `to`, which has all of them.
Mask translated(Mask present, const Lattice& from, const Lattice& to) {
  Mask out = 0;
  for (size_t k = 0; k < from.operands.size(); k++) {
    if (present >> k & 1)
      out |= Mask{1} << (std::find(to.operands.begin(), to.operands.end(), from.operands[k]) - to.operands.begin());
  }
  return out;
}

std::optional<std::string> problem_of_operands(const Lattice& written, const Lattice& right) {
  const std::string& var = written.var.name();
  for (const Operand& operand : right.operands) {
    if (std::find(written.operands.begin(), written.operands.end(), operand) == written.operands.end())
      return fmt::format("the loop over '{}' does not say how it reaches {}", var, name_of(operand));
  }
  for (const Operand& operand : written.operands) {
    if (std::find(right.operands.begin(), right.operands.end(), operand) == right.operands.end())
      return fmt::format("{} takes no part in the loop over '{}'", name_of(operand), var);
    if (std::count(written.operands.begin(), written.operands.end(), operand) > 1)
      return fmt::format("{} is twice in the loop over '{}'", name_of(operand), var);
  }
  return std::nullopt;
}

std::optional<std::string> problem_of_points(const Lattice& written, const Lattice& right) {
  const std::string& var = written.var.name();
  for (const lattice::Point& point : right.points) {
    auto found = std::find_if(written.points.begin(), written.points.end(), [&](const lattice::Point& p) {
      return translated(p.present, written, right) == point.present;
    });
    std::string which = name_of(right, point.present);
    if (found == written.points.end())
      return fmt::format("the loop over '{}' lacks the case {}, in which it does {}", var, which,
                         concrete::to_string(point.body));
    if (!(found->body == point.body))
      return fmt::format("in the case {} of the loop over '{}' its statement comes to {}, not to {}", which, var,
                         concrete::to_string(point.body), concrete::to_string(found->body));
  }
  if (written.points.size() != right.points.size())
    return fmt::format("the loop over '{}' has cases that its statement does not have", var);
  return std::nullopt;
}

}  // namespace

std::optional<std::string> problem_of_cases(const Loop& loop, const concrete::Forall& forall,
                                            const std::vector<IndexVar>& bound, const Plan& plan, bool is_instead) {
  const Lattice& written = loop.lattice;
  Lattice right = lattice::build_lattice(forall, bound, plan.program.environment);
  if (is_instead) {
    if (!right.if_empty) return fmt::format("there is nothing else to do where a dimension is empty");
    right = lattice::with_universe(right);
  }
  const std::string& var = written.var.name();
  if (auto problem = problem_of_operands(written, right)) return problem;
  if (auto problem = problem_of_points(written, right)) return problem;
  if (written.skipped != right.skipped)
    return right.skipped ? fmt::format("the loop over '{}' does not say what it makes up for: skipped {}", var,
                                       concrete::to_string(*right.skipped))
                         : fmt::format("the loop over '{}' has nothing to make up for", var);
  if (loop.if_empty == nullptr && right.if_empty)
    return fmt::format("the loop over '{}' does not say what runs if a dimension is empty", var);
  if (loop.if_empty != nullptr && !right.if_empty)
    return fmt::format("nothing else is to run instead of the loop over '{}' if a dimension is empty", var);
  if (written.may_be_empty != right.may_be_empty)
    return fmt::format("it depends on other dimensions whether another loop runs instead of that over '{}'", var);
  return std::nullopt;
}

namespace {

/// Can the operands of a case be reached by their lengths?
bool can_meet_by_length(const Loop& loop, size_t point) {
  const Lattice& lattice = loop.lattice;
  Mask present = lattice.points[point].present, step = present & loop.strategy.with(concrete::Protocol::Step);
  auto is_below = [&](const lattice::Point& other) { return (other.present & ~present) == 0; };
  if (loop.strategy.over_universe || std::popcount(step) < 2) return false;
  for (size_t k = 0; k < lattice.operands.size(); k++) {
    const Operand& operand = lattice.operands[k];
    const level::Format& format = *operand.tensor.format().levels()[static_cast<size_t>(operand.level)].format;
    if (step >> k & 1 && (!format.search() || lattice.groups(k))) return false;
  }
  return std::count_if(lattice.points.begin(), lattice.points.end(), is_below) == 1;
}

}  // namespace

std::optional<std::string> problem_of_ways(const Loop& loop, const Plan& plan) {
  const Lattice& lattice = loop.lattice;
  const lattice::Strategy& strategy = loop.strategy;
  for (size_t n = 0; n < lattice.points.size(); n++) {
    if (strategy.by_length[n] && !can_meet_by_length(loop, n))
      return fmt::format("operands of the case {} of the loop over '{}' cannot meet by their lengths",
                         name_of(lattice, lattice.points[n].present), lattice.var.name());
  }
  for (size_t k = 0; k < lattice.operands.size(); k++) {
    const Operand& operand = lattice.operands[k];
    const std::vector<TensorVar>& given = plan.program.operands;
    bool is_given = std::find(given.begin(), given.end(), operand.tensor) != given.end();
    if (strategy.remembered >> k & 1 && !is_given)
      return fmt::format("{} is remembered in the loop over '{}', and changes meanwhile", name_of(operand),
                         lattice.var.name());
    bool follows = strategy.used >> k & 1 && strategy.protocols[k] != concrete::Protocol::Step;
    if (strategy.by_distance >> k & 1 && !follows)
      return fmt::format("{} is searched for unless it is far in the loop over '{}', and no cursor follows it",
                         name_of(operand), lattice.var.name());
  }
  return std::nullopt;
}

std::optional<std::string> problem_of_computed(const Body& body, const std::vector<IndexVar>& bound, const Plan& plan) {
  std::vector<concrete::Derivation> needed = concrete::derived(plan.program.environment, bound, body.stmt.what());
  for (const concrete::Derivation& derivation : needed) {
    if (std::find(body.computed.begin(), body.computed.end(), derivation) == body.computed.end())
      return fmt::format("'{}' is to be computed here: {}", derivation.var.name(), concrete::to_string(derivation));
  }
  if (body.computed == needed) return std::nullopt;
  for (const concrete::Derivation& derivation : body.computed) {
    if (std::find(needed.begin(), needed.end(), derivation) == needed.end())
      return fmt::format("'{}' is not to be computed here, or not so", derivation.var.name());
  }
  return "what is computed here is in another order than it can be computed in";
}

}  // namespace filigree::plan
