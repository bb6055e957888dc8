// numbered: a workspace level that numbers the coordinates it is given in the order of their arrival, for levels of blocks below it.
//
//   insert(i)     : if (!number[i]) { list[count++] = i; number[i] = count; }      position number[i] - 1
//   finalize()    : sort(list, count), unless it is unordered
//   clear()       : number[list[q]] = 0 for all q; count = 0
//   pos_iter()    = <0, count>                    pos_access(q) = <list[q], true> at position number[list[q]] - 1
//
// As scattered, but positions begin at 0 again whenever it is cleared: blocks that are filled, read and forgotten together stay side by
// side in the same little memory, however far apart their coordinates are.  It stands under the root only.
#include "level/properties.h"
#include "level/registry.h"

namespace filigree::level {
namespace {

const ir::Var& number(const Instance& level) { return level.arrays[0]; }
const ir::Var& list(const Instance& level) { return level.arrays[1]; }

/// Coordinates from 0 on.
ir::Expr shifted(const Instance& level, const ir::Expr& coordinate) { return ir::subtract(coordinate, level.origin); }

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

class NumberedInsert : public Insert {
 public:
  explicit NumberedInsert(bool sorts) : sorts_(sorts) {}
  /// As many as there can be; memory that is never reached costs nothing.
  std::optional<ir::Expr> size(const Instance& level, const ir::Expr&) const override { return level.extent; }
  ir::Stmt init(const Instance&) const override { return {}; }
  Node insert(const Instance& level, const ir::Expr&, const ir::Expr& coordinate, bool, const OnNew& on_new) const override {
    ir::Expr at = shifted(level, coordinate);
    ir::Var position = ir::int64_var("p" + level.name);
    Node node{position, coordinate};
    node.setup = {ir::declare(position, position_of(level, at)),
                  ir::if_then(ir::less(position, ir::integer(0)),
                              ir::block({ir::assign(position, *level.count), ir::store(list(level), *level.count, at), ir::increment(*level.count),
                                         ir::store(number(level), at, *level.count), on_new(position)}))};
    return node;
  }
  ir::Stmt finalize(const Instance& level, const ir::Expr&) const override {
    return sorts_ ? ir::Stmt(ir::Evaluate{ir::call(ir::Function::Sort, {list(level), *level.count})}) : ir::Stmt();
  }
  ir::Stmt clear(const Instance& level) const override {
    ir::Var q = ir::int64_var("q");
    ir::Stmt reset = ir::store(number(level), ir::load_index(list(level), q), ir::integer(0));
    return ir::block({ir::For{q, ir::integer(0), *level.count, reset}, ir::assign(*level.count, ir::integer(0))});
  }
  std::optional<ir::Stmt> set_position(const Instance& level, const ir::Expr& coordinate, const ir::Expr& position) const override {
    return ir::store(number(level), shifted(level, coordinate), ir::add(position, ir::integer(1)));
  }

 private:
  bool sorts_;
};

class Numbered : public Format {
 public:
  explicit Numbered(Properties properties) : properties_(properties), insert_(properties.ordered != Ordered::No) {}
  std::string name() const override { return "numbered"; }
  Properties properties() const override { return properties_; }
  FormatPtr with(std::string_view property) const override {
    std::optional<Properties> changed = with_property(properties_, property, {"unordered"});
    return changed ? std::make_shared<Numbered>(*changed) : nullptr;
  }
  std::vector<ArrayDescription> arrays() const override {
    using D = ArrayDescription;
    return {{"number", D::Holds::Other, D::IndexedBy::Position, 0, ElementType::Int64, 0},
            {"list", D::Holds::Coordinates, D::IndexedBy::Position}};
  }
  bool uses_count() const override { return true; }
  const PositionIteration* position_iteration() const override { return &iteration_; }
  const Locate* locate() const override { return &locate_; }
  const Insert* insert() const override { return &insert_; }

 private:
  Properties properties_;
  NumberedIteration iteration_;
  NumberedLocate locate_;
  NumberedInsert insert_;
};

}  // namespace

FormatPtr numbered() {
  static const FormatPtr format = std::make_shared<Numbered>(Properties{.compact = false});
  return format;
}

}  // namespace filigree::level
