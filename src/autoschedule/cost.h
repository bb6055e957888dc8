// The cost of a schedule as a set of tasks, by running it on patterns instead of tensors (P4, section 6.4).
#pragma once

#include <cstdint>
#include <memory>

#include "autoschedule/enumerate.h"
#include "autoschedule/tasks.h"

namespace filigree::autoschedule {

struct CostOptions {
  /// Sunk costs (P4, 6.2): reading each sparse operand once, and going through each dimension once.
  bool sunk_costs = true;
  /// Assumptions (P4, 6.2): sparse operands are not empty.
  bool nonempty = true;
  /// Where nothing is written to a temporary, what it annihilates is skipped; where the consumer does nothing, the
  /// producer is not run.  Off: every side of a `where` runs on its own account.
  bool wheres_annihilate = true;
};

/// Why costs cannot be told: too many variables, dimensions or tensors.
std::optional<std::string> find_limit(const Problem& problem);

Universe universe_of(const Problem& problem, const CostOptions& options = {});

/// One statement with open protocols.  Requires: find_limit() finds none.
class Analysis {
 public:
  /// `tensors`: temporaries included (with_workspaces).
  Analysis(const Stmt& stmt, const Tensors& tensors, const Universe& universe, const CostOptions& options);
  ~Analysis();
  Analysis(Analysis&&) noexcept;

  const Choices& choices() const;
  /// The tasks of loops and assignments as they come; Step where the bit of a choice is set.
  TaskSet tasks(std::uint64_t steps) const;
  /// The same with sunk costs, minimized.
  TaskSet cost(std::uint64_t steps) const;

 private:
  struct Flat;
  std::unique_ptr<Flat> flat_;
};

/// The cost of a statement with protocols.
TaskSet cost(const Stmt& stmt, const Problem& problem, const CostOptions& options = {});

}  // namespace filigree::autoschedule
