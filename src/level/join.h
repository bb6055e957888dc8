// What only formats of a kind can do: siblings that are stored alike join, all at once and as they stand.
#pragma once

#include "level/level_format.h"

namespace filigree::level {

/// Where siblings stand depends on how many there are, and not on what came when: so those of several parents join as
/// they stand, all at once, and few of them have to move.
class Join {
 public:
  virtual ~Join() = default;
  /// Those that others join: of one parent, from the beginning of the level's arrays on, in `size` positions.
  struct Siblings {
    const Instance& level;
    ir::Var size, count;  // positions, and nodes
    Arrange::Values values;
    ir::Var aside;                                               // positions of others, while they wait
    bool none;                                                   // there are no siblings yet
    std::function<ir::Stmt(const ir::Expr& positions)> reserve;  // room for so many, in all these arrays
  };
  /// What becomes of values; `from` is a position of the others.
  struct Moves {
    std::function<ir::Stmt(const ir::Expr& from, const ir::Expr& to)> store;
    /// With what is there, under this condition.
    std::function<ir::Stmt(const ir::Expr& from, const ir::Expr& to, const ir::Expr& condition)> combine;
  };
  /// The children `others` of a parent join, at a level of the same format whose coordinates count from the same one.
  virtual ir::Stmt join(const Siblings& siblings, const Instance& level, const Bounds& others,
                        const Moves& moves) const = 0;
  /// The siblings go behind the last position of a level of the same format; `value` moves one of their values.
  virtual ir::Stmt append(const Siblings& siblings, const Instance& level, const ir::Expr& position,
                          const std::function<ir::Stmt(const ir::Expr& from, const ir::Expr& to)>& value) const = 0;
};

/// Beside Format: its siblings join.
class Joins {
 public:
  virtual ~Joins() = default;
  virtual const Join* join() const = 0;
};
/// Null for formats whose siblings are added one by one.
inline const Join* join_of(const Format& format) {
  const auto* joins = dynamic_cast<const Joins*>(&format);
  return joins ? joins->join() : nullptr;
}

}  // namespace filigree::level
