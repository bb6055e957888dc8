// What workspace levels share that list the coordinates they were given: scattered and numbered.  Internal to this
// folder.
#pragma once

#include "level/properties.h"
#include "level/registry.h"

namespace filigree::level {

/// The second of their arrays: coordinates in the order of arrival, `count` of them.
inline const ir::Var& list(const Instance& level) { return level.arrays[1]; }

/// Coordinates from 0 on.
inline ir::Expr shifted(const Instance& level, const ir::Expr& coordinate) {
  return ir::subtract(coordinate, level.origin);
}

/// Sorts the list unless the level keeps no order; forgets what is in it.
class ListedInsert : public Insert {
 public:
  explicit ListedInsert(Properties properties) : sorts_(properties.ordered != Ordered::No) {}
  std::optional<ir::Expr> size(const Instance& level, const ir::Expr&) const override { return level.extent; }
  ir::Stmt init(const Instance&) const override { return {}; }
  ir::Stmt finalize(const Instance& level, const ir::Expr&) const override {
    return sorts_ ? ir::Stmt(ir::Evaluate{ir::call(ir::Function::Sort, sorted(level))}) : ir::Stmt();
  }
  ir::Stmt clear(const Instance& level) const override {
    ir::Var q = ir::int64_var("q");
    return ir::block({ir::For{q, ir::integer(0), *level.count, forget(level, ir::load_index(list(level), q))},
                      ir::assign(*level.count, ir::integer(0))});
  }

 protected:
  /// What is sorted: the list, and whatever else tells what is in it.
  virtual std::vector<ir::Expr> sorted(const Instance& level) const { return {list(level), *level.count}; }
  /// The coordinate, from 0 on, is not there any more.
  virtual ir::Stmt forget(const Instance& level, const ir::Expr& shifted_coordinate) const = 0;

 private:
  bool sorts_;
};

/// The format made of its parts; `Own` is the class that derives from this.
template <class Own, class Iteration, class Located, class Inserted>
class Listed : public Format {
 public:
  explicit Listed(Properties properties) : properties_(properties), insert_(properties) {}
  Properties properties() const override { return properties_; }
  FormatPtr with(std::string_view property) const override {
    std::optional<Properties> changed = with_property(properties_, property, {"unordered"});
    return changed ? std::make_shared<Own>(*changed) : nullptr;
  }
  bool uses_count() const override { return true; }
  const PositionIteration* position_iteration() const override { return &iteration_; }
  const Locate* locate() const override { return &locate_; }
  const Insert* insert() const override { return &insert_; }

 private:
  Properties properties_;
  Iteration iteration_;
  Located locate_;
  Inserted insert_;
};

}  // namespace filigree::level
