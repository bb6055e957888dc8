// The cost of a schedule as a set of tasks, by running it on patterns instead of tensors (P4, section 6.4).
#pragma once

#include <cstdint>
#include <memory>

#include "autoschedule/enumerate.h"
#include "autoschedule/tasks.h"

namespace filigree::autoschedule {

/// The defaults are those with which the numbers of P4's figure 6 come out.
struct CostOptions {
  /// Sunk costs (P4, 6.2): reading each sparse operand once, and going through each dimension once.
  bool sunk_costs = true;
  /// Assumptions (P4, 6.2): sparse operands are not empty.
  bool nonempty = true;
  /// A loop in which nothing steps costs its iterations, whatever is done in them.
  bool plain_loops_cost = true;
  /// Where the consumer of a temporary does nothing, its producer is not run.
  bool unused_producers_skip = true;
  /// Where nothing is written to a temporary, its consumer skips what that annihilates, even if it locates.
  bool unwritten_annihilate = false;
  /// A temporary that is made anew in each iteration of loops around it has the pattern of that iteration, instead of
  /// all that it has in some iteration.
  bool temporaries_know_loops = false;
  /// Where one of several that step has nothing below the loops around, and that annihilates the rest, the others do
  /// not step either: code goes through them together, and ends with the first that ends.
  bool merges_end_early = false;
  /// Each loop is a task once more, before its iterations (Attributed::begins).
  bool loops_begin = false;
  /// An assignment asks temporaries and operands that are looked up whether they have something, which is a task of its
  /// own (Attributed::asks), and is run only if they have.
  bool lookups_ask = false;
  /// Terms that are the same number wherever operands are absent are added to a scalar at once
  /// (lattice::skipped_points).
  bool equal_terms_at_once = false;
  /// More patterns than this are not gone through: each is minimized, which takes long where there are many.
  std::int64_t most_patterns = 1'000'000;
};

/// Thrown where telling the cost would take too long: too many operands, or more patterns than there may be.
struct CostsTooMuch {};

/// Why costs cannot be told: too many variables, dimensions or tensors.
std::optional<std::string> find_limit(const Problem& problem);

Universe universe_of(const Problem& problem, const CostOptions& options = {});

/// One statement with open protocols.  Requires: find_limit() finds none.
class Analysis {
 public:
  /// `tensors`: temporaries included (with_workspaces).  Throws CostsTooMuch.
  Analysis(const Stmt& stmt, const Tensors& tensors, const Universe& universe, const CostOptions& options);
  ~Analysis();
  Analysis(Analysis&&) noexcept;

  const Choices& choices() const;
  // These throw CostsTooMuch.
  /// The tasks of loops and assignments as they come; Step where the bit of a choice is set.
  TaskSet tasks(std::uint64_t steps) const;
  /// The same, and which assignment each task is of: its number, consumers before producers; none: it is a loop's.
  /// Steps of several operands that a loop goes through side by side have the number of that meeting, which is an
  /// intersection or not.
  struct Attributed {
    Query task;
    std::optional<size_t> assignment = {};
    std::optional<size_t> meeting = {};
    bool intersects = false;
    std::uint8_t over = 0;  // the variable of the loop in which they meet
    enum class Begins { None, Plain, Stepping };
    Begins begins = Begins::None;     // a loop, in which nothing steps or something does
    bool asks = false;                // it is a question before the assignment
    std::optional<size_t> loop = {};  // the number of the loop whose task it is
  };
  std::vector<Attributed> attributed(std::uint64_t steps) const;
  /// The same with sunk costs, minimized.
  TaskSet cost(std::uint64_t steps) const;

 private:
  struct Flat;
  std::unique_ptr<Flat> flat_;
};

/// The bits of the choices that a statement with protocols has made.
std::uint64_t steps_of(const Stmt& stmt, const Choices& choices);

/// The cost of a statement with protocols.  Throws CostsTooMuch.
TaskSet cost(const Stmt& stmt, const Problem& problem, const CostOptions& options = {});

}  // namespace filigree::autoschedule
