// scattered: a workspace level with room for every coordinate, and a list of those that were touched.
//
//   insert(i)     : if (!set[i]) { set[i] = true; list[count++] = i; }      position i
//   finalize()    : sort(list, count), unless it is unordered; where many are touched, they are listed again from `set`
//   clear()       : set[list[q]] = false for all q; count = 0
//   pos_iter()    = <0, count>                    pos_access(q) = <list[q], true> at position list[q]
//
// This is the accumulator of Gustavson's matrix product: insertion and look-up cost one test, and
// the work of a row is proportional to what the row touches, not to the dimension.  It stands under
// the root only.
#include "level/listed.h"

namespace filigree::level {
namespace {

const ir::Var& set(const Instance& level) { return level.arrays[0]; }

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

class ScatteredInsert : public ListedInsert {
 public:
  using ListedInsert::ListedInsert;
  Node insert(const Instance& level, const ir::Expr&, const ir::Expr& coordinate, bool,
              const OnNew& on_new) const override {
    ir::Expr position = shifted(level, coordinate);
    Node node{position, coordinate};
    node.setup.push_back(ir::if_then(
        ir::negate(ir::Load{set(level), position}),
        ir::block({ir::store(set(level), position, ir::boolean(true)), ir::store(list(level), *level.count, position),
                   ir::increment(*level.count), on_new(position)})));
    return node;
  }

 protected:
  std::vector<ir::Expr> sorted(const Instance& level) const override {
    return {list(level), *level.count, set(level), level.extent};
  }
  ir::Stmt forget(const Instance& level, const ir::Expr& shifted_coordinate) const override {
    return ir::store(set(level), shifted_coordinate, ir::boolean(false));
  }
};

class Scattered : public Listed<Scattered, ScatteredIteration, ScatteredLocate, ScatteredInsert> {
 public:
  using Listed::Listed;
  std::string name() const override { return "scattered"; }
  std::vector<ArrayDescription> arrays() const override {
    using D = ArrayDescription;
    return {{"set", D::Holds::Other, D::IndexedBy::Position, 0, ElementType::Bool, 0},
            {"list", D::Holds::Coordinates, D::IndexedBy::Position}};
  }
};

}  // namespace

FormatPtr scattered() {
  static const FormatPtr format = std::make_shared<Scattered>(Properties{.compact = false});
  return format;
}

}  // namespace filigree::level
