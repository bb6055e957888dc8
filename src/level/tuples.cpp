// tuples(n) and member: entries whose n coordinates stand side by side in one array, an array of structures.  The level
// of tuples owns the arrays and has the first coordinate; a level `member` for each of the others follows, and owns
// nothing.
//
//   tuples(n)    pos_iter(p)   = <pos[p], pos[p+1]>      append_coord(q, i)    : crd[n*q] = i
//                pos_access(q) = <crd[n*q], true>        append_edges(p, b, e) : pos[p+1] = e
//   k-th member  pos_iter(p)   = <p, p+1>                append_coord(q, i)    : crd[n*q + k] = i
//                pos_access(q) = <crd[n*q + k], true>
//
// Tuples are not unique: entries with the same first coordinate are different ones.
// Configurable: ordered (increasing, decreasing or not); of a member also unique.
//
// Example, a matrix (i: tuples(2), j: member) with entries (0,1), (2,0), (2,3):  pos = 0 3,  crd = 0 1 2 0 2 3.
#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "level/properties.h"
#include "level/registry.h"
#include "level/stored.h"
#include "support/check.h"
#include "support/diagnostic.h"
#include "support/text.h"

namespace filigree::level {
namespace {

constexpr std::int64_t nothing = -1;  // where a member has not packed its coordinate yet
constexpr int most_coordinates = 1 << 16;

// Of the arrays of tuples: as variables of generated code, or in memory.
template <class Arrays>
auto& pos(Arrays& arrays) {
  return arrays[0];
}
template <class Arrays>
auto& crd(Arrays& arrays) {
  return arrays[1];
}

/// Where a member's coordinates stand: `number` elements behind the first of each tuple of `size`.
template <class Arrays>
struct Place {
  Arrays arrays;
  int size, number;
};

template <class Arrays>
Place<Arrays> place_of(const std::vector<Above<Arrays>>& above) {
  int number = 1;
  for (auto up = above.rbegin(); up != above.rend(); ++up, ++number) {
    if (up->format->holds_below() >= number) return {up->arrays, up->format->holds_below() + 1, number};
  }
  throw InternalError("level", "a member that has no tuples above it", "");
}

// --- tuples ----------------------------------------------------------------------------------------

class TuplesIteration : public PositionIteration {
 public:
  explicit TuplesIteration(int size) : size_(size) {}
  Bounds bounds(const Instance& level, const ir::Expr& parent) const override {
    return {ir::load_index(pos(level.arrays), parent),
            ir::load_index(pos(level.arrays), ir::add(parent, ir::integer(1)))};
  }
  Node access(const Instance& level, const ir::Expr& cursor, const std::vector<ir::Expr>&) const override {
    return {cursor, ir::load_index(crd(level.arrays), ir::multiply(cursor, ir::integer(size_)))};
  }

 private:
  int size_;
};

class TuplesAppend : public Append {
 public:
  explicit TuplesAppend(int size) : size_(size) {}
  ir::Stmt init(const Instance& level) const override { return edges_->init(level); }
  ir::Stmt coordinate(const Instance& level, const ir::Expr& position, const ir::Expr& coordinate) const override {
    return ir::store(crd(level.arrays), ir::multiply(position, ir::integer(size_)), coordinate);
  }
  ir::Stmt edges(const Instance& level, const ir::Expr& parent, const ir::Expr& begin,
                 const ir::Expr& end) const override {
    return edges_->edges(level, parent, begin, end);
  }
  ir::Stmt finalize(const Instance& level, const ir::Expr& parent_count) const override {
    return edges_->finalize(level, parent_count);
  }

 private:
  const Append* edges_ = compressed()->append();  // segments begin and end as they do there
  int size_;
};

class TuplesStorage : public Storage {
 public:
  TuplesStorage(Properties properties, int size) : properties_(properties), size_(size) {}

  Packed pack(const Shape& shape, const Nodes& nodes) const override {
    Packed packed = compressed_.pack(shape, nodes);
    Array tuples(crd(packed.arrays).type(), packed.size * size_);
    for (std::int64_t e = 0; e < tuples.count(); e++)
      tuples.set_index(e, e % size_ == 0 ? crd(packed.arrays).index_at(e / size_) : nothing);
    crd(packed.arrays) = std::move(tuples);
    return packed;
  }

  double least_size(double extent, double parent_count, double nodes) const override {
    return compressed_.least_size(extent, parent_count, nodes);
  }

