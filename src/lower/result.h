// Assembly of one result, level by level, as the loops reach it (P3 section 3.4; docs/architecture.md names the papers).
//
// Levels that can be inserted into have a position as soon as their coordinate is known.  Levels that
// can only be appended to have a counter, the position of the node being made: the node is appended
// with its value, or after the loops below it have stored something, and its parent's edges are
// written when the parent's loop ends.
#pragma once

#include <optional>

#include "lower/parameters.h"
#include "lower/placement.h"
#include "lower/room.h"
#include "lower/scope.h"

namespace filigree::lower {

class ResultAssembly {
 public:
  /// `expected`: a first guess at how many components will be stored; memory that is not used costs nothing.
  /// `two_passes`: how, if the last level is filled by counting and placing.
  ResultAssembly(const concrete::Access& lhs, const TensorParameter& parameter, Mode mode, const ir::Expr& expected,
                 std::optional<concrete::TwoPasses> two_passes);

  const TensorVar& tensor() const { return lhs_.tensor; }

  // In two passes: `count` stands for every write of the first one, between them room is made, and `finish_passes` tidies up.
  bool takes_two_passes() const { return placement_.has_value(); }
  Placement& placement() { return *placement_; }
  ir::Stmt count(const concrete::Access& lhs, const Scope& scope);
  ir::Stmt between_passes() const;
  ir::Stmt finish_passes() const;

  // Index first: the values below the innermost level that is appended to wait until all its nodes are there.
  /// Are the positions of its nodes' parents known from their coordinates, and can its nodes be walked?
  bool can_fill_after_index() const;
  void fill_after_index();
  /// Between the passes: every component holds the fill, which must be zero.
  ir::Stmt allocate_values() const;
  /// `visit` gets each node of that level below the parent the loops are at.
  ir::Stmt for_each_node(const Scope& scope, const std::function<ir::Stmt(const level::Node&)>& visit) const;
  /// Stores a value below the node at `position`.
  ir::Stmt write_below(const ir::Expr& position, const Scope& scope, const std::function<ir::Expr(const ir::Expr& current)>& value) const;

  /// The innermost level that is appended to.
  std::optional<int> last_append() const;
  /// The append level that the loop over `var` fills next, if there is one.
  std::optional<int> append_level(const IndexVar& var, const Scope& scope) const;

  // Around and inside the loop that fills append level `level`; it makes at most `iterations` nodes, for
  // which room is made once.
  ir::Stmt before_loop(int level, const ir::Expr& iterations) const;
  /// `whole`: the body copies all components below the node.
  ir::Stmt before_body(int level, bool whole) const;
  /// `scope`: inside the loop.
  ir::Stmt after_body(int level, const Scope& scope, bool whole) const;
  ir::Stmt after_loop(int level, const Scope& scope) const;
  /// The loop does not reach every parent of the append level below: its edges must be completed at the end.
  void misses_coordinates(const IndexVar& var);

  /// What follows may be left out at some coordinates: levels not reached yet may miss parents.
  void may_skip(const Scope& scope);

  /// Adds positions of levels whose variables are bound; returns declarations.
  ir::Stmt extend(Scope& scope) const;

  /// Stores a value at the component of `lhs` the loops are at; `op` combines it with what is there.
  ir::Stmt write(const concrete::Access& lhs, const Scope& scope, std::optional<Operator> op,
                 const std::function<ir::Expr(const ir::Expr& current)>& value, bool whole = false) const;

  /// Before and after everything else.
  ir::Stmt prologue() const;
  ir::Stmt epilogue() const;
  const std::vector<ir::Parameter>& parameters() const { return parameters_; }

