// hashed: the children of a parent are in a hash table of their own, a segment of crd with a power of two of slots.
//
//   locate(p, i)  = <q, crd[q] == i>, found by probing from hash(i) on       pos_iter(p)   = <pos[p], pos[p+1]>
//   pos_access(q) = <crd[q], crd[q] >= 0>                                     free slots have the coordinate -1
//
// What is stored counts from the lowest coordinate that there can be, so that that of diagonals is not negative.
//
// While it is filled its nodes are appended, as in a compressed level; when all children of a parent are there they are
// arranged in slots. A segment is at most half full, so that a search ends soon; childless parents have no slots.
// ir/runtime/hash.h has the hash. Configurable: full, or unique: of equal siblings, each has a slot, and a search would
// find one of them only, so that there is none.  Code does not fill such a level.
//
// Example, a parent with children 3 and 8:  4 slots, say crd = -1 8 -1 3.
#include <algorithm>

#include <fmt/format.h>

#include "ir/runtime/hash.h"
#include "level/join.h"
#include "level/properties.h"
#include "level/registry.h"
#include "level/stored.h"
#include "level/whole.h"
#include "support/diagnostic.h"

namespace filigree::level {
namespace {

const ir::Var& pos(const Instance& level) { return level.arrays[0]; }
const ir::Var& crd(const Instance& level) { return level.arrays[1]; }

Bounds segment(const Instance& level, const ir::Expr& parent) {
  return {ir::load_index(pos(level), parent), ir::load_index(pos(level), ir::add(parent, ir::integer(1)))};
}

class HashedIteration : public PositionIteration {
 public:
  Bounds bounds(const Instance& level, const ir::Expr& parent) const override { return segment(level, parent); }
  Node access(const Instance& level, const ir::Expr& cursor, const std::vector<ir::Expr>&) const override {
    ir::Expr stored = ir::load_index(crd(level), cursor);
    return {cursor, ir::add(stored, level.origin), ir::greater_equal(stored, ir::integer(0))};
  }
};

class HashedLocate : public Locate {
 public:
  Node locate(const Instance& level, const ir::Expr& parent, const std::vector<ir::Expr>& coordinates) const override {
    ir::Var position = ir::int64_var("p" + level.name);
    Bounds slots = segment(level, parent);
    ir::Expr stored = ir::subtract(coordinates.back(), level.origin);
    Node node{position, coordinates.back(), ir::greater_equal(position, ir::integer(0))};
    node.setup.push_back(
        ir::declare(position, ir::call(ir::Function::HashFind, {crd(level), slots.begin, slots.end, stored})));
    return node;
  }
};

/// Appends as a compressed level does, but what is stored.
class HashedAppend : public Append {
 public:
  ir::Stmt init(const Instance& level) const override { return append_->init(level); }
  ir::Stmt coordinate(const Instance& level, const ir::Expr& position, const ir::Expr& coordinate) const override {
    return append_->coordinate(level, position, ir::subtract(coordinate, level.origin));
  }
  ir::Stmt edges(const Instance& level, const ir::Expr& parent, const ir::Expr& begin,
                 const ir::Expr& end) const override {
    return append_->edges(level, parent, begin, end);
  }
  ir::Stmt finalize(const Instance& level, const ir::Expr& parent_count) const override {
    return append_->finalize(level, parent_count);
  }

