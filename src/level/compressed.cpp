// compressed: each parent has a segment of the array crd; pos holds where segments begin.
//
//   pos_iter(p)   = <pos[p], pos[p+1]>       append_coord(q, i)      : crd[q] = i
//   pos_access(q) = <crd[q], true>           append_edges(p, b, e)   : pos[p+1] = e
//
// Example, the columns of a CSR matrix with rows {0,1}, {}, {2}:  pos = 0 2 2 3,  crd = 0 1 2.
#include <fmt/format.h>

#include "level/registry.h"
#include "support/diagnostic.h"

namespace filigree::level {
namespace {

const ir::Var& pos(const Instance& level) { return level.arrays[0]; }
const ir::Var& crd(const Instance& level) { return level.arrays[1]; }

class CompressedIteration : public PositionIteration {
 public:
  Bounds bounds(const Instance& level, const ir::Expr& parent) const override {
    return {ir::load_index(pos(level), parent), ir::load_index(pos(level), ir::add(parent, ir::integer(1)))};
  }
  Node access(const Instance& level, const ir::Expr& cursor, const std::vector<ir::Expr>&) const override {
    return {cursor, ir::load_index(crd(level), cursor)};
  }
};

class CompressedSearch : public Search {
 public:
  ir::Var coordinates(const Instance& level) const override { return crd(level); }
};

class CompressedAppend : public Append {
 public:
  ir::Stmt init(const Instance& level) const override { return ir::store(pos(level), ir::integer(0), ir::integer(0)); }
  ir::Stmt coordinate(const Instance& level, const ir::Expr& position, const ir::Expr& coordinate) const override {
    return ir::store(crd(level), position, coordinate);
  }
  ir::Stmt edges(const Instance& level, const ir::Expr& parent, const ir::Expr&, const ir::Expr& end) const override {
    return ir::store(pos(level), ir::add(parent, ir::integer(1)), end);
  }
  /// A parent without edges has pos[p+1] == 0 here; it ends where the parent before it ends.
  ir::Stmt finalize(const Instance& level, const ir::Expr& parent_count) const override {
    ir::Var p = ir::int64_var("p");
    ir::Expr next = ir::add(p, ir::integer(1));
    ir::Expr begin = ir::load_index(pos(level), p), end = ir::load_index(pos(level), next);
    return ir::For{p, ir::integer(0), parent_count, ir::if_then(ir::less(end, begin), ir::store(pos(level), next, begin))};
  }
};

class CompressedStorage : public Storage {
 public:
  Packed pack(std::int64_t extent, std::int64_t parent_count, const Nodes& nodes) const override {
    Packed packed;
    size_t count = nodes.parent.size();
    packed.positions.resize(count);
    std::int64_t size = 0;
    for (size_t n = 0; n < count; n++) {
      bool repeats = n > 0 && nodes.parent[n] == nodes.parent[n - 1] && nodes.coordinate[n] == nodes.coordinate[n - 1];
      if (!repeats) size++;
      packed.positions[n] = size - 1;
    }
    Array begins(index_type_for(size), parent_count + 1), coordinates(index_type_for(extent - 1), size);
    for (size_t n = 0; n < count; n++) {
      coordinates.set_index(packed.positions[n], nodes.coordinate[n]);
      begins.set_index(nodes.parent[n] + 1, packed.positions[n] + 1);
    }
    for (std::int64_t p = 0; p < parent_count; p++) {
      if (begins.index_at(p + 1) < begins.index_at(p)) begins.set_index(p + 1, begins.index_at(p));
    }
    packed.arrays.push_back(std::move(begins));
    packed.arrays.push_back(std::move(coordinates));
    packed.size = size;
    return packed;
  }

  std::int64_t validate(const StoredLevel& level, const std::string& where) const override {
    const Array& begins = (*level.arrays)[0];
    const Array& coordinates = (*level.arrays)[1];
    if (begins.count() != level.parent_count + 1) {
      throw UserError(fmt::format("The array 'pos' of {} has {} elements, but {} are needed (one more than the {} positions above)",
                                  where, begins.count(), level.parent_count + 1, level.parent_count));
    }
    if (begins.index_at(0) != 0) throw UserError(fmt::format("pos[0] of {} is {}, not 0", where, begins.index_at(0)));
    for (std::int64_t p = 0; p < level.parent_count; p++) {
      std::int64_t begin = begins.index_at(p), end = begins.index_at(p + 1);
      if (end < begin) {
        throw UserError(fmt::format("pos[{}] of {} is {}, less than pos[{}] = {}; positions must not decrease", p + 1, where, end, p, begin));
      }
      if (end > coordinates.count()) {
        throw UserError(fmt::format("pos[{}] of {} is {}, but 'crd' has only {} elements", p + 1, where, end, coordinates.count()));
      }
      for (std::int64_t q = begin; q < end; q++) {
        std::int64_t i = coordinates.index_at(q);
        if (i < 0 || i >= level.extent) {
          throw UserError(fmt::format("crd[{}] of {} is {}, outside 0..{}", q, where, i, level.extent - 1));
        }
        if (q > begin && i <= coordinates.index_at(q - 1)) {
          throw UserError(fmt::format("crd[{}] of {} is {} after {}; coordinates must increase within a segment", q, where, i, coordinates.index_at(q - 1)));
        }
      }
    }
    std::int64_t size = begins.index_at(level.parent_count);
    if (coordinates.count() != size) {
      throw UserError(fmt::format("The array 'crd' of {} has {} elements, but pos ends at {}", where, coordinates.count(), size));
    }
    return size;
  }

  std::int64_t size(const StoredLevel& level) const override { return (*level.arrays)[0].index_at(level.parent_count); }

  void for_each_child(const StoredLevel& level, std::int64_t parent,
                      const std::function<void(std::int64_t, std::int64_t)>& visit) const override {
    const Array& begins = (*level.arrays)[0];
    const Array& coordinates = (*level.arrays)[1];
    for (std::int64_t q = begins.index_at(parent); q < begins.index_at(parent + 1); q++) visit(coordinates.index_at(q), q);
  }
};

class Compressed : public Format {
 public:
  std::string name() const override { return "compressed"; }
  Properties properties() const override { return {}; }
  std::vector<ArrayDescription> arrays() const override {
    using D = ArrayDescription;
    return {{"pos", D::Holds::Positions, D::IndexedBy::Parent, 1}, {"crd", D::Holds::Coordinates, D::IndexedBy::Position}};
  }
  const PositionIteration* position_iteration() const override { return &iteration_; }
  const Search* search() const override { return &search_; }
  const Append* append() const override { return &append_; }
  const Storage* storage() const override { return &storage_; }

 private:
  CompressedIteration iteration_;
  CompressedSearch search_;
  CompressedAppend append_;
  CompressedStorage storage_;
};

}  // namespace

FormatPtr compressed() {
  static const FormatPtr format = std::make_shared<Compressed>();
  return format;
}

}  // namespace filigree::level
