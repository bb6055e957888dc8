// A temporary of order > 0: filled by the producer of a `where` in any order, then read in order.
#pragma once

#include <functional>

#include "lower/parameters.h"
#include "lower/placement.h"
#include "lower/room.h"
#include "lower/scope.h"

namespace filigree::lowering {

class Workspace : public Writer {
 public:
  /// The coordinates that a level has.
  struct Range {
    ir::Expr extent, origin;
  };
  /// `ranges`: of each level.
  /// `start`: the value of a new component before the first one is combined into it; none if it is overwritten.
  /// `two_passes`: how, if the last level is filled by counting and placing.
  Workspace(const concrete::Access& lhs, const std::vector<Range>& ranges, std::optional<Scalar> start,
            std::optional<plan::Placed> two_passes);

  /// Where its levels begin from here on, as they begin where a piece does.
  void set_origins(const std::vector<Range>& ranges);

  /// No component is written twice by the producer lowered next.
  void set_written_once(bool once) { written_once_ = once; }

  const TensorVar& tensor() const { return lhs_.tensor; }
  const level::Instance& level(int l) const { return levels_[l]; }
  const ir::Var& values() const { return values_; }

  // In two passes: `count` stands for every write of the first one, between them room is made, and `finish_passes`
  // tidies up.
  bool takes_two_passes() const { return placement_.has_value(); }
  Placement& placement() { return *placement_; }
  ir::Stmt count(const Write& component) const;
  ir::Stmt between_passes() const;
  ir::Stmt finish_passes() const;

  /// It holds nodes of its first level and no values.
  void keep_nodes_only() { nodes_only_ = true; }
  /// The node of the first level with this coordinate, inserted if it is not there.
  level::Node insert_node(const ir::Expr& coordinate) const;

  /// Before the first insertion: components that are there from the start have no insertion to begin with.
  ir::Stmt begin() const;
  /// Stores a value, at a component that is inserted if it is not there.
  ir::Stmt write(const Write& component) const override;
  /// From here on its levels can be iterated.
  ir::Stmt finalize() const;
  /// Empty again.
  ir::Stmt clear() const;

  /// At the function's ends: memory is taken once and reused.
  ir::Stmt prologue() const;
  ir::Stmt epilogue() const;

 private:
  const level::Format& format(int l) const { return *lhs_.tensor.format().levels()[l].format; }
  int order() const { return lhs_.tensor.order(); }
  /// Number of positions of level `l`, now.
  ir::Expr size(int l) const;
  /// Is the number of positions of all levels decided by the extents?
  bool is_sized() const;
  ir::Stmt initialize_block(int level, const ir::Expr& position) const;

  /// The component at these coordinates (one per level), inserted if it is not there.
  level::Node insert(const std::vector<ir::Expr>& coordinates) const;
  /// The position of the parent of the last level.
  ir::Expr last_parent(const std::vector<ir::Expr>& coordinates) const;

  concrete::Access lhs_;
  std::optional<Scalar> start_;
  bool written_once_ = false;
  bool nodes_only_ = false;
  std::vector<level::Instance> levels_;
  ir::Var values_;
  Room room_;
  std::optional<Placement> placement_;  // in two passes: of the last level
};

}  // namespace filigree::lowering
