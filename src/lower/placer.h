// How nodes of a level are counted and placed in two passes (placement.h): one after the other, or in pieces of the
// loops that run at the same time.
//
//   one after the other    pos[i + 1]++                               p = pos[i]++
//   in pieces              counters[first + i]++, first by piece      p = counters[first + i]++
//   in order               nothing is counted                         p = next++;  pos[i + 1] = p for rows that begin
#pragma once

#include <optional>

#include "level/level_format.h"

namespace filigree::lowering {

/// The level, and how many parents its nodes have.
struct PlacedLevel {
  const level::Format& format;
  level::Instance level;
  ir::Expr parents;

  const level::Scatter& scatter() const { return *format.scatter(); }
};

class Placer {
 public:
  explicit Placer(const PlacedLevel& at) : at_(at) {}
  virtual ~Placer() = default;
  /// Before everything else.
  virtual ir::Stmt init() const = 0;
  /// Instead of a write of the first pass.
  virtual ir::Stmt count(const ir::Expr& parent) const = 0;
  /// Between the passes: declares how many nodes there are.
  virtual ir::Stmt allot(const ir::Var& size) const = 0;
  virtual level::Node place(const ir::Expr& parent, const ir::Expr& coordinate) const = 0;
  /// How to go through parents after the second pass.
  virtual ir::LoopKind loop() const { return ir::LoopKind::Parallel; }

 protected:
  PlacedLevel at_;
};

/// Counts in the level's own arrays.
class PlacerOfAll : public Placer {
 public:
  using Placer::Placer;
  ir::Stmt init() const override;
  ir::Stmt count(const ir::Expr& parent) const override;
  ir::Stmt allot(const ir::Var& size) const override;
  level::Node place(const ir::Expr& parent, const ir::Expr& coordinate) const override;
  ir::LoopKind loop() const override { return ir::LoopKind::Serial; }
};

/// Each piece has its own counters.
class PlacerInPieces : public Placer {
 public:
  PlacerInPieces(const PlacedLevel& at, const ir::Var& pieces);
  ir::Stmt init() const override { return {}; }
  ir::Stmt count(const ir::Expr& parent) const override;
  ir::Stmt allot(const ir::Var& size) const override;
  level::Node place(const ir::Expr& parent, const ir::Expr& coordinate) const override;

  /// Around both passes.
  ir::Stmt open() const;
  ir::Stmt close() const { return ir::Free{counters_}; }
  /// What a piece begins with in the first pass, and in the second.
  ir::Stmt begin_counting(const ir::Var& piece) const;
  ir::Stmt begin_placing(const ir::Var& piece) const;

 private:
  ir::Var pieces_;
  ir::Var counters_;                        // a row for each piece
  ir::Var first_ = ir::int64_var("first");  // where the piece's row begins
};

/// Nodes come in the order of their parents, one an iteration, so each piece knows where its own go.
class PlacerInOrder : public Placer {
 public:
  PlacerInOrder(const PlacedLevel& at, const ir::Var& pieces) : Placer(at), pieces_(pieces) {}
  ir::Stmt init() const override { return {}; }
  ir::Stmt count(const ir::Expr&) const override { return {}; }
  ir::Stmt allot(const ir::Var& size) const override;
  level::Node place(const ir::Expr& parent, const ir::Expr& coordinate) const override;

  /// So many come altogether.
  void expect(const ir::Expr& count) { count_ = count; }
  /// The piece's first node has this position, and `parent_before` is the parent of the node before that.
  ir::Stmt begin(const ir::Var& piece, const ir::Expr& position, const ir::Expr& parent_before) const;
  /// The last piece sees to the parents that are left.
  ir::Stmt end(const ir::Var& piece) const;

 private:
  ir::Var pieces_;
  ir::Expr count_ = ir::integer(0);
  ir::Var next_ = ir::int64_var("next");      // where the next node goes
  ir::Var parent_ = ir::int64_var("parent");  // the first parent that has not begun
};

}  // namespace filigree::lowering
