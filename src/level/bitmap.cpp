// bitmap: room for every coordinate under every parent, and a flag that says whether it is there.
//
//   coord_iter()  = <0, N>           locate(p, i)  = <p*N + i, set[p*N + i]>
//   insert(p, i)  : set[p*N + i] = true
//
// Example, a vector of 5 components with entries at 1 and 4:  set = 0 1 0 0 1.
#include <fmt/format.h>

#include "level/registry.h"
#include "level/stored.h"
#include "support/check.h"
#include "support/diagnostic.h"

namespace filigree::level {
namespace {

const ir::Var& set(const Instance& level) { return level.arrays[0]; }

ir::Expr child_position(const Instance& level, const ir::Expr& parent, const ir::Expr& coordinate) {
  return ir::add(ir::multiply(parent, level.extent), ir::subtract(coordinate, level.origin));
}

Node node_at(const Instance& level, const ir::Expr& parent, const ir::Expr& coordinate) {
  ir::Expr position = child_position(level, parent, coordinate);
  return {position, coordinate, ir::Load{set(level), position}};
}

class BitmapIteration : public ValueIteration {
 public:
  Bounds bounds(const Instance& level, const std::vector<ir::Expr>&) const override {
    return {level.origin, ir::add(level.origin, level.extent)};
  }
  Node access(const Instance& level, const ir::Expr& parent, const std::vector<ir::Expr>& coordinates) const override {
    return node_at(level, parent, coordinates.back());
  }
};

class BitmapLocate : public Locate {
 public:
  Node locate(const Instance& level, const ir::Expr& parent, const std::vector<ir::Expr>& coordinates) const override {
    return node_at(level, parent, coordinates.back());
  }
};

class BitmapInsert : public Insert {
 public:
  std::optional<ir::Expr> size(const Instance& level, const ir::Expr& parent_count) const override {
    return ir::multiply(parent_count, level.extent);
  }
  ir::Stmt init(const Instance&) const override { return {}; }
  Node insert(const Instance& level, const ir::Expr& parent, const ir::Expr& coordinate, bool,
              const OnNew&) const override {
    return {child_position(level, parent, coordinate), coordinate};
  }
  ir::Stmt mark(const Instance& level, const ir::Expr& position, const ir::Expr&) const override {
    return ir::store(set(level), position, ir::boolean(true));
  }
  ir::Stmt finalize(const Instance&, const ir::Expr&) const override { return {}; }
  ir::Stmt clear(const Instance& level) const override {
    throw InternalError("level", "a bitmap is no workspace", level.name);
  }
};

class BitmapStorage : public Storage {
 public:
  Packed pack(const Shape& shape, const Nodes& nodes) const override {
    Packed packed;
    packed.size = shape.parent_count * shape.extent;
    Array present(ElementType::Bool, packed.size);
    for (size_t n = 0; n < nodes.parent.size(); n++) {
      std::int64_t position = nodes.parent[n] * shape.extent + nodes.coordinate[n] - shape.origin;
      present.as<std::uint8_t>()[position] = 1;
      packed.positions.push_back(position);
    }
    packed.arrays.push_back(std::move(present));
    return packed;
  }
  double least_size(double extent, double parent_count, double) const override { return parent_count * extent; }
  std::int64_t validate(const StoredLevel& level, const std::string& where) const override {
    const Array& present = (*level.arrays)[0];
    check_count(present, "set", size(level), "coordinate under each position above", where);
    for (std::int64_t p = 0; p < present.count(); p++) {
      unsigned flag = present.as<std::uint8_t>()[p];
      if (flag > 1) throw UserError(fmt::format("set[{}] of {} is {}, neither 0 nor 1", p, where, flag));
    }
    return size(level);
  }
  std::int64_t size(const StoredLevel& level) const override { return level.parent_count * level.extent; }
  void for_each_child(const StoredLevel& level, std::int64_t parent,
                      const std::function<void(std::int64_t, std::int64_t)>& visit) const override {
    std::span<const std::uint8_t> present = (*level.arrays)[0].as<std::uint8_t>();
    for (std::int64_t i = 0; i < level.extent; i++) {
      std::int64_t position = parent * level.extent + i;
      if (present[position]) visit(level.origin + i, position);
    }
  }
  void for_each_child_at(const StoredLevel& level, std::int64_t parent, std::int64_t coordinate,
                         const std::function<void(std::int64_t)>& visit) const override {
    std::int64_t i = coordinate - level.origin, position = parent * level.extent + i;
    if (i >= 0 && i < level.extent && (*level.arrays)[0].as<std::uint8_t>()[static_cast<size_t>(position)])
      visit(position);
  }
};

class Bitmap : public Format {
 public:
  std::string name() const override { return "bitmap"; }
  Properties properties() const override { return {.compact = false}; }
  std::optional<char> letter() const override { return 'b'; }
  std::vector<ArrayDescription> arrays() const override {
    using D = ArrayDescription;
    return {{"set", D::Holds::Other, D::IndexedBy::Position, 0, ElementType::Bool, 0}};
  }
  const ValueIteration* value_iteration() const override { return &iteration_; }
  const Locate* locate() const override { return &locate_; }
  const Insert* insert() const override { return &insert_; }
  const Storage* storage() const override { return &storage_; }

 private:
  BitmapIteration iteration_;
  BitmapLocate locate_;
  BitmapInsert insert_;
  BitmapStorage storage_;
};

}  // namespace

FormatPtr bitmap() {
  static const FormatPtr format = std::make_shared<Bitmap>();
  return format;
}

}  // namespace filigree::level
