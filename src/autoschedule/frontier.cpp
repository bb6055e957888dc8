#include "autoschedule/frontier.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "autoschedule/restrict.h"

namespace filigree::autoschedule {
namespace {

/// Bytes that are equal for equal costs.
std::string key_of(const TaskSet& cost) {
  std::string key;
  for (const Query& query : cost) {
    key.append(reinterpret_cast<const char*>(&query.head), sizeof query.head);
    for (const Atom& atom : query.atoms) {
      key += static_cast<char>(atom.tensor);
      key.append(reinterpret_cast<const char*>(atom.vars.data()), atom.order);
    }
    key += static_cast<char>(-1);
  }
  return key;
}

}  // namespace

void FrontierBuilder::add(const Candidate& candidate, const TaskSet& cost) {
  auto [known, is_new] = known_.try_emplace(key_of(cost), classes_.size());
  if (!is_new) {
    if (!dominated_[known->second]) classes_[known->second].members.push_back(candidate);
    return;
  }
  size_t number = classes_.size();
  classes_.push_back({cost, {candidate}});
  dominated_.push_back(false);
  for (size_t other : alive_) {
    if (contains(cost, classes_[other].cost, universe_) && !contains(classes_[other].cost, cost, universe_)) {
      dominated_[number] = true;
      classes_[number] = {};
      return;
    }
  }
  std::erase_if(alive_, [&](size_t other) {
    bool beaten = contains(classes_[other].cost, cost, universe_) && !contains(cost, classes_[other].cost, universe_);
    if (beaten) dominated_[other] = true, classes_[other] = {};
    return beaten;
  });
  alive_.push_back(number);
}

std::vector<CostClass> FrontierBuilder::finish() {
  std::vector<CostClass> out;
  for (size_t number : alive_) out.push_back(std::move(classes_[number]));
  return out;
}

size_t Frontier::size() const {
  size_t count = 0;
  for (const CostClass& one : classes) count += one.members.size();
  return count;
}

Stmt Frontier::plan(const Candidate& candidate, const Problem& problem) const {
  const Stmt& skeleton = skeletons[candidate.statement];
  return with_protocols(skeleton, choices(skeleton, with_workspaces(skeleton, problem.tensors)), candidate.steps);
}

namespace {

std::variant<Frontier, NotScheduled> find(const Problem& problem, const FrontierOptions& options) {
  if (std::optional<std::string> limit = find_limit(problem)) return NotScheduled{*limit};
  std::optional<std::vector<Stmt>> statements = enumerate(problem, options.limits);
  if (!statements) return NotScheduled{"there are too many ways to compute it"};
  if (!options.only_simple) {  // it would only show after a while
    double all = 0;
    for (const Stmt& stmt : *statements) all += std::exp2(choices(stmt, with_workspaces(stmt, problem.tensors)).count);
    if (all > static_cast<double>(options.most_candidates))
      return NotScheduled{fmt::format("there are {:.0f} ways to compute it, which is too many", all)};
  }
  Frontier out;
  out.universe = universe_of(problem, options.costs);
  FrontierBuilder builder(out.universe);
  for (Stmt& stmt : *statements) {
    Tensors tensors = with_workspaces(stmt, problem.tensors);
    if (options.only_simple && !is_simple(stmt, tensors)) continue;
    Analysis analysis(stmt, tensors, out.universe, options.costs);
    const Choices& open = analysis.choices();
    if (open.count >= 40) return NotScheduled{"there are too many ways to meet its operands"};
    auto number = static_cast<std::uint32_t>(out.skeletons.size());
    for (std::uint64_t steps = 0; steps < std::uint64_t{1} << open.count; steps++) {
      if (options.only_simple && !are_simple(open, steps, stmt)) continue;
      if (++out.candidates > options.most_candidates) return NotScheduled{"there are too many ways to compute it"};
      builder.add({number, steps}, analysis.cost(steps));
    }
    out.skeletons.push_back(std::move(stmt));
  }
  out.statements = out.skeletons.size();
  out.classes = builder.finish();
  return out;
}

}  // namespace

std::variant<Frontier, NotScheduled> find_frontier(const Problem& problem, const FrontierOptions& options) {
  try {
    return find(problem, options);
  } catch (const CostsTooMuch&) {
    return NotScheduled{"what its candidates cost takes too long to tell"};
  }
}

}  // namespace filigree::autoschedule