 private:
  const Append* append_ = compressed()->append();  // arrays are the same until siblings are arranged
};

/// How many slots `children` children get.
std::int64_t slots_for(std::int64_t children) {
  std::int64_t slots = children == 0 ? 0 : 2;
  while (slots < 2 * children) slots *= 2;
  return slots;
}

/// Siblings are appended one after the other; when all are there, their number says how many slots they get.  They step
/// aside, behind the slots, and from there each goes where a search will find it.
class HashedArrange : public Arrange {
 public:
  ir::Stmt measure(const ir::Var& size, const ir::Expr& count) const override {
    ir::Expr two = ir::integer(2), enough = ir::multiply(two, count);
    return ir::block({ir::declare(size, ir::min(enough, two)),
                      ir::While{ir::less(size, enough), ir::assign(size, ir::multiply(size, two))}});
  }
  std::optional<ir::Expr> room(const ir::Expr& size, const ir::Expr& count) const override {
    return ir::add(size, count);
  }
  ir::Stmt arrange(const Instance& level, const std::optional<Values>& values, const ir::Expr& begin,
                   const ir::Expr& count, const ir::Var& size) const override {
    ir::Var q = ir::int64_var("q"), to = ir::int64_var("to"), slot = ir::int64_var("slot"),
            aside = ir::int64_var(level.name + "_aside");
    auto move = [&](const ir::Expr& target, const ir::Expr& source) {
      ir::Stmt value = values ? ir::store(values->array, target, ir::Load{values->array, source}) : ir::Stmt();
      return ir::block({ir::store(crd(level), target, ir::load_index(crd(level), source)), value});
    };
    ir::Expr free = ir::call(ir::Function::HashFind, {crd(level), begin, aside, ir::load_index(crd(level), q)});
    ir::Stmt empty = ir::block(
        {ir::store(crd(level), q, ir::integer(-1)), values ? ir::store(values->array, q, values->fill) : ir::Stmt()});
    ir::Stmt place =
        ir::block({ir::declare(slot, free), ir::declare(to, ir::subtract(ir::integer(-1), slot)), move(to, q)});
    return ir::block({ir::declare(aside, ir::add(begin, size)),
                      ir::For{q, ir::integer(0), count, move(ir::add(aside, q), ir::add(begin, q))},
                      ir::For{q, begin, aside, empty}, ir::For{q, aside, ir::add(aside, count), place}});
  }
};

/// Where as many slots are taken, most siblings with the same coordinate are in the same slot: these meet without a
/// search, in a loop that asks nothing of anybody.  Others are searched for.
///
///   no siblings yet                 they are copied, slots and all
///   fewer slots than the others     they are arranged in as many first
///   in every slot                   equal coordinates: values are combined
///   for the others that are left    found: values are combined; or else put into the free slot where the search ended
class HashedJoin : public Join {
 public:
  explicit HashedJoin(const Arrange& arrange) : arrange_(arrange) {}

  ir::Stmt join(const Siblings& siblings, const Instance& level, const Bounds& others,
                const Moves& moves) const override {
    ir::Var begin = ir::int64_var(level.name + "_begin"), slots = ir::int64_var(level.name + "_slots");
    Others from{level, begin, slots, moves};
    ir::Stmt first = ir::block({siblings.reserve(slots), copy(siblings, from)});
    ir::Stmt more = ir::if_then(ir::less(siblings.size, slots), spread(siblings, ir::quotient(slots, ir::integer(2))));
    ir::Stmt next = ir::if_then(ir::equal(siblings.count, ir::integer(0)), first,
                                ir::block({siblings.reserve(slots), more, meet(siblings, from)}));
    return ir::block({ir::declare(begin, others.begin), ir::declare(slots, ir::subtract(others.end, begin)),
                      siblings.none ? first : next});
  }

  ir::Stmt append(const Siblings& siblings, const Instance& level, const ir::Expr& position,
                  const std::function<ir::Stmt(const ir::Expr&, const ir::Expr&)>& value) const override {
    ir::Var q = ir::int64_var("q");
    ir::Expr to = ir::add(position, q);
    return ir::For{q, ir::integer(0), siblings.size,
                   ir::block({ir::store(crd(level), to, ir::load_index(crd(siblings.level), q)), value(q, to)})};
  }

 private:
  struct Others {
    const Instance& level;
    ir::Expr begin, slots;
    const Moves& moves;
    ir::Expr at(const ir::Expr& slot) const { return ir::add(begin, slot); }
    ir::Expr coordinate(const ir::Expr& slot) const { return ir::load_index(crd(level), at(slot)); }
  };
  static ir::Expr is_node(const ir::Expr& stored) { return ir::greater_equal(stored, ir::integer(0)); }
  static ir::Stmt count(const ir::Var& counter, const ir::Expr& condition) {
    return ir::assign(counter, ir::add(counter, ir::convert(condition, ElementType::Int64)));
  }

  static ir::Stmt copy(const Siblings& to, const Others& from) {
    ir::Var q = ir::int64_var("q");
    ir::Stmt one = ir::block({ir::store(crd(to.level), q, from.coordinate(q)), from.moves.store(from.at(q), q),
                              count(to.count, is_node(from.coordinate(q)))});
    return ir::block({ir::For{q, ir::integer(0), from.slots, one}, ir::assign(to.size, from.slots)});
  }

  /// In as many slots as `count` nodes take: side by side, and from there arranged as if they had been appended.
  ir::Stmt spread(const Siblings& all, const ir::Expr& nodes) const {
    ir::Var q = ir::int64_var("q"), side = ir::int64_var("side"), size = ir::int64_var(all.level.name + "_slots");
    const ir::Var& values = all.values.array;
    ir::Stmt move = ir::block({ir::store(crd(all.level), side, ir::load_index(crd(all.level), q)),
                               ir::store(values, side, ir::Load{values, q}), ir::increment(side)});
    ir::Stmt gather =
        ir::For{q, ir::integer(0), all.size, ir::if_then(is_node(ir::load_index(crd(all.level), q)), move)};
    return ir::block({ir::declare(side, ir::integer(0)), gather, arrange_.measure(size, nodes),
                      all.reserve(*arrange_.room(size, all.count)),
                      arrange_.arrange(all.level, all.values, ir::integer(0), all.count, size),
                      ir::assign(all.size, size)});
  }

