// compressed: each parent has a segment of the array crd; pos holds where segments begin.
//
//   pos_iter(p)   = <pos[p], pos[p+1]>       append_coord(q, i)      : crd[q] = i
//   pos_access(q) = <crd[q], true>           append_edges(p, b, e)   : pos[p+1] = e
//
// Configurable: full, ordered (increasing, decreasing or not), unique.
//
// Example, the columns of a CSR matrix with rows {0,1}, {}, {2}:  pos = 0 2 2 3,  crd = 0 1 2.
#include <algorithm>

#include <fmt/format.h>

#include "level/check_in_parallel.h"
#include "level/packing.h"
#include "level/properties.h"
#include "level/registry.h"
#include "level/stored.h"
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
  std::optional<ir::Var> segments(const Instance& level) const override { return pos(level); }
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
    return ir::For{p, ir::integer(0), parent_count,
                   ir::if_then(ir::less(end, begin), ir::store(pos(level), next, begin))};
  }
};

/// Siblings are appended increasingly, so for a level that decreases they are turned around.
class CompressedArrange : public Arrange {
 public:
  ir::Stmt measure(const ir::Var& size, const ir::Expr& count) const override { return ir::declare(size, count); }
  std::optional<ir::Expr> room(const ir::Expr&, const ir::Expr&) const override { return std::nullopt; }
  ir::Stmt arrange(const Instance& level, const std::optional<Values>& values, const ir::Expr& begin,
                   const ir::Expr& count, const ir::Var&) const override {
    ir::Var q = ir::int64_var("q"), first = ir::int64_var("first"), last = ir::int64_var("last"),
            coordinate = ir::int64_var("held");
    std::vector<ir::Stmt> swap = {ir::declare(first, ir::add(begin, q)),
                                  ir::declare(last, ir::subtract(ir::add(begin, count), ir::add(q, ir::integer(1)))),
                                  ir::declare(coordinate, ir::load_index(crd(level), first)),
                                  ir::store(crd(level), first, ir::load_index(crd(level), last)),
                                  ir::store(crd(level), last, coordinate)};
    if (values) {
      ir::Var value("value", ir::scalar(values->array.type().element));
      swap.insert(swap.end(), {ir::declare(value, ir::Load{values->array, first}),
                               ir::store(values->array, first, ir::Load{values->array, last}),
                               ir::store(values->array, last, value)});
    }
    return ir::For{q, ir::integer(0), ir::quotient(count, ir::integer(2)), ir::block(swap)};
  }
};

