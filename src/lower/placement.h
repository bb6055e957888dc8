// The last level of a tensor, filled in two passes over the same loops: the first counts nodes, the second places them.
#pragma once

#include <memory>

#include "lower/placer.h"
#include "lower/room.h"
#include "lower/scope.h"

namespace filigree::lowering {

class Placement {
 public:
  /// What there is of every node.
  struct Kept {
    std::vector<Room::Growing> arrays;
    ir::Var values;
    bool has_values;  // they move along when siblings are sorted
  };
  /// `parents`: how many nodes the level above the last one has; `size`: gets the number of nodes.
  Placement(const TensorVar& tensor, const std::vector<level::Instance>& levels, const ir::Expr& parents,
            const Kept& kept, const ir::Var& size, const plan::Placed& how);

  const plan::Placed& how() const { return how_; }
  const ir::Var& size() const { return size_; }
  const ir::Expr& parents() const { return at_.parents; }

  /// Before everything else.
  ir::Stmt init() const { return placer_->init(); }
  /// Instead of every write of the first pass, with coordinates of all levels.
  ir::Stmt count(const std::vector<ir::Expr>& coordinates) const;
  /// Between the passes: afterwards `size` is known, and there are arrays.
  ir::Stmt make_room() const;
  level::Node place(const std::vector<ir::Expr>& coordinates) const;
  /// After the second pass.
  ir::Stmt tidy() const;

  // Instead of one after the other:
  PlacerInPieces& place_in_pieces(const ir::Var& pieces);
  PlacerInOrder& place_in_order(const ir::Var& pieces);

 private:
  /// The position of the parent of the last level: all levels above it have one for every coordinate.
  ir::Expr parent_at(const std::vector<ir::Expr>& coordinates) const;

  TensorVar tensor_;
  std::vector<level::Instance> levels_;
  PlacedLevel at_;  // the last one
  Kept kept_;
  ir::Var size_;
  plan::Placed how_;
  std::unique_ptr<Placer> placer_;
};

}  // namespace filigree::lowering