  ir::Stmt meet(const Siblings& all, const Others& others) const {
    ir::Var q = ir::int64_var("q"), left = ir::int64_var(others.level.name + "_left"),
            met = ir::int64_var(others.level.name + "_met"), own = ir::int64_var("own"), other = ir::int64_var("other");
    ir::Stmt both =
        ir::block({ir::declare(own, ir::load_index(crd(all.level), q)), ir::declare(other, others.coordinate(q))});
    ir::Expr equal = ir::equal(own, other);
    ir::Stmt same = ir::For{q, ir::integer(0), all.size,
                            ir::block({both, others.moves.combine(others.at(q), q, equal), count(met, equal)})};
    auto wait = [&](const ir::Stmt& before, const ir::Expr& condition) {
      ir::Stmt noted = ir::store(all.aside, left, others.at(q));
      return ir::For{q, ir::integer(0), others.slots, ir::block({before, noted, count(left, condition)})};
    };
    ir::Stmt differ = wait(both, ir::both(is_node(other), ir::not_equal(own, other)));
    ir::Stmt side_by_side =
        ir::block({ir::declare(met, ir::integer(0)), same, ir::if_then(ir::less(met, all.size), differ)});
    return ir::block(
        {ir::declare(left, ir::integer(0)),
         ir::if_then(ir::equal(all.size, others.slots), side_by_side, wait({}, is_node(others.coordinate(q)))),
         settle(all, others, left)});
  }

  /// Those that are left, one after the other.
  ir::Stmt settle(const Siblings& all, const Others& others, const ir::Var& left) const {
    ir::Var n = ir::int64_var("n"), q = ir::int64_var("q"), to = ir::int64_var("to");
    ir::Expr coordinate = ir::load_index(crd(others.level), q);
    ir::Expr search = ir::call(ir::Function::HashFind, {crd(all.level), ir::integer(0), all.size, coordinate});
    ir::Expr more = ir::add(all.count, ir::integer(1));
    ir::Stmt grow = ir::if_then(ir::less(all.size, ir::multiply(ir::integer(2), more)),
                                ir::block({spread(all, more), ir::assign(to, search)}));
    ir::Expr free = ir::subtract(ir::integer(-1), to);
    ir::Stmt add = ir::block({grow, ir::assign(to, free), ir::store(crd(all.level), to, coordinate),
                              others.moves.store(q, to), ir::increment(all.count)});
    ir::Stmt one = ir::block({ir::declare(q, ir::load_index(all.aside, n)), ir::declare(to, search),
                              ir::if_then(is_node(to), others.moves.combine(q, to, ir::boolean(true)), add)});
    return ir::For{n, ir::integer(0), left, one};
  }

  const Arrange& arrange_;
};

class HashedStorage : public Storage {
 public:
  explicit HashedStorage(Properties properties) : properties_(properties) {}

  Packed pack(const Shape& shape, const Nodes& nodes) const override {
    std::vector<std::int64_t> begins(static_cast<size_t>(shape.parent_count) + 1, 0);
    for (size_t n = 0; n < nodes.parent.size(); n++) begins[nodes.parent[n] + 1] += is_new(nodes, n);
    for (std::int64_t p = 0; p < shape.parent_count; p++) begins[p + 1] = begins[p] + slots_for(begins[p + 1]);
    Packed packed;
    packed.size = begins.back();
    Array pos(index_type_for(packed.size), shape.parent_count + 1), crd(coordinate_type(0, shape.extent), packed.size);
    for (size_t p = 0; p < begins.size(); p++) pos.set_index(static_cast<std::int64_t>(p), begins[p]);
    for (std::int64_t q = 0; q < packed.size; q++) crd.set_index(q, -1);
    for (size_t n = 0; n < nodes.parent.size(); n++) {
      if (!is_new(nodes, n)) {
        packed.positions.push_back(packed.positions.back());
        continue;
      }
      std::int64_t begin = begins[nodes.parent[n]], width = begins[nodes.parent[n] + 1] - begin;
      std::int64_t stored = nodes.coordinate[n] - shape.origin, slot = hash_slot(stored, width);
      while (crd.index_at(begin + slot) >= 0) slot = (slot + 1) & (width - 1);
      crd.set_index(begin + slot, stored);
      packed.positions.push_back(begin + slot);
    }
    packed.arrays.push_back(std::move(pos));
    packed.arrays.push_back(std::move(crd));
    return packed;
  }