 private:
  bool writes_positions() const { return mode_ == Mode::Grow || mode_ == Mode::Pattern || mode_ == Mode::Count; }
  bool writes_coordinates() const { return mode_ == Mode::Grow || mode_ == Mode::Pattern || mode_ == Mode::Fill; }
  bool writes_values() const { return mode_ == Mode::Grow || mode_ == Mode::Fill || mode_ == Mode::Values; }
  /// Are there values on the way, if only to be sorted along with coordinates?
  bool keeps_values() const { return writes_values() || (placement_ && placement_->keeps_values()); }
  bool writes(const level::ArrayDescription& array) const;
  bool allocates() const { return mode_ == Mode::Grow || mode_ == Mode::Pattern || mode_ == Mode::Count; }

  int order() const { return lhs_.tensor.order(); }
  const level::Format& format(int level) const { return *lhs_.tensor.format().levels()[level].format; }
  bool is_appended(int level) const { return !format(level).insert() && !is_placed(level); }
  bool is_placed(int level) const { return takes_two_passes_ && level == order() - 1; }
  /// Is every node of the level appended together with its one child?
  bool follows_child(int level) const { return level + 1 < order() && is_appended(level + 1) && format(level + 1).properties().branchless; }
  std::optional<int> append_above(int level) const;
  std::optional<int> append_below(int level) const;
  /// Positions that one node of `level` gets at the last level of the run of insertable levels below it, up to `end`.
  ir::Expr block_size(int level, int end) const;
  ir::Expr parent(int level, const Scope& scope) const;
  /// Number of positions of a level, and of its parents, once everything is assembled.
  ir::Expr size(int level) const;
  ir::Expr parent_count(int level) const { return level == 0 ? ir::integer(1) : size(level - 1); }
  ir::Expr value_count() const { return order() == 0 ? ir::integer(1) : size(order() - 1); }
  std::vector<Room::Growing> arrays(int level, level::ArrayDescription::IndexedBy indexed_by) const;
  ir::Stmt initialize_values(const ir::Expr& begin, const ir::Expr& end) const;
  /// Room for the components below the node being made, which get the fill unless all of them are about to be written.
  ir::Stmt make_block(bool whole) const;
  ir::Stmt open_block() const;
  /// The position of the parent of the last level, where all levels above it have one for every coordinate.
  ir::Expr last_parent(const concrete::Access& lhs, const Scope& scope) const;
  ir::Stmt place(const concrete::Access& lhs, const Scope& scope, const ir::Expr& value) const;
  /// A component other than the one whose levels the loops have reached.
  ir::Stmt write_elsewhere(const concrete::Access& lhs, const Scope& scope, const std::function<ir::Expr(const ir::Expr&)>& value) const;
  ir::Stmt append_node(int level, const Scope& scope) const;
  /// Ends the function unless the given arrays have at least `count` elements.
  ir::Stmt check_limit(const std::optional<ir::Var>& limit, const ir::Expr& count) const;
  ir::Stmt check_limit_is_met(const ir::Var& limit, const ir::Expr& count) const;
  int parent_extra(int level) const;
  void collect_parameters();

  concrete::Access lhs_;
  TensorParameter parameter_;
  Mode mode_;
  ir::Expr expected_;
  bool takes_two_passes_;
  bool fills_after_index_ = false;
  std::optional<Placement> placement_;  // in two passes: of the last level
  std::vector<IndexVar> vars_;
  std::vector<ir::Parameter> parameters_;
  struct AppendState {
    ir::Var counter;        // position of the node being made
    ir::Var begin;          // counter when the loop began
    ir::Var before;         // counter of this level when the body of the append level above began
    ir::Var stored;         // has the body stored anything yet? (above levels of fixed size only)
    Room nodes;             // arrays with one element a node
    Room parents;           // arrays with one element a parent, when parents are appended too
    bool complete = true;   // every parent gets edges
    std::optional<ir::Var> limit = {};  // how many elements there are for nodes, when arrays are given
    int per = 1;            // of those, how many a node takes
  };
  std::vector<std::optional<AppendState>> append_;
  std::optional<ir::Var> values_limit_;  // how many values there is room for, when the array is given
  std::optional<Room> values_room_;  // values, when they grow in blocks of their own
};

}  // namespace filigree::lower