/// Counts are kept two places further on, so that their sums are where the next node goes, and in the end where
/// segments begin:
///
///   count(p)    : pos[p+2]++                      allot()     : pos[p+2] += pos[p+1] for all p
///   place(p, i) : q = pos[p+1]++, crd[q] = i
///
/// In pieces, each has its own counters, and pos is written once, when counts become the positions where nodes go:
///
///   count(p)    : counters[first+p]++             allot_pieces() : pos[p], and counters of all pieces at p, from the
///   sums place(p, i) : q = counters[first+p]++, crd[q] = i
///
/// Nodes in the order of their parents need no counting: begin_parents(first, p, q) : pos[first..p] = q.
class CompressedScatter : public Scatter {
 public:
  ir::Stmt init(const Instance& level, const ir::Expr& parent_count) const override {
    return ir::Alloc{pos(level), ir::add(parent_count, ir::integer(2)), true};
  }
  ir::Stmt count(const Instance& level, const ir::Expr& parent,
                 const std::optional<Counters>& counters) const override {
    if (counters) return bump(counters->array, ir::add(counters->first, parent));
    return bump(pos(level), ir::add(parent, ir::integer(2)));
  }
  ir::Stmt allot(const Instance& level, const ir::Expr& parent_count) const override {
    ir::Var p = ir::int64_var("p");
    ir::Expr next = ir::add(p, ir::integer(2));
    ir::Expr sum = ir::add(ir::load_index(pos(level), next), ir::load_index(pos(level), ir::add(p, ir::integer(1))));
    return ir::For{p, ir::integer(0), parent_count, ir::store(pos(level), next, sum)};
  }
  ir::Expr size(const Instance& level, const ir::Expr& parent_count) const override {
    return ir::load_index(pos(level), ir::add(parent_count, ir::integer(1)));
  }
  ir::Stmt allot_pieces(const Instance& level, const ir::Expr& parent_count, const ir::Var& counters,
                        const ir::Expr& pieces) const override {
    ir::Var sums(level.name + "_sums", ir::array(ElementType::Int64)),
        total = ir::int64_var("total"), at = ir::int64_var("at"), count = ir::int64_var("count");
    ir::Var span = ir::int64_var("span"), begin = ir::int64_var("begin"), end = ir::int64_var("end"),
            piece = ir::int64_var("piece"), p = ir::int64_var("p");
    ir::Expr next = ir::add(span, ir::integer(1)), counter = ir::add(ir::multiply(piece, parent_count), p),
             all = ir::load_index(sums, pieces);
    auto over_pieces = [&](const ir::Stmt& body) { return ir::For{piece, ir::integer(0), pieces, body}; };
    // Parents in spans: first how many nodes are below each span, then what is in it.
    auto over_spans = [&](const ir::Stmt& body) {
      ir::Stmt bounds = ir::block({ir::declare(begin, ir::quotient(ir::multiply(parent_count, span), pieces)),
                                   ir::declare(end, ir::quotient(ir::multiply(parent_count, next), pieces))});
      return ir::For{span, ir::integer(0), pieces, ir::block({bounds, body}), ir::LoopKind::Parallel};
    };
    ir::Stmt add_up =
        over_pieces(ir::For{p, begin, end, ir::assign(total, ir::add(total, ir::load_index(counters, counter)))});
    ir::Stmt take_room = ir::block({ir::declare(count, ir::load_index(counters, counter)),
                                    ir::store(counters, counter, at), ir::assign(at, ir::add(at, count))});
    ir::Stmt begin_segment = ir::block({ir::store(pos(level), p, at), over_pieces(take_room)});
    return ir::block(
        {ir::Alloc{pos(level), ir::add(parent_count, ir::integer(2))}, ir::Alloc{sums, ir::add(pieces, ir::integer(1))},
         ir::store(sums, ir::integer(0), ir::integer(0)),
         over_spans(ir::block({ir::declare(total, ir::integer(0)), add_up, ir::store(sums, next, total)})),
         ir::For{span, ir::integer(0), pieces,
                 ir::store(sums, next, ir::add(ir::load_index(sums, next), ir::load_index(sums, span)))},
         over_spans(ir::block({ir::declare(at, ir::load_index(sums, span)), ir::For{p, begin, end, begin_segment}})),
         ir::store(pos(level), parent_count, all), ir::store(pos(level), ir::add(parent_count, ir::integer(1)), all),
         ir::Free{sums}});
  }
  Node place(const Instance& level, const ir::Expr& parent, const ir::Expr& coordinate,
             const std::optional<Counters>& counters) const override {
    ir::Var position = ir::int64_var("p" + level.name);
    const ir::Var& places = counters ? counters->array : pos(level);
    ir::Expr at = counters ? ir::add(counters->first, parent) : ir::add(parent, ir::integer(1));
    Node node{position, coordinate};
    node.setup = {ir::declare(position, ir::load_index(places, at)), bump(places, at),
                  ir::store(crd(level), position, coordinate)};
    return node;
  }
  ir::Stmt begin_parents(const Instance& level, const ir::Var& first, const ir::Expr& last,
                         const ir::Expr& position) const override {
    return ir::While{ir::greater_equal(last, first),
                     ir::block({ir::store(pos(level), first, position), ir::increment(first)})};
  }
  ir::Stmt allocate_parents(const Instance& level, const ir::Expr& parent_count) const override {
    return ir::Alloc{pos(level), ir::add(parent_count, ir::integer(1))};
  }
  ir::Stmt put(const Instance& level, const ir::Expr& position, const ir::Expr& coordinate) const override {
    return ir::store(crd(level), position, coordinate);
  }
  ir::Stmt sort(const Instance& level, const ir::Expr& parent_count, const ir::Var& values,
                ir::LoopKind loop) const override {
    ir::Var p = ir::int64_var("p");
    ir::Expr begin = ir::load_index(pos(level), p), end = ir::load_index(pos(level), ir::add(p, ir::integer(1)));
    return ir::For{p, ir::integer(0), parent_count,
                   ir::Evaluate{ir::call(ir::Function::SortSegment, {crd(level), values, begin, end})}, loop};
  }
  ir::Stmt merge(const Instance& level, const ir::Expr& parent_count, const ir::Var& values,
                 const ir::Var& size) const override {
    ir::Var p = ir::int64_var("p"), q = ir::int64_var("q"), begin = ir::int64_var("begin"), end = ir::int64_var("end"),
            first = ir::int64_var("first");
    ir::Expr last = ir::subtract(size, ir::integer(1)), next = ir::add(p, ir::integer(1));
    // The condition looks at the last node only if there is one.
    ir::Var repeats = ir::bool_var("repeats");
    ir::Stmt test = ir::block(
        {ir::declare(repeats, ir::boolean(false)),
         ir::if_then(ir::less(first, size),
                     ir::assign(repeats, ir::equal(ir::load_index(crd(level), last), ir::load_index(crd(level), q))))});
    ir::Expr sum = ir::Apply{Operator::Add, {ir::Load{values, last}, ir::Load{values, q}}};
    ir::Stmt keep = ir::block({ir::store(crd(level), size, ir::load_index(crd(level), q)),
                               ir::store(values, size, ir::Load{values, q}), ir::increment(size)});
    ir::Stmt inner =
        ir::For{q, begin, end, ir::block({test, ir::if_then(repeats, ir::store(values, last, sum), keep)})};
    return ir::block({ir::assign(size, ir::integer(0)), ir::declare(begin, ir::integer(0)),
                      ir::For{p, ir::integer(0), parent_count,
                              ir::block({ir::declare(end, ir::load_index(pos(level), next)), ir::declare(first, size),
                                         inner, ir::assign(begin, end), ir::store(pos(level), next, size)})}});
  }

