// numbered: a workspace level that numbers the coordinates it is given in the order of their arrival, for levels of
// blocks below it.
//
//   insert(i)     : if (!number[i]) { list[count++] = i; number[i] = count; }      position number[i] - 1
//   finalize()    : sort(list, count), unless it is unordered
//   clear()       : number[list[q]] = 0 for all q; count = 0
//   pos_iter()    = <0, count>                    pos_access(q) = <list[q], true> at position number[list[q]] - 1
//
// As scattered, but positions begin at 0 again whenever it is cleared: blocks that are filled, read and forgotten
// together stay side by side in the same little memory, however far apart their coordinates are.  It stands under the
// root only.
#include "level/listed.h"

namespace filigree::level {
namespace {

const ir::Var& number(const Instance& level) { return level.arrays[0]; }

/// -1 for a coordinate that is not there.
ir::Expr position_of(const Instance& level, const ir::Expr& shifted_coordinate) {
  return ir::subtract(ir::load_index(number(level), shifted_coordinate), ir::integer(1));
}

class NumberedIteration : public PositionIteration {
 public:
  Bounds bounds(const Instance& level, const ir::Expr&) const override { return {ir::integer(0), *level.count}; }
  Node access(const Instance& level, const ir::Expr& cursor, const std::vector<ir::Expr>&) const override {
    ir::Expr listed = ir::load_index(list(level), cursor);
    return {position_of(level, listed), ir::add(listed, level.origin)};
  }
};

class NumberedLocate : public Locate {
 public:
  Node locate(const Instance& level, const ir::Expr&, const std::vector<ir::Expr>& coordinates) const override {
    ir::Var position = ir::int64_var("p" + level.name);
    Node node{position, coordinates.back(), ir::greater_equal(position, ir::integer(0))};
    node.setup.push_back(ir::declare(position, position_of(level, shifted(level, coordinates.back()))));
    return node;
  }
};

class NumberedInsert : public ListedInsert {
 public:
  using ListedInsert::ListedInsert;
  Node insert(const Instance& level, const ir::Expr&, const ir::Expr& coordinate, bool,
              const OnNew& on_new) const override {
    ir::Expr at = shifted(level, coordinate);
    ir::Var position = ir::int64_var("p" + level.name);
    Node node{position, coordinate};
    node.setup = {ir::declare(position, position_of(level, at)),
                  ir::if_then(ir::less(position, ir::integer(0)),
                              ir::block({ir::assign(position, *level.count), ir::store(list(level), *level.count, at),
                                         ir::increment(*level.count), ir::store(number(level), at, *level.count),
                                         on_new(position)}))};
    return node;
  }
  std::optional<ir::Stmt> set_position(const Instance& level, const ir::Expr& coordinate,
                                       const ir::Expr& position) const override {
    return ir::store(number(level), shifted(level, coordinate), ir::add(position, ir::integer(1)));
  }

 protected:
  ir::Stmt forget(const Instance& level, const ir::Expr& shifted_coordinate) const override {
    return ir::store(number(level), shifted_coordinate, ir::integer(0));
  }
};

class Numbered : public Listed<Numbered, NumberedIteration, NumberedLocate, NumberedInsert> {
 public:
  using Listed::Listed;
  std::string name() const override { return "numbered"; }
  std::vector<ArrayDescription> arrays() const override {
    using D = ArrayDescription;
    return {{"number", D::Holds::Other, D::IndexedBy::Position, 0, ElementType::Int64, 0},
            {"list", D::Holds::Coordinates, D::IndexedBy::Position}};
  }
};

}  // namespace

FormatPtr numbered() {
  static const FormatPtr format = std::make_shared<Numbered>(Properties{.compact = false});
  return format;
}

}  // namespace filigree::level
