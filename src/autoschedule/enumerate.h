// All schedules of a statement that nest as few loops as any: the universe among which costs decide (P4, 7.1 to 7.6).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "autoschedule/problem.h"

namespace filigree::autoschedule {

struct EnumerationLimits {
  size_t groupings = 20'000;
  size_t placements = 200'000;
  size_t statements = 500'000;  // before protocols
};

/// Every grouping, placement and order of loops of least depth, no two equal up to names; temporaries are called w, w2,
/// ...  What is read steps, what is written is appended where loops reach it in order, and inserted elsewhere.  Nothing
/// if there are more than the limits allow.
std::optional<std::vector<Stmt>> enumerate(const Problem& problem, const EnumerationLimits& limits = {});

/// The protocols of a statement that may be chosen: a dimension of something sparse that is read.
struct Choices {
  std::vector<std::vector<int>> by_access;  // by read access from left to right, consumers first: its choices by number
  int count = 0;
};
Choices choices(const Stmt& stmt, const Tensors& tensors);

/// `stmt` with each choice made: Step where the bit of its number is set, Locate elsewhere; what is dense is located.
Stmt with_protocols(const Stmt& stmt, const Choices& choices, std::uint64_t steps);

/// `stmt` with written tensors appended to where the loops inside of which they start reach their coordinates in order.
Stmt with_write_protocols(const Stmt& stmt);

/// Calls `visit` with every assignment, consumers before producers, and the loops around it.
void for_each_assign(const Stmt& stmt,
                     const std::function<void(const Assign&, const std::vector<std::string>& loops)>& visit);

}  // namespace filigree::autoschedule