 private:
  static ir::Stmt bump(const ir::Var& counters, const ir::Expr& at) {
    return ir::store(counters, at, ir::add(ir::load_index(counters, at), ir::integer(1)));
  }
};

class CompressedStorage : public Storage, public PacksLists {
 public:
  explicit CompressedStorage(Properties properties) : properties_(properties) {}

  Packed pack(const Shape& shape, const Nodes& nodes) const override { return packed(shape, nodes); }

  PackedList pack_list(const Shape& shape, NodeList nodes) const override {
    const std::int64_t count = nodes.parent.size();
    std::int64_t size = count_distinct_nodes(nodes);
    PackedList packed;
    packed.size = size;
    packed.arrays.emplace_back(index_type_for(size), shape.parent_count + 1);
    ElementType type = coordinate_type(shape.origin, shape.extent);
    if (size == count) {  // every node is stored as it is
      packed.positions = IndexList::counting(count);
      fill_begins(packed.arrays[0], shape.parent_count, nodes.parent, packed.positions);
      packed.arrays.push_back(std::move(nodes.coordinate).taken(type));
      return packed;
    }
    Array positions = room_for(index_type_for(size), count), coordinates = room_for(type, size);
    as_indices(positions, [&]<class Position>(Position* position) {
      as_indices(coordinates, [&]<class Coordinate>(Coordinate* crd) {
        for_each_node(nodes, [&](std::int64_t n, std::int64_t coordinate, std::int64_t at, bool) {
          position[n] = static_cast<Position>(at);
          crd[at] = static_cast<Coordinate>(coordinate);
        });
      });
    });
    packed.positions = IndexList(std::move(positions));
    fill_begins(packed.arrays[0], shape.parent_count, nodes.parent, packed.positions);
    packed.arrays.push_back(std::move(coordinates));
    return packed;
  }

  double least_size(double, double, double nodes) const override { return std::min(nodes, 1.0); }

  std::int64_t validate(const StoredLevel& level, const std::string& where) const override {
    const Array& begins = (*level.arrays)[0];
    const Array& coordinates = (*level.arrays)[1];
    std::int64_t size = check_positions(begins, level.parent_count, coordinates.count(), where);
    if (coordinates_are_right(begins, coordinates, level, properties_)) return size;
    for (std::int64_t p = 0; p < level.parent_count; p++) {
      std::int64_t begin = begins.index_at(p), end = begins.index_at(p + 1);
      for (std::int64_t q = begin; q < end; q++) {
        check_coordinate(coordinates.index_at(q), level, "crd", q, where);
        if (q > begin) check_order(coordinates.index_at(q - 1), coordinates.index_at(q), properties_, q, where);
      }
      if (properties_.unique && properties_.ordered == Ordered::No) check_unique(coordinates, begin, end, where);
      if (properties_.full) check_full(count_distinct(coordinates, begin, end, properties_), level, p, where);
    }
    return size;
  }

  std::int64_t size(const StoredLevel& level) const override { return (*level.arrays)[0].index_at(level.parent_count); }

  void for_each_child(const StoredLevel& level, std::int64_t parent,
                      const std::function<void(std::int64_t, std::int64_t)>& visit) const override {
    const Array& begins = (*level.arrays)[0];
    const Array& coordinates = (*level.arrays)[1];
    for (std::int64_t q = begins.index_at(parent); q < begins.index_at(parent + 1); q++)
      visit(coordinates.index_at(q), q);
  }

