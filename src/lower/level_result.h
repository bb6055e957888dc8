// What all results share, however they are filled: a level after the other, each with its arrays, which are parameters.
//
// Levels that are inserted into have a position as soon as their coordinate is known, and are told with the value.
// What the others have, the classes of results say.
#pragma once

#include "lower/parameters.h"
#include "lower/result.h"
#include "lower/room.h"

namespace filigree::lowering {

/// A result of a kernel, whatever its filling.
struct ResultOf {
  const concrete::Assign& assign;  // some assignment that writes it
  const Parameters& parameters;
  Mode mode;
  ir::Var threads;  // how many there are
  const policy::Memory& memory;
};

class LevelResult : public Result {
 public:
  explicit LevelResult(const ResultOf& of);

  const TensorVar& tensor() const override { return lhs_.tensor; }
  const ir::Var& values() const override { return parameter_.values; }
  ir::Expr value_count() const override { return order() == 0 ? ir::integer(1) : size(order() - 1); }
  const std::vector<ir::Parameter>& parameters() const override { return parameters_; }
  ir::Stmt epilogue() const override;
  ir::Stmt extend(Scope& scope) const override;

 protected:
  using ArrayDescription = level::ArrayDescription;

  // --- What a way of filling says of its levels ---
  /// Is the level inserted into?
  virtual bool is_inserted(int level) const = 0;
  /// Number of positions of a level once everything is there.
  virtual ir::Expr size(int level) const;
  /// The position of a level that is not inserted into, where its coordinate is known; nothing if it has none yet.
  virtual std::optional<ir::Expr> own_position(int, const Scope&) const { return std::nullopt; }

  // --- What is known of them ---
  bool allocates() const { return plan::allocates(mode_); }
  bool writes_positions() const { return plan::writes_positions(mode_); }
  bool writes_coordinates() const { return plan::writes_coordinates(mode_); }
  bool writes_values() const { return plan::writes_values(mode_); }
  bool writes(const ArrayDescription& array) const;

  int order() const { return lhs_.tensor.order(); }
  const level::Format& format(int level) const { return *lhs_.tensor.format().levels()[level].format; }
  const level::Instance& instance(int level) const { return parameter_.levels[level]; }
  /// The arrays of a level that are written, and indexed so.
  std::vector<Room::Growing> arrays(int level, ArrayDescription::IndexedBy indexed_by) const;
  ir::Expr parent_count(int level) const { return level == 0 ? ir::integer(1) : size(level - 1); }
  /// How many elements an array of the level has in the end.
  ir::Expr element_count(int level, const ArrayDescription& array) const;
  /// Positions that a node of `level` gets at the last of the levels below it, up to `end`, all inserted into.
  ir::Expr block_size(int level, int end) const;
  /// The position of the level's parent, where the loops are.
  ir::Expr parent(int level, const Scope& scope) const;

  // --- Arrays that are given ---
  /// How many elements the array has; nothing if it is not given.
  std::optional<ir::Var> limit_of(const ir::Var& array) const;
  /// Ends the function unless there are at least `count`.
  ir::Stmt check_limit(const std::optional<ir::Var>& limit, const ir::Expr& count) const;

  // --- Memory ---
  /// Of a level that is inserted into; `with_nodes`: also for what it has of each node, all of which have a place.
  ir::Stmt allocate_inserted(int level, bool with_nodes) const;
  /// Of all these levels.
  ir::Stmt allocate_inserted() const;
  /// Nodes with positions from `begin` to `end` have nothing in them.
  ir::Stmt set_initially(int level, const ir::Expr& begin, const ir::Expr& end) const;
  /// Of values, whose number is known; with the fill, unless all are `overwritten`.
  ir::Stmt open_values(bool overwritten) const;
  ir::Stmt initialize_values(const ir::Expr& begin, const ir::Expr& end) const;

  // --- Components ---
  /// Stores the value, if there are values.
  ir::Stmt store_value(const Write& component, const ir::Expr& position) const;
  /// `store` stores the component the loops are at: so it does if all levels have a place for it.
  ir::Stmt insert(const Write& component, const ir::Stmt& store) const;
  /// Stores another component than that whose levels the loops have reached, at coordinates of `scope`.  Levels from
  /// `certain_from` on have a place for each.
  ir::Stmt insert_elsewhere(const Write& component, const Scope& scope, int certain_from) const;

  concrete::Access lhs_;
  TensorParameter parameter_;
  Mode mode_;
  std::vector<IndexVar> vars_;  // of the levels
  std::vector<ir::Parameter> parameters_;

 private:
  bool has_node_arrays(int level) const { return !arrays(level, ArrayDescription::IndexedBy::Position).empty(); }
  void collect_parameters();
  ir::Stmt insert_all(const Write& component, const Scope& scope, const std::vector<ir::Expr>& positions,
                      const ir::Stmt& store, int certain_from) const;

  std::vector<std::pair<ir::Var, ir::Var>> limits_;  // of given arrays: how many elements they have
};

}  // namespace filigree::lowering