  std::int64_t validate(const StoredLevel& level, const std::string& where) const override {
    const Array& begins = pos(*level.arrays);
    const Array& tuples = crd(*level.arrays);
    std::int64_t size = check_positions(begins, level.parent_count, tuples.count(), where, size_);
    for (std::int64_t p = 0; p < level.parent_count; p++) {
      for (std::int64_t q = begins.index_at(p); q < begins.index_at(p + 1); q++) {
        check_coordinate(tuples.index_at(q * size_), level, "crd", q * size_, where);
        if (q > begins.index_at(p))
          check_order(tuples.index_at((q - 1) * size_), tuples.index_at(q * size_), properties_, q * size_, where);
      }
    }
    return size;
  }

  std::int64_t size(const StoredLevel& level) const override { return compressed_.size(level); }

  void for_each_child(const StoredLevel& level, std::int64_t parent,
                      const std::function<void(std::int64_t, std::int64_t)>& visit) const override {
    const Array& begins = pos(*level.arrays);
    const Array& tuples = crd(*level.arrays);
    for (std::int64_t q = begins.index_at(parent); q < begins.index_at(parent + 1); q++)
      visit(tuples.index_at(q * size_), q);
  }

 private:
  FormatPtr segments_ = compressed()->with("nonunique");
  const Storage& compressed_ = *segments_->storage();
  Properties properties_;
  int size_;
};

class Tuples : public Format {
 public:
  Tuples(int size, Properties properties)
      : size_(size), properties_(properties), iteration_(size), append_(size), storage_(properties, size) {}
  std::string name() const override { return "tuples"; }
  Properties properties() const override { return properties_; }
  std::optional<std::string> argument() const override { return std::to_string(size_); }
  FormatPtr with(std::string_view word) const override {
    long long size = 0;
    if (parse_int64(word, size))
      return size >= 1 && size <= most_coordinates ? std::make_shared<Tuples>(static_cast<int>(size), properties_)
                                                   : nullptr;
    std::optional<Properties> changed = with_property(properties_, word, {"unordered", "decreasing"});
    return changed ? std::make_shared<Tuples>(size_, *changed) : nullptr;
  }
  int holds_below() const override { return size_ - 1; }
  std::vector<ArrayDescription> arrays() const override {
    using D = ArrayDescription;
    return {{"pos", D::Holds::Positions, D::IndexedBy::Parent, 1},
            {.name = "crd", .holds = D::Holds::Coordinates, .indexed_by = D::IndexedBy::Position, .per = size_}};
  }
  const PositionIteration* position_iteration() const override { return &iteration_; }
  const Append* append() const override { return &append_; }
  const Storage* storage() const override { return &storage_; }

 private:
  int size_;
  Properties properties_;
  TuplesIteration iteration_;
  TuplesAppend append_;
  TuplesStorage storage_;
};

// --- member ----------------------------------------------------------------------------------------

class MemberIteration : public PositionIteration {
 public:
  Bounds bounds(const Instance&, const ir::Expr& parent) const override {
    return {parent, ir::add(parent, ir::integer(1))};
  }
  Node access(const Instance& level, const ir::Expr& cursor, const std::vector<ir::Expr>&) const override {
    auto place = place_of(level.above);
    return {cursor, ir::load_index(crd(place.arrays),
                                   ir::add(ir::multiply(cursor, ir::integer(place.size)), ir::integer(place.number)))};
  }
};

class MemberAppend : public Append {
 public:
  ir::Stmt init(const Instance&) const override { return {}; }
  ir::Stmt coordinate(const Instance& level, const ir::Expr& position, const ir::Expr& coordinate) const override {
    auto place = place_of(level.above);
    return ir::store(crd(place.arrays),
                     ir::add(ir::multiply(position, ir::integer(place.size)), ir::integer(place.number)), coordinate);
  }
  ir::Stmt edges(const Instance&, const ir::Expr&, const ir::Expr&, const ir::Expr&) const override { return {}; }
  ir::Stmt finalize(const Instance&, const ir::Expr&) const override { return {}; }
};

class MemberStorage : public Storage {
 public:
  explicit MemberStorage(Properties properties) : properties_(properties) {}

  Packed pack(const Shape& shape, const Nodes& nodes) const override {
    auto place = place_of(shape.above);
    Array& tuples = crd(*place.arrays);
    ElementType type = coordinate_type(shape.origin, shape.extent);
    if (size_in_bytes(type) > size_in_bytes(tuples.type()))
      tuples = tuples.converted(type);  // all members have one width
    Packed packed;
    for (size_t n = 0; n < nodes.parent.size(); n++) {
      std::int64_t at = nodes.parent[n] * place.size + place.number;
      bool fits = tuples.index_at(at) == nothing || tuples.index_at(at) == nodes.coordinate[n];
      if (fits) tuples.set_index(at, nodes.coordinate[n]);
      packed.positions.push_back(fits ? nodes.parent[n] : Packed::does_not_fit);
    }
    packed.size = shape.parent_count;
    return packed;
  }

