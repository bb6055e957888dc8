// singleton: every parent has exactly one child; crd holds its coordinate.
//
//   pos_iter(p)   = <p, p+1>          pos_access(q) = <crd[q], crd[q] >= 0>          append_coord(q, i) : crd[q] = i
//
// `padded` lets a parent have no child: its coordinate is then -1.  The columns of an ELL matrix are padded singletons.
// Configurable: full, ordered, unique, padded.
//
// Example, the columns of a COO matrix with entries (0,1), (2,0), (2,3):  crd = 1 0 3.
#include <fmt/format.h>

#include "level/check_in_parallel.h"
#include "level/packing.h"
#include "level/properties.h"
#include "level/registry.h"
#include "level/stored.h"
#include "support/check.h"
#include "support/diagnostic.h"

namespace filigree::level {
namespace {

constexpr std::int64_t nothing = -1;  // the coordinate of padding

const ir::Var& crd(const Instance& level) { return level.arrays[0]; }

class SingletonIteration : public PositionIteration {
 public:
  explicit SingletonIteration(bool padded) : padded_(padded) {}
  Bounds bounds(const Instance&, const ir::Expr& parent) const override {
    return {parent, ir::add(parent, ir::integer(1))};
  }
  Node access(const Instance& level, const ir::Expr& cursor, const std::vector<ir::Expr>&) const override {
    ir::Expr coordinate = ir::load_index(crd(level), cursor);
    return {cursor, coordinate, padded_ ? ir::greater_equal(coordinate, ir::integer(0)) : ir::boolean(true)};
  }

 private:
  bool padded_;
};

class SingletonAppend : public Append {
 public:
  ir::Stmt init(const Instance&) const override { return {}; }
  ir::Stmt coordinate(const Instance& level, const ir::Expr& position, const ir::Expr& coordinate) const override {
    return ir::store(crd(level), position, coordinate);
  }
  ir::Stmt edges(const Instance&, const ir::Expr&, const ir::Expr&, const ir::Expr&) const override { return {}; }
  ir::Stmt finalize(const Instance&, const ir::Expr&) const override { return {}; }
};

/// Of a padded level, every parent has a place for one child.
class SingletonInsert : public Insert {
 public:
  std::optional<ir::Expr> size(const Instance&, const ir::Expr& parent_count) const override { return parent_count; }
  ir::Stmt init(const Instance&) const override { return {}; }
  bool holds_all() const override { return false; }
  bool tells_apart() const override { return false; }
  Node insert(const Instance& level, const ir::Expr& parent, const ir::Expr& coordinate, bool,
              const OnNew&) const override {
    ir::Expr held = ir::load_index(crd(level), parent);
    return {parent, coordinate, ir::either(ir::less(held, ir::integer(0)), ir::equal(held, coordinate))};
  }
  ir::Stmt mark(const Instance& level, const ir::Expr& position, const ir::Expr& coordinate) const override {
    return ir::store(crd(level), position, coordinate);
  }
  ir::Stmt finalize(const Instance&, const ir::Expr&) const override { return {}; }
  ir::Stmt clear(const Instance& level) const override {
    throw InternalError("level", "a singleton is no workspace", level.name);
  }
};

class SingletonStorage : public Storage, public PacksLists {
 public:
  explicit SingletonStorage(Properties properties) : properties_(properties) {}

  Packed pack(const Shape& shape, const Nodes& nodes) const override { return packed(shape, nodes); }

  PackedList pack_list(const Shape& shape, NodeList nodes) const override {
    PackedList packed;
    packed.size = shape.parent_count;
    const std::int64_t count = nodes.parent.size();
    ElementType type = coordinate_type(shape.origin, shape.extent);
    if (nodes.parent.is_counting() && count == shape.parent_count) {  // one child each
      packed.arrays.push_back(std::move(nodes.coordinate).taken(type));
      packed.positions = std::move(nodes.parent);
      return packed;
    }
    Array coordinates = room_for(type, shape.parent_count), positions = room_for(ElementType::Int64, count);
    for (std::int64_t p = 0; p < shape.parent_count; p++) coordinates.set_index(p, nothing);
    for (std::int64_t n = 0; n < count; n++) {
      std::int64_t parent = nodes.parent[n], coordinate = nodes.coordinate[n], before = coordinates.index_at(parent);
      bool fits = before == nothing || before == coordinate;
      if (fits) coordinates.set_index(parent, coordinate);
      positions.set_index(n, fits ? parent : Packed::does_not_fit);
    }
    packed.arrays.push_back(std::move(coordinates));
    packed.positions = IndexList(std::move(positions));
    return packed;
  }

  double least_size(double, double parent_count, double) const override { return parent_count; }

  std::int64_t validate(const StoredLevel& level, const std::string& where) const override {
    const Array& coordinates = (*level.arrays)[0];
    check_count(coordinates, "crd", level.parent_count, "position above", where);
    if (coordinates_are_inside(coordinates, level,
                               properties_.padded ? std::optional<std::int64_t>(nothing) : std::nullopt))
      return level.parent_count;
    for (std::int64_t p = 0; p < level.parent_count; p++) {
      std::int64_t i = coordinates.index_at(p);
      if (!(properties_.padded && i == nothing)) check_coordinate(i, level, "crd", p, where);
    }
    return level.parent_count;
  }

  std::int64_t size(const StoredLevel& level) const override { return level.parent_count; }

  void for_each_child(const StoredLevel& level, std::int64_t parent,
                      const std::function<void(std::int64_t, std::int64_t)>& visit) const override {
    std::int64_t i = (*level.arrays)[0].index_at(parent);
    if (!(properties_.padded && i == nothing)) visit(i, parent);
  }

 private:
  Properties properties_;
};

class Singleton : public Format {
 public:
  explicit Singleton(Properties properties)
      : properties_(properties), iteration_(properties.padded), storage_(properties) {}
  std::string name() const override { return "singleton"; }
  Properties properties() const override { return properties_; }
  FormatPtr with(std::string_view property) const override {
    std::optional<Properties> changed =
        with_property(properties_, property, {"full", "unordered", "decreasing", "nonunique", "padded"});
    return changed ? std::make_shared<Singleton>(*changed) : nullptr;
  }
  std::optional<char> letter() const override { return properties_ == usual ? std::optional('q') : std::nullopt; }
  std::vector<ArrayDescription> arrays() const override {
    using D = ArrayDescription;
    D crd{"crd", D::Holds::Coordinates, D::IndexedBy::Position};
    if (properties_.padded) crd.initially = static_cast<int>(nothing);
    return {crd};
  }
  const PositionIteration* position_iteration() const override { return &iteration_; }
  const Append* append() const override { return properties_.padded ? nullptr : &append_; }
  const Insert* insert() const override { return properties_.padded ? &insert_ : nullptr; }
  const Storage* storage() const override { return &storage_; }

  static constexpr Properties usual{.branchless = true};

 private:
  Properties properties_;
  SingletonIteration iteration_;
  SingletonAppend append_;
  SingletonInsert insert_;
  SingletonStorage storage_;
};

}  // namespace

FormatPtr singleton() {
  static const FormatPtr format = std::make_shared<Singleton>(Singleton::usual);
  return format;
}

}  // namespace filigree::level
