// tabled: a workspace level whose nodes live in a runtime table keyed by (parent, coordinate).
//
// Positions are allotted in insertion order, so growth never moves one and levels below can be
// filled at the same time.  finalize groups the nodes by parent and sorts each group; from then on
// the level is iterated like any other.  Memory is proportional to what was inserted, whatever the
// extents, and any number of tabled levels can be stacked.
#include "level/registry.h"

namespace filigree::level {
namespace {

using ir::Function;

class TabledIteration : public PositionIteration {
 public:
  Bounds bounds(const Instance& level, const ir::Expr& parent) const override {
    return {ir::call(Function::TableBegin, {*level.table, parent}),
            ir::call(Function::TableBegin, {*level.table, ir::add(parent, ir::integer(1))})};
  }
  Node access(const Instance& level, const ir::Expr& cursor, const std::vector<ir::Expr>&) const override {
    return {ir::call(Function::TablePosition, {*level.table, cursor}),
            ir::call(Function::TableCoordinate, {*level.table, cursor})};
  }
};

class TabledLocate : public Locate {
 public:
  Node locate(const Instance& level, const ir::Expr& parent, const std::vector<ir::Expr>& coordinates) const override {
    ir::Var position = ir::int64_var("p" + level.name);
    Node node{position, coordinates.back(), ir::greater_equal(position, ir::integer(0))};
    node.setup.push_back(
        ir::declare(position, ir::call(Function::TableFind, {*level.table, parent, coordinates.back()})));
    return node;
  }
};

class TabledInsert : public Insert {
 public:
  std::optional<ir::Expr> size(const Instance&, const ir::Expr&) const override { return std::nullopt; }
  ir::Stmt init(const Instance&) const override { return {}; }
  Node insert(const Instance& level, const ir::Expr& parent, const ir::Expr& coordinate, bool known_new,
              const OnNew& on_new) const override {
    ir::Var position = ir::int64_var("p" + level.name);
    Node node{position, coordinate};
    node.setup = {
        ir::declare(position, ir::call(known_new ? Function::TableAppend : Function::TableInsert,
                                       {*level.table, parent, coordinate})),
        ir::if_then(ir::greater_equal(position, *level.count),
                    ir::block({ir::increment(*level.count), on_new(position)})),
    };
    return node;
  }
  ir::Stmt finalize(const Instance& level, const ir::Expr& parent_count) const override {
    return ir::Evaluate{ir::call(Function::TableFinish, {*level.table, parent_count})};
  }
  ir::Stmt clear(const Instance& level) const override {
    return ir::block(
        {ir::Evaluate{ir::call(Function::TableClear, {*level.table})}, ir::assign(*level.count, ir::integer(0))});
  }
};

class Tabled : public Format {
 public:
  std::string name() const override { return "tabled"; }
  Properties properties() const override { return {}; }
  std::vector<ArrayDescription> arrays() const override { return {}; }
  bool uses_table() const override { return true; }
  bool uses_count() const override { return true; }
  const PositionIteration* position_iteration() const override { return &iteration_; }
  const Locate* locate() const override { return &locate_; }
  const Insert* insert() const override { return &insert_; }

 private:
  TabledIteration iteration_;
  TabledLocate locate_;
  TabledInsert insert_;
};

}  // namespace

FormatPtr tabled() {
  static const FormatPtr format = std::make_shared<Tabled>();
  return format;
}

}  // namespace filigree::level
