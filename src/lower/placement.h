// The last level of a tensor, filled in two passes over the same loops: the first counts nodes, the second places them.
#pragma once

#include <optional>

#include "concrete/concrete.h"
#include "level/level_format.h"

namespace filigree::lower {

class Placement {
 public:
  /// `values` move along when siblings are sorted; `parents`: how many nodes the level above has; `size`: gets the number
  /// of nodes.
  Placement(const level::Format& format, const level::Instance& level, const ir::Var& values, const ir::Expr& parents, const ir::Var& size,
            const concrete::TwoPasses& how);

  const ir::Var& size() const { return size_; }
  const ir::Expr& parents() const { return parents_; }
  bool keeps_values() const { return how_.sorts || how_.merges; }

  /// Before everything else.
  ir::Stmt init() const;
  /// Instead of every write of the first pass.
  ir::Stmt count(const ir::Expr& parent) const;
  /// Between the passes: afterwards `size` is known.
  ir::Stmt allot() const;
  level::Node place(const ir::Expr& parent, const ir::Expr& coordinate) const;
  /// After the second pass.
  ir::Stmt tidy() const;

  // --- Passes in pieces that run at the same time, each with its own counters ---
  /// From here on the passes are in this many pieces; nothing: each is one loop.
  void cut_into(const std::optional<ir::Var>& pieces);
  /// Around both passes.
  ir::Stmt open_pieces() const;
  ir::Stmt close_pieces() const;
  /// What a piece begins with in the first pass, and in the second.
  ir::Stmt begin_counting(const ir::Var& piece) const;
  ir::Stmt begin_placing(const ir::Var& piece) const;

 private:
  std::optional<level::Counters> counters() const;

  const level::Scatter& scatter_;
  level::Instance level_;
  ir::Var values_;
  ir::Expr parents_;
  ir::Var size_;
  concrete::TwoPasses how_;
  ir::Var counters_;                // a row for each piece
  ir::Var first_;                   // where the piece's row begins
  std::optional<ir::Var> pieces_;
};

}  // namespace filigree::lower
