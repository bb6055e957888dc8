// What only some level formats need: nodes that are found by their parents, coordinates that count from the lowest one,
// and levels that are packed all at once.
#pragma once

#include "level/level_format.h"

namespace filigree::level {

/// PositionIteration of a level whose cursors do not tell the node above.
class IterationBelow : public PositionIteration {
 public:
  Node access(const Instance& level, const ir::Expr& cursor, const std::vector<ir::Expr>& ancestors) const override {
    return access_below(level, ir::integer(0), cursor, ancestors);
  }
  /// The node that a cursor stands for, below `parent`.
  virtual Node access_below(const Instance& level, const ir::Expr& parent, const ir::Expr& cursor,
                            const std::vector<ir::Expr>& ancestors) const = 0;
};
/// What a cursor below `parent` stands for.
inline Node access_below(const PositionIteration& iteration, const Instance& level, const ir::Expr& parent,
                         const ir::Expr& cursor, const std::vector<ir::Expr>& ancestors) {
  const auto* below = dynamic_cast<const IterationBelow*>(&iteration);
  return below ? below->access_below(level, parent, cursor, ancestors) : iteration.access(level, cursor, ancestors);
}

/// Beside Format: coordinates stand in the level's arrays as how far they are from the lowest that there can be.
class CountsFromLowest {
 public:
  virtual ~CountsFromLowest() = default;
};

/// The levels of some formats are one whole: all of them are packed, and gone through, at once.  Beside the storage of
/// the first level.
class Whole {
 public:
  virtual ~Whole() = default;
  struct Arrays {
    std::vector<std::vector<Array>> levels;
    std::vector<std::int64_t> positions;  // of the entries, or Packed::does_not_fit
    std::int64_t size = 0;                // number of values
  };
  /// Requires: entries by dimension, none of them twice.  Throws UserError where arrays do not follow from coordinates.
  virtual Arrays pack_whole(const std::vector<std::int64_t>& dimensions,
                            const std::vector<std::vector<std::int64_t>>& coordinates) const = 0;
  /// Calls `visit` for everything that is stored.
  virtual void for_each_entry(
      const std::vector<std::vector<Array>>& arrays,
      const std::function<void(const std::vector<std::int64_t>&, std::int64_t position)>& visit) const = 0;
};
/// Null for formats whose levels are packed one by one.
inline const Whole* whole_of(const Format& first) { return dynamic_cast<const Whole*>(first.storage()); }

}  // namespace filigree::level
