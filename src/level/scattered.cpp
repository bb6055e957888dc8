// scattered: a workspace level with room for every coordinate, and a list of those that were touched.
//
//   insert(i)     : if (!set[i]) { set[i] = true; list[count++] = i; }      position i
//   finalize()    : sort(list, count), unless it is unordered
//   clear()       : set[list[q]] = false for all q; count = 0
//   pos_iter()    = <0, count>                    pos_access(q) = <list[q], true> at position list[q]
//
// This is the accumulator of Gustavson's matrix product: insertion and look-up cost one test, and
// the work of a row is proportional to what the row touches, not to the dimension.  It stands under
// the root only.
#include "level/properties.h"
#include "level/registry.h"

namespace filigree::level {
namespace {

const ir::Var& set(const Instance& level) { return level.arrays[0]; }
const ir::Var& list(const Instance& level) { return level.arrays[1]; }

/// Coordinates from 0 on.
ir::Expr shifted(const Instance& level, const ir::Expr& coordinate) { return ir::subtract(coordinate, level.origin); }

class ScatteredIteration : public PositionIteration {
 public:
  Bounds bounds(const Instance& level, const ir::Expr&) const override { return {ir::integer(0), *level.count}; }
  Node access(const Instance& level, const ir::Expr& cursor, const std::vector<ir::Expr>&) const override {
    ir::Expr position = ir::load_index(list(level), cursor);
    return {position, ir::add(position, level.origin)};
  }
};

class ScatteredLocate : public Locate {
 public:
  Node locate(const Instance& level, const ir::Expr&, const std::vector<ir::Expr>& coordinates) const override {
    ir::Expr position = shifted(level, coordinates.back());
    return {position, coordinates.back(), ir::Load{set(level), position}};
  }
};

class ScatteredInsert : public Insert {
 public:
  explicit ScatteredInsert(bool sorts) : sorts_(sorts) {}
  std::optional<ir::Expr> size(const Instance& level, const ir::Expr&) const override { return level.extent; }
  ir::Stmt init(const Instance&) const override { return {}; }
  Node insert(const Instance& level, const ir::Expr&, const ir::Expr& coordinate, bool, const OnNew& on_new) const override {
    ir::Expr position = shifted(level, coordinate);
    Node node{position, coordinate};
    node.setup.push_back(ir::if_then(ir::negate(ir::Load{set(level), position}),
                                     ir::block({ir::store(set(level), position, ir::boolean(true)),
                                                ir::store(list(level), *level.count, position),
                                                ir::increment(*level.count), on_new(position)})));
    return node;
  }
  ir::Stmt finalize(const Instance& level, const ir::Expr&) const override {
    return sorts_ ? ir::Stmt(ir::Evaluate{ir::call(ir::Function::Sort, {list(level), *level.count})}) : ir::Stmt();
  }
  ir::Stmt clear(const Instance& level) const override {
    ir::Var q = ir::int64_var("q");
    ir::Stmt reset = ir::store(set(level), ir::load_index(list(level), q), ir::boolean(false));
    return ir::block({ir::For{q, ir::integer(0), *level.count, reset}, ir::assign(*level.count, ir::integer(0))});
  }

 private:
  bool sorts_;
};

class Scattered : public Format {
 public:
  explicit Scattered(Properties properties) : properties_(properties), insert_(properties.ordered != Ordered::No) {}
  std::string name() const override { return "scattered"; }
  Properties properties() const override { return properties_; }
  FormatPtr with(std::string_view property) const override {
    std::optional<Properties> changed = with_property(properties_, property, {"unordered"});
    return changed ? std::make_shared<Scattered>(*changed) : nullptr;
  }
  std::vector<ArrayDescription> arrays() const override {
    using D = ArrayDescription;
    return {{"set", D::Holds::Other, D::IndexedBy::Position, 0, ElementType::Bool, 0},
            {"list", D::Holds::Coordinates, D::IndexedBy::Position}};
  }
  bool uses_count() const override { return true; }
  const PositionIteration* position_iteration() const override { return &iteration_; }
  const Locate* locate() const override { return &locate_; }
  const Insert* insert() const override { return &insert_; }

 private:
  Properties properties_;
  ScatteredIteration iteration_;
  ScatteredLocate locate_;
  ScatteredInsert insert_;
};

}  // namespace

FormatPtr scattered() {
  static const FormatPtr format = std::make_shared<Scattered>(Properties{.compact = false});
  return format;
}

}  // namespace filigree::level
