// The schedules that no other schedule beats for all inputs (P4, section 6.3).
#pragma once

#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "autoschedule/cost.h"

namespace filigree::autoschedule {

/// A schedule of the universe: a statement of it by number, and its choices of protocols.
struct Candidate {
  std::uint32_t statement;
  std::uint64_t steps;
};

/// Schedules of equal cost.
struct CostClass {
  TaskSet cost;
  std::vector<Candidate> members;
};

/// Keeps the classes of least cost while schedules come in.
class FrontierBuilder {
 public:
  explicit FrontierBuilder(const Universe& universe) : universe_(universe) {}
  /// Requires: the cost is minimized.
  void add(const Candidate& candidate, const TaskSet& cost);
  /// In the order of their first members.
  std::vector<CostClass> finish();

 private:
  const Universe& universe_;
  std::vector<CostClass> classes_;
  std::vector<size_t> alive_;
  std::unordered_map<std::string, size_t> known_;  // class by cost, dominated ones too
  std::vector<bool> dominated_;
};

struct FrontierOptions {
  CostOptions costs = {};
  EnumerationLimits limits = {};
  bool only_simple = false;  // restrict.h
  size_t most_candidates = 20'000'000;
};

struct Frontier {
  Universe universe;
  size_t statements = 0;  // of the universe, before protocols
  size_t candidates = 0;
  std::vector<CostClass> classes;
  std::vector<Stmt> skeletons;  // that members refer to

  size_t size() const;  // members of all classes
  /// A member as a statement with protocols.
  Stmt plan(const Candidate& candidate, const Problem& problem) const;
};

/// The frontier of a problem, or why there is none.
std::variant<Frontier, NotScheduled> find_frontier(const Problem& problem, const FrontierOptions& options = {});

}  // namespace filigree::autoschedule