  double least_size(double, double parent_count, double) const override { return parent_count; }

  std::int64_t validate(const StoredLevel& level, const std::string& where) const override {
    auto place = place_of(level.above);
    const Array& begins = pos(*place.arrays);
    const Array& tuples = crd(*place.arrays);
    for (std::int64_t q = 0; q < level.parent_count; q++) {
      std::int64_t at = q * place.size + place.number;
      check_coordinate(tuples.index_at(at), level, "crd", at, where);
    }
    bool ordered = properties_.ordered != Ordered::No;
    for (int k = 1; k <= place.number; k++)
      ordered = ordered && level.above[level.above.size() - k].format->properties().ordered != Ordered::No;
    for (std::int64_t p = 0; p + 1 < begins.count(); p++) {
      if (ordered) check_entries_follow(place, begins.index_at(p), begins.index_at(p + 1), where);
      else if (properties_.unique) check_entries_differ(place, begins.index_at(p), begins.index_at(p + 1), where);
    }
    return level.parent_count;
  }

  std::int64_t size(const StoredLevel& level) const override { return level.parent_count; }

  void for_each_child(const StoredLevel& level, std::int64_t parent,
                      const std::function<void(std::int64_t, std::int64_t)>& visit) const override {
    auto place = place_of(level.above);
    visit(crd(*place.arrays).index_at(parent * place.size + place.number), parent);
  }

 private:
  using Stored = Place<const std::vector<Array>*>;

  /// Among entries that agree in the coordinates before this one, it is in order.
  void check_entries_follow(const Stored& place, std::int64_t begin, std::int64_t end, const std::string& where) const {
    const Array& tuples = crd(*place.arrays);
    for (std::int64_t q = begin + 1; q < end; q++) {
      std::int64_t at = q * place.size, before = at - place.size;
      int k = 0;
      while (k < place.number && tuples.index_at(before + k) == tuples.index_at(at + k)) k++;
      if (k == place.number)
        check_order(tuples.index_at(before + k), tuples.index_at(at + k), properties_, at + k, where);
    }
  }

  /// No two entries, in whatever order, agree in this coordinate and all before it.
  static void check_entries_differ(const Stored& place, std::int64_t begin, std::int64_t end,
                                   const std::string& where) {
    const Array& tuples = crd(*place.arrays);
    auto coordinates = [&](std::int64_t q) {
      std::vector<std::int64_t> out;
      for (int k = 0; k <= place.number; k++) out.push_back(tuples.index_at(q * place.size + k));
      return out;
    };
    std::vector<std::int64_t> entries(static_cast<size_t>(end - begin));
    std::iota(entries.begin(), entries.end(), begin);
    auto compare = [&](std::int64_t a, std::int64_t b) {
      for (int k = 0; k <= place.number; k++) {
        std::int64_t x = tuples.index_at(a * place.size + k), y = tuples.index_at(b * place.size + k);
        if (x != y) return x < y;
      }
      return a < b;
    };
    std::sort(entries.begin(), entries.end(), compare);
    auto twice = std::adjacent_find(entries.begin(), entries.end(),
                                    [&](std::int64_t a, std::int64_t b) { return coordinates(a) == coordinates(b); });
    if (twice == entries.end()) return;
    throw UserError(fmt::format("Entries {} and {} have the same coordinates ({}), but {} is declared unique", twice[0],
                                twice[1], fmt::join(coordinates(twice[0]), ", "), where));
  }

  Properties properties_;
};

class Member : public Format {
 public:
  explicit Member(Properties properties) : properties_(properties), storage_(properties) {}
  std::string name() const override { return "member"; }
  Properties properties() const override { return properties_; }
  FormatPtr with(std::string_view property) const override {
    std::optional<Properties> changed = with_property(properties_, property, {"unordered", "decreasing", "nonunique"});
    return changed ? std::make_shared<Member>(*changed) : nullptr;
  }
  bool is_held_above() const override { return true; }
  std::vector<ArrayDescription> arrays() const override { return {}; }
  const PositionIteration* position_iteration() const override { return &iteration_; }
  const Append* append() const override { return &append_; }
  const Storage* storage() const override { return &storage_; }

 private:
  Properties properties_;
  MemberIteration iteration_;
  MemberAppend append_;
  MemberStorage storage_;
};

}  // namespace

FormatPtr tuples(int size) { return std::make_shared<Tuples>(size, Properties{.unique = false}); }

FormatPtr member() {
  static const FormatPtr format = std::make_shared<Member>(Properties{.branchless = true});
  return format;
}

}  // namespace filigree::level