  double least_size(double, double, double nodes) const override { return std::min(nodes, 1.0); }

  std::int64_t validate(const StoredLevel& level, const std::string& where) const override {
    const Array& pos = (*level.arrays)[0];
    const Array& crd = (*level.arrays)[1];
    std::int64_t size = check_positions(pos, level.parent_count, crd.count(), where);
    for (std::int64_t p = 0; p < level.parent_count; p++) {
      std::int64_t begin = pos.index_at(p), width = pos.index_at(p + 1) - begin;
      if ((width & (width - 1)) != 0)
        throw UserError(fmt::format("Parent {} of {} has {} slots, not a power of two", p, where, width));
      check_segment(level, crd, begin, width, p, where);
    }
    return size;
  }

  std::int64_t size(const StoredLevel& level) const override { return (*level.arrays)[0].index_at(level.parent_count); }

  void for_each_child(const StoredLevel& level, std::int64_t parent,
                      const std::function<void(std::int64_t, std::int64_t)>& visit) const override {
    const Array& pos = (*level.arrays)[0];
    const Array& crd = (*level.arrays)[1];
    for (std::int64_t q = pos.index_at(parent); q < pos.index_at(parent + 1); q++) {
      if (crd.index_at(q) >= 0) visit(crd.index_at(q) + level.origin, q);
    }
  }

 private:
  bool is_new(const Nodes& nodes, size_t n) const {
    if (n == 0 || nodes.parent[n] != nodes.parent[n - 1] || nodes.coordinate[n] != nodes.coordinate[n - 1]) return true;
    return !properties_.unique && (nodes.repeats.empty() || !nodes.repeats[n]);
  }

  /// Every coordinate is where a search finds it, and one slot at least is free, so that a search for another ends.
  void check_segment(const StoredLevel& level, const Array& crd, std::int64_t begin, std::int64_t width,
                     std::int64_t parent, const std::string& where) const {
    std::int64_t children = 0;
    for (std::int64_t q = begin; q < begin + width; q++) {
      std::int64_t i = crd.index_at(q);
      if (i == -1) continue;
      children++;
      StoredLevel from_zero = level;
      from_zero.origin = 0;
      check_coordinate(i, from_zero, "crd", q, where);
      std::int64_t slot = hash_slot(i, width);
      while (begin + slot != q && (!properties_.unique || crd.index_at(begin + slot) != i) &&
             crd.index_at(begin + slot) != -1)
        slot = (slot + 1) & (width - 1);
      if (begin + slot != q)
        throw UserError(fmt::format("crd[{}] of {} is {}, which a search does not find there", q, where, i));
    }
    if (width > 0 && children == width) throw UserError(fmt::format("Parent {} of {} has no free slot", parent, where));
    if (properties_.full) check_full(children, level, parent, where);
  }

  Properties properties_;
};

class Hashed : public Format, public CountsFromLowest, public Joins {
 public:
  explicit Hashed(Properties properties) : properties_(properties), storage_(properties) {}
  std::string name() const override { return "hashed"; }
  Properties properties() const override { return properties_; }
  FormatPtr with(std::string_view property) const override {
    std::optional<Properties> changed = with_property(properties_, property, {"full", "nonunique"});
    return changed && (changed->unique || !changed->full) ? std::make_shared<Hashed>(*changed) : nullptr;
  }
  std::optional<char> letter() const override { return properties_ == usual ? std::optional('h') : std::nullopt; }
  std::vector<ArrayDescription> arrays() const override {
    using D = ArrayDescription;
    return {{"pos", D::Holds::Positions, D::IndexedBy::Parent, 1},
            {"crd", D::Holds::Coordinates, D::IndexedBy::Position}};
  }
  const PositionIteration* position_iteration() const override { return &iteration_; }
  const Locate* locate() const override { return properties_.unique ? &locate_ : nullptr; }
  const Append* append() const override { return properties_.unique ? &append_ : nullptr; }
  const Arrange* arrange() const override { return properties_.unique ? &arrange_ : nullptr; }
  const Join* join() const override { return properties_.unique ? &join_ : nullptr; }
  const Storage* storage() const override { return &storage_; }

  static constexpr Properties usual{.ordered = Ordered::No, .compact = false, .padded = true};

 private:
  Properties properties_;
  HashedIteration iteration_;
  HashedLocate locate_;
  HashedAppend append_;
  HashedArrange arrange_;
  HashedJoin join_{arrange_};
  HashedStorage storage_;
};

}  // namespace

FormatPtr hashed() {
  static const FormatPtr format = std::make_shared<Hashed>(Hashed::usual);
  return format;
}

}  // namespace filigree::level
