// The last level of a tensor, filled in two passes over the same loops: the first counts nodes, the second places them.
#pragma once

#include <optional>

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
  const ir::Expr& parents() const { return parents_; }

  /// Before everything else.
  ir::Stmt init() const;
  /// Instead of every write of the first pass, with coordinates of all levels.
  ir::Stmt count(const std::vector<ir::Expr>& coordinates) const;
  /// Between the passes: afterwards `size` is known, and there are arrays.
  ir::Stmt make_room() const;
  level::Node place(const std::vector<ir::Expr>& coordinates) const;
  /// After the second pass.
  ir::Stmt tidy() const;

  // --- Passes in pieces that run at the same time, each with its own counters ---
  /// From here on the passes are in this many pieces.
  void cut_into(const ir::Var& pieces);
  /// Of nodes in order, this many come altogether.
  void expect(const ir::Expr& count) { count_ = count; }
  /// Around both passes.
  ir::Stmt open_pieces() const;
  ir::Stmt close_pieces() const;
  /// What a piece begins with in the first pass, and in the second.
  ir::Stmt begin_counting(const ir::Var& piece) const;
  ir::Stmt begin_placing(const ir::Var& piece) const;
  /// The same for nodes in order: the piece's first node has this position, and `parent_before` is the parent of the
  /// node before that.
  ir::Stmt begin_in_order(const ir::Var& piece, const ir::Expr& position, const ir::Expr& parent_before) const;
  /// And what it ends with: the last piece sees to the parents that are left.
  ir::Stmt end_in_order(const ir::Var& piece) const;

 private:
  /// Do nodes come in the order of their parents, in one pass?
  bool is_in_order() const { return how_.in_order_of.has_value(); }
  std::optional<level::Counters> counters() const;
  ir::Stmt allot() const;
  /// The position of the parent of the last level: all levels above it have one for every coordinate.
  ir::Expr parent_at(const std::vector<ir::Expr>& coordinates) const;

  TensorVar tensor_;
  std::vector<level::Instance> levels_;
  const level::Scatter& scatter_;
  level::Instance level_;  // the last one
  ir::Expr parents_;
  Kept kept_;
  ir::Var size_;
  plan::Placed how_;
  ir::Var counters_;  // a row for each piece
  ir::Var first_;     // where the piece's row begins
  std::optional<ir::Var> pieces_;
  std::optional<ir::Expr> count_;  // of nodes that come in order
  ir::Var next_;                   // where the next of them goes
  ir::Var parent_;                 // the first parent that has not begun
};

}  // namespace filigree::lowering
