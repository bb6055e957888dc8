// A result whose nodes come in order, each level's one after the other (P3 section 3.4; docs/architecture.md names the
// papers).
//
//   A(i,j) = ..., A csr        A2_begin = pA2                          when the loop over j begins
//                              A2_crd[pA2] = j;  A_vals[pA2] = ...;  pA2++
//                              A2_pos[i + 1] = pA2                     when it ends
//
// A level that is appended to has a counter, the position of the node being made: the node is appended with its value,
// or after the loops below it have stored something, and its parent's edges are written when the parent's loop ends.
// Levels between may be inserted into; below the innermost one that is appended to, each node has a block of them.
#pragma once

#include <map>

#include "lower/level_result.h"

namespace filigree::lowering {

class AppendedResult : public LevelResult {
 public:
  AppendedResult(const plan::Appended& how, const ResultOf& of);

  ir::Stmt prologue() const override { return open(Memory::All, expected_); }
  ir::Stmt epilogue() const override;
  ir::Stmt before_loop(const VisitedLoop& loop, const Scope& scope) override;
  ir::Stmt after_loop(const IndexVar& var, const Scope& scope) const override;
  Surrounding open_together(const IndexVar& var, const Scope& scope, Scope& inside) const override;
  ir::Stmt take_siblings(const IndexVar& var, const Scope& scope, const level::Join::Siblings& all) const override;
  const ArrangedFirst* arranged_first(const IndexVar& var, const Scope& scope) const override;
  ir::Stmt before_body(const LoopBody& body, Scope& inside) const override;
  ir::Stmt after_body(const LoopBody& body, const Scope& inside) const override;
  ir::Stmt write(const Write& component) const override;

 protected:
  /// What is known of a level that is appended to.
  struct Appending {
    ir::Var counter;                          // position of the node being made
    ir::Var begin;                            // counter when the loop began
    ir::Var before;                           // counter of this level when the body of the append level above began
    ir::Var stored;                           // has the body stored anything yet? (above levels of fixed size only)
    Room nodes;                               // arrays with one element a node
    Room parents;                             // arrays with one element a parent, when parents are appended too
    std::optional<Room::Growing> array = {};  // the last one of the level itself that has elements for nodes
  };

  bool is_inserted(int level) const override { return format(level).insert() != nullptr; }
  ir::Expr size(int level) const override;
  std::optional<ir::Expr> own_position(int level, const Scope& scope) const override;

  bool is_appended(int level) const { return !is_inserted(level); }
  const Appending& appending(int level) const { return *appending_[static_cast<size_t>(level)]; }
  /// The next level in this direction that is appended to.
  std::optional<int> append_above(int level) const;
  std::optional<int> append_below(int level) const;
  int last_append() const { return *append_above(order()); }
  /// How many elements an array with one for every parent has beside these.
  int parent_extra(int level) const;

  /// Memory whose size is known from the start, which pieces share; and memory that grows, of which each has its own.
  enum class Memory { Fixed, Growing, All };
  ir::Stmt open(Memory memory, const ir::Expr& expected) const;
  ir::Stmt reserve(int level, const ir::Expr& iterations) const;

  // --- Around the loop over the level's nodes, for one parent ---
  virtual ir::Stmt begin_level(int level, const ir::Expr& parent) const;
  virtual ir::Stmt end_level(int level, const ir::Expr& parent) const;
  /// At another one of several loops that fill the level together.
  virtual ir::Stmt go_on(int level, const Scope& scope, const ir::Expr& iterations) const;
  /// A number that has grown when something was stored at this level or below.
  virtual const ir::Var& made_so_far(int level) const { return appending(level).counter; }
  /// Room for the components below the node being made, which get the fill unless all of them are about to be written.
  virtual ir::Stmt make_block(bool whole) const;

  ir::Expr expected_;                   // a first guess at how many components will be stored
  std::optional<Room> values_room_;     // values, when they grow in blocks of their own
  std::map<int, Room> inserted_rooms_;  // arrays of levels that are inserted into, when they grow with one above

 private:
  class Arranged;

  /// Null: the level needs no arranging before its nodes are visited.
  std::unique_ptr<ArrangedFirst> arranged_at(int level) const;
  /// The level that the loop over `var` fills next, if there is one.
  std::optional<int> append_level(const IndexVar& var, const Scope& scope) const;
  /// The same, unless its nodes are collected first and visited then.
  std::optional<int> level_of_body(const LoopBody& body) const;
  /// Is every node of the level appended together with its one child?
  bool follows_child(int level) const;
  bool is_arranged_first(int level) const { return format(level).arrange() && level < order() - 1; }
  ir::Stmt allocate_parents(int level) const;
  ir::Stmt open_node(int level, bool whole) const;
  ir::Stmt open_block() const;
  /// Room below the node that is being made, up to the next level that is appended to.
  ir::Stmt make_inserted(int level) const;
  ir::Stmt append_node(int level, const Scope& scope) const;
  /// The siblings that were appended in a loop take the level's own order.
  ir::Stmt arrange(int level) const;
  /// The same where the loop ends, unless they were arranged before they were visited.
  ir::Stmt arrange_last(int level) const {
    return writes_positions() && !is_arranged_first(level) ? arrange(level) : ir::Stmt();
  }

  bool gaps_;  // parents of the first level that loops do not come by get edges in the end
  std::vector<std::optional<Appending>> appending_;
  std::vector<std::unique_ptr<ArrangedFirst>> arranged_;  // by level
};

}  // namespace filigree::lowering