  void for_each_child_at(const StoredLevel& level, std::int64_t parent, std::int64_t coordinate,
                         const std::function<void(std::int64_t)>& visit) const override {
    const Array& begins = (*level.arrays)[0];
    const Array& coordinates = (*level.arrays)[1];
    std::int64_t first = begins.index_at(parent), end = begins.index_at(parent + 1);
    if (properties_.ordered == Ordered::Increasing) {  // the first one that is not below
      for (std::int64_t last = end; first < last;) {
        std::int64_t middle = first + (last - first) / 2;
        if (coordinates.index_at(middle) < coordinate) first = middle + 1;
        else last = middle;
      }
      for (; first < end && coordinates.index_at(first) == coordinate; first++) visit(first);
      return;
    }
    for (std::int64_t q = first; q < end; q++) {
      if (coordinates.index_at(q) == coordinate) visit(q);
    }
  }

 private:
  /// Calls `visit(n, coordinate, position, is_new)`; nodes at one position are neighbours.
  template <class Visit>
  void for_each_node(const NodeList& nodes, const Visit& visit) const {
    nodes.parent.visit([&](const auto& parent) {
      nodes.coordinate.visit([&](const auto& coordinate) {
        const bool unique = properties_.unique, may_repeat = unique || !nodes.repeats.empty();
        std::int64_t position = -1;
        for (std::int64_t n = 0; n < nodes.parent.size(); n++) {
          bool repeats = may_repeat && n > 0 && coordinate[n] == coordinate[n - 1] && parent[n] == parent[n - 1] &&
                         (unique || nodes.repeats[static_cast<size_t>(n)]);
          position += !repeats;
          visit(n, static_cast<std::int64_t>(coordinate[n]), position, !repeats);
        }
      });
    });
  }

  std::int64_t count_distinct_nodes(const NodeList& nodes) const {
    if (!properties_.unique && nodes.repeats.empty()) return nodes.parent.size();
    std::int64_t size = 0;
    for_each_node(nodes, [&](std::int64_t, std::int64_t, std::int64_t, bool is_new) { size += is_new; });
    return size;
  }

  /// begins[p] is where the children of p begin; nodes are in the order of their parents.
  static void fill_begins(Array& begins, std::int64_t parent_count, const IndexList& parents,
                          const IndexList& positions) {
    as_indices(begins, [&]<class Index>(Index* begin) {
      parents.visit([&](const auto& parent) {
        positions.visit([&](const auto& position) {
          std::int64_t done = 0;  // begins up to this one are known
          for (std::int64_t n = 0; n < parents.size(); n++) {
            for (; done < parent[n]; done++) begin[done + 1] = static_cast<Index>(position[n]);
          }
          Index end = parents.size() == 0 ? Index{0} : static_cast<Index>(position[parents.size() - 1] + 1);
          for (; done < parent_count; done++) begin[done + 1] = end;
        });
      });
    });
  }

  Properties properties_;
};

class Compressed : public Format {
 public:
  explicit Compressed(Properties properties) : properties_(properties), storage_(properties) {}
  std::string name() const override { return "compressed"; }
  Properties properties() const override { return properties_; }
  FormatPtr with(std::string_view property) const override {
    std::optional<Properties> changed =
        with_property(properties_, property, {"full", "unordered", "decreasing", "nonunique"});
    return changed ? std::make_shared<Compressed>(*changed) : nullptr;
  }
  std::optional<char> letter() const override {
    if (properties_ == Properties()) return 's';
    return properties_ == Properties{.unique = false} ? std::optional('u') : std::nullopt;
  }
  std::vector<ArrayDescription> arrays() const override {
    using D = ArrayDescription;
    return {{"pos", D::Holds::Positions, D::IndexedBy::Parent, 1},
            {"crd", D::Holds::Coordinates, D::IndexedBy::Position}};
  }
  const PositionIteration* position_iteration() const override { return &iteration_; }
  const Search* search() const override { return &search_; }
  const Append* append() const override { return &append_; }
  const Arrange* arrange() const override { return properties_.ordered == Ordered::Decreasing ? &arrange_ : nullptr; }
  const Scatter* scatter() const override { return &scatter_; }
  const Storage* storage() const override { return &storage_; }

 private:
  Properties properties_;
  CompressedIteration iteration_;
  CompressedSearch search_;
  CompressedAppend append_;
  CompressedArrange arrange_;
  CompressedScatter scatter_;
  CompressedStorage storage_;
};

}  // namespace

FormatPtr compressed() {
  static const FormatPtr format = std::make_shared<Compressed>(Properties());
  return format;
}

}  // namespace filigree::level
