// slots: numbers 0..n-1 under every parent, as in dense, where n is part of the storage and not a dimension.
//
//   coord_iter() = <0, n[0]>          locate(p, s) = <p*n[0] + s, true>          size(parents) = parents * n
//
// Example, the slots of an ELL matrix whose longest row has 3 entries, (#i: slots, i: dense, j: singleton(padded)):  n
// = 3.
#include <algorithm>

#include "level/registry.h"
#include "level/stored.h"
#include "support/check.h"
#include "support/diagnostic.h"

#include <fmt/format.h>

namespace filigree::level {
namespace {

ir::Expr count(const Instance& level) { return ir::load_index(level.arrays[0], ir::integer(0)); }

class SlotsIteration : public ValueIteration {
 public:
  Bounds bounds(const Instance& level, const std::vector<ir::Expr>&) const override {
    return {ir::integer(0), count(level)};
  }
  Node access(const Instance& level, const ir::Expr& parent, const std::vector<ir::Expr>& coordinates) const override {
    return {ir::add(ir::multiply(parent, level.extent), coordinates.back()), coordinates.back()};
  }
};

class SlotsLocate : public Locate {
 public:
  Node locate(const Instance& level, const ir::Expr& parent, const std::vector<ir::Expr>& coordinates) const override {
    return {ir::add(ir::multiply(parent, level.extent), coordinates.back()), coordinates.back()};
  }
};

/// How many slots there are is known when all entries are counted: the level's extent, then.
class SlotsInsert : public Insert {
 public:
  std::optional<ir::Expr> size(const Instance& level, const ir::Expr& parent_count) const override {
    return ir::multiply(parent_count, level.extent);
  }
  ir::Stmt init(const Instance& level) const override {
    return ir::store(level.arrays[0], ir::integer(0), level.extent);
  }
  Node insert(const Instance& level, const ir::Expr& parent, const ir::Expr& coordinate, bool,
              const OnNew&) const override {
    return {ir::add(ir::multiply(parent, level.extent), coordinate), coordinate};
  }
  ir::Stmt finalize(const Instance&, const ir::Expr&) const override { return {}; }
  ir::Stmt clear(const Instance& level) const override {
    throw InternalError("level", "slots are no workspace", level.name);
  }
};

class SlotsStorage : public Storage {
 public:
  Packed pack(const Shape& shape, const Nodes& nodes) const override {
    std::int64_t slots = 0;
    for (std::int64_t s : nodes.coordinate) slots = std::max(slots, s + 1);
    Packed packed;
    packed.size = shape.parent_count * slots;
    packed.positions.reserve(nodes.parent.size());
    for (size_t n = 0; n < nodes.parent.size(); n++)
      packed.positions.push_back(nodes.parent[n] * slots + nodes.coordinate[n]);
    packed.arrays.emplace_back(index_type_for(slots), 1);
    packed.arrays[0].set_index(0, slots);
    return packed;
  }
  double least_size(double, double parent_count, double nodes) const override {
    return parent_count * std::min(nodes, 1.0);
  }
  std::int64_t validate(const StoredLevel& level, const std::string& where) const override {
    check_count((*level.arrays)[0], "n", 1, "tensor", where);
    std::int64_t slots = (*level.arrays)[0].index_at(0), positions = 0;
    if (slots < 0) throw UserError(fmt::format("n[0] of {} is {}, less than 0", where, slots));
    if (__builtin_mul_overflow(slots, level.parent_count, &positions))
      throw UserError(fmt::format("n[0] of {} is {}, which is too large", where, slots));
    return positions;
  }
  std::int64_t size(const StoredLevel& level) const override {
    return level.parent_count * (*level.arrays)[0].index_at(0);
  }
  void for_each_child(const StoredLevel& level, std::int64_t parent,
                      const std::function<void(std::int64_t, std::int64_t)>& visit) const override {
    std::int64_t slots = (*level.arrays)[0].index_at(0);
    for (std::int64_t s = 0; s < slots; s++) visit(s, parent * slots + s);
  }
};

class Slots : public Format {
 public:
  std::string name() const override { return "slots"; }
  Properties properties() const override { return {.full = true}; }
  bool counts_entries() const override { return true; }
  std::optional<ir::Expr> stored_extent(const Instance& level) const override { return count(level); }
  std::vector<ArrayDescription> arrays() const override {
    using D = ArrayDescription;
    return {{"n", D::Holds::Positions, D::IndexedBy::Nothing, 1}};
  }
  const ValueIteration* value_iteration() const override { return &iteration_; }
  const Locate* locate() const override { return &locate_; }
  const Insert* insert() const override { return &insert_; }
  const Storage* storage() const override { return &storage_; }

 private:
  SlotsIteration iteration_;
  SlotsLocate locate_;
  SlotsInsert insert_;
  SlotsStorage storage_;
};

}  // namespace

FormatPtr slots() {
  static const FormatPtr format = std::make_shared<Slots>();
  return format;
}

}  // namespace filigree::level
