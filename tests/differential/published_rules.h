// Which commands are legal by the preconditions of "A Sparse Iteration Space Transformation Framework for Sparse Tensor
// Algebra", section 4, whatever this compiler makes of them.  It knows the statement, the formats and the first order
// of the loops, and follows commands from there; nothing else of the compiler is asked.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "concrete/concrete.h"
#include "schedule/schedule.h"

namespace filigree::differential {

class PublishedRules {
 public:
  /// `loops`: the program without a schedule, for the order of its loops.
  PublishedRules(const notation::Statement& statement, const concrete::Stmt& loops);

  /// May the command come next?  Nothing where the rules do not tell: it is none of theirs, or the loops are not one
  /// inside the other.
  std::optional<bool> allow(const schedule::Command& command) const;
  /// The command was applied.
  void follow(const schedule::Command& command);

 private:
  struct Variable {
    std::vector<std::string> roots;             // variables of the statement, outermost first
    std::optional<std::string> positions = {};  // of this tensor; none: coordinates
    bool counts_pieces = false;                 // the outer one of a split
  };
  using Names = std::vector<schedule::Name>;

  bool has(const schedule::Name& name) const { return variables_.count(name.text) > 0; }
  const Variable& at(const schedule::Name& name) const { return variables_.at(name.text); }
  std::optional<size_t> place(const std::string& name) const;
  bool has_positions(const Variable& variable, const schedule::Name& tensor) const;
  bool is_in_order(const std::vector<std::string>& order) const;
  bool can_be_parallel(const schedule::Name& name) const;
  bool has_no_race(const schedule::Name& name, concrete::Races races) const;
  void replace(const std::vector<schedule::Name>& before, const std::vector<std::pair<std::string, Variable>>& after);

  std::optional<bool> allows(const schedule::Split& command) const;
  std::optional<bool> allows(const schedule::Collapse& command) const;
  std::optional<bool> allows(const schedule::Pos& command) const;
  std::optional<bool> allows(const schedule::Coord& command) const;
  std::optional<bool> allows(const schedule::Reorder& command) const;
  std::optional<bool> allows(const schedule::Bound& command) const;
  std::optional<bool> allows(const schedule::Unroll& command) const;
  std::optional<bool> allows(const schedule::Vectorize& command) const;
  std::optional<bool> allows(const schedule::Parallelize& command) const;
  std::optional<bool> allows(const schedule::Precompute& command) const;
  template <class Other>
  std::optional<bool> allows(const Other&) const {
    return std::nullopt;
  }

  notation::Statement statement_;
  std::map<std::string, Variable> variables_;
  std::vector<std::string> order_;  // of the loops, outermost first
  bool is_nest_ = true;             // they stand one inside the other, and nothing is between them
  bool is_parallel_ = false, has_threads_ = false;
};

}  // namespace filigree::differential
