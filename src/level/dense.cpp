// dense: every coordinate 0..N-1 under every parent, nothing stored.
//
//   coord_iter()      = <0, N>               locate(p, i)  = <p*N + i, true>
//   coord_access(p,i) = <p*N + i, true>      size(parents) = parents * N
//
// Example, the rows of a 4x6 CSR matrix:  N = 4; row i of the root is position i.
//
// range: stored the same way, but some coordinates of a parent may stand for nothing.  The rows of diagonal d of a DIA
// matrix are those with 0 <= i + d < columns; loops ask the relation j = d + i for these bounds.
#include "level/packing.h"
#include "level/registry.h"
#include "support/check.h"

namespace filigree::level {
namespace {

ir::Expr child_position(const Instance& level, const ir::Expr& parent, const ir::Expr& coordinate) {
  return ir::add(ir::multiply(parent, level.extent), ir::subtract(coordinate, level.origin));
}

class DenseIteration : public ValueIteration {
 public:
  Bounds bounds(const Instance& level, const std::vector<ir::Expr>&) const override {
    return {level.origin, ir::add(level.origin, level.extent)};
  }
  Node access(const Instance& level, const ir::Expr& parent, const std::vector<ir::Expr>& coordinates) const override {
    return {child_position(level, parent, coordinates.back()), coordinates.back()};
  }
};

class DenseLocate : public Locate {
 public:
  Node locate(const Instance& level, const ir::Expr& parent, const std::vector<ir::Expr>& coordinates) const override {
    return {child_position(level, parent, coordinates.back()), coordinates.back()};
  }
};

class DenseInsert : public Insert {
 public:
  std::optional<ir::Expr> size(const Instance& level, const ir::Expr& parent_count) const override {
    return ir::multiply(parent_count, level.extent);
  }
  ir::Stmt init(const Instance&) const override { return {}; }
  Node insert(const Instance& level, const ir::Expr& parent, const ir::Expr& coordinate, bool,
              const OnNew&) const override {
    return {child_position(level, parent, coordinate), coordinate};
  }
  ir::Stmt finalize(const Instance&, const ir::Expr&) const override { return {}; }
  ir::Stmt clear(const Instance&) const override { return {}; }
};

class DenseStorage : public Storage, public PacksLists {
 public:
  Packed pack(const Shape& shape, const Nodes& nodes) const override { return packed(shape, nodes); }

  PackedList pack_list(const Shape& shape, NodeList nodes) const override {
    PackedList packed;
    packed.size = shape.parent_count * shape.extent;
    if (nodes.parent.is_zero() && shape.origin == 0) {  // under one parent a coordinate is a position
      packed.positions = std::move(nodes.coordinate);
      return packed;
    }
    const std::int64_t count = nodes.parent.size();
    Array positions = room_for(index_type_for(packed.size), count);
    as_indices(positions, [&]<class Index>(Index* to) {
      nodes.parent.visit([&](const auto& parent) {
        nodes.coordinate.visit([&](const auto& coordinate) {
          for (std::int64_t n = 0; n < count; n++)
            to[n] = static_cast<Index>(parent[n] * shape.extent + coordinate[n] - shape.origin);
        });
      });
    });
    packed.positions = IndexList(std::move(positions));
    return packed;
  }
  double least_size(double extent, double parent_count, double) const override { return parent_count * extent; }
  std::int64_t validate(const StoredLevel& level, const std::string&) const override { return size(level); }
  std::int64_t size(const StoredLevel& level) const override { return level.parent_count * level.extent; }
  void for_each_child(const StoredLevel& level, std::int64_t parent,
                      const std::function<void(std::int64_t, std::int64_t)>& visit) const override {
    for (std::int64_t i = 0; i < level.extent; i++) visit(level.origin + i, parent * level.extent + i);
  }
  void for_each_child_at(const StoredLevel& level, std::int64_t parent, std::int64_t coordinate,
                         const std::function<void(std::int64_t)>& visit) const override {
    std::int64_t i = coordinate - level.origin;
    if (i >= 0 && i < level.extent) visit(parent * level.extent + i);
  }
};

/// `full`: dense; otherwise range, of which only the part counts that the other levels' coordinates leave within the
/// tensor.
class Dense : public Format {
 public:
  explicit Dense(bool full) : full_(full) {}
  std::string name() const override { return full_ ? "dense" : "range"; }
  Properties properties() const override { return {.full = full_, .compact = full_}; }
  std::optional<char> letter() const override { return full_ ? std::optional('d') : std::nullopt; }
  bool pads() const override { return true; }
  std::vector<ArrayDescription> arrays() const override { return {}; }
  const ValueIteration* value_iteration() const override { return &iteration_; }
  const Locate* locate() const override { return &locate_; }
  const Insert* insert() const override { return &insert_; }
  const Storage* storage() const override { return &storage_; }

 private:
  bool full_;
  DenseIteration iteration_;
  DenseLocate locate_;
  DenseInsert insert_;
  DenseStorage storage_;
};

}  // namespace

FormatPtr dense() {
  static const FormatPtr format = std::make_shared<Dense>(true);
  return format;
}

FormatPtr range() {
  static const FormatPtr format = std::make_shared<Dense>(false);
  return format;
}

}  // namespace filigree::level
