// Packing: coordinates in any order become level arrays.  Entries get coordinates in the levels' space and are sorted
// by them; then each level, from the outermost, stores its nodes and says at which position each entry's node is.
//
// Entries are moved, not numbered: what is sorted can become the arrays of a level, and the values those of the tensor,
// without another copy.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "level/whole.h"
#include "level/packing.h"
#include "level/visit_element_type.h"
#include "support/out_of_memory.h"
#include "support/text.h"
#include "tensor/any_tensor.h"
#include "tensor/entry_list.h"
#include "tensor/pack.h"
#include "tensor/size.h"
#include "tensor/sort.h"
#include "tensor/symmetry.h"

namespace filigree {
namespace {

using Numbers = std::vector<std::int64_t>;
using level::IndexList;

std::string describe_entry(const EntryList& entries, std::int64_t number) {
  Numbers coordinates;
  for (const Array& coordinate : entries.coordinate) coordinates.push_back(coordinate.index_at(number));
  return fmt::format("({})", fmt::join(coordinates, ", "));
}

void check_entries(const EntryList& entries, const std::string& name) {
  if (entries.coordinate.size() != entries.dimensions.size()) {
    throw UserError(fmt::format("'{}' has {}, but coordinates for {}", name, counted(entries.order(), "dimension"),
                                entries.coordinate.size()));
  }
  for (int dimension = 0; dimension < entries.order(); dimension++) {
    const Array& coordinate = entries.coordinate[dimension];
    if (coordinate.count() != entries.count()) {
      throw UserError(fmt::format("'{}' has {}, but {} of dimension {}", name, counted(entries.count(), "value"),
                                  counted(coordinate.count(), "coordinate"), dimension));
    }
    level::as_indices(coordinate, [&](const auto* c) {
      std::uint64_t extent = static_cast<std::uint64_t>(std::max<std::int64_t>(entries.dimensions[dimension], 0));
      for (std::int64_t n = 0; n < entries.count(); n++) {
        if (static_cast<std::uint64_t>(static_cast<std::int64_t>(c[n])) < extent) continue;
        throw UserError(fmt::format("Entry {} of '{}' is at {}, outside of the dimensions {}", n, name,
                                    describe_entry(entries, n), describe_dimensions(entries.dimensions)))
            .hint("coordinates count from 0 and are less than the dimension");
      }
    });
  }
}

/// What `+` does to two values of one type; integers wrap around, bool is "or".
template <class T>
T sum(ElementType type, T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    if (type == ElementType::Bool) return static_cast<T>(a | b);
    return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
  } else {
    return a + b;
  }
}

/// Which entries are at the place of the one before them, as far as these coordinates tell; nothing if none is.
std::vector<bool> repetitions(const std::vector<const Array*>& coordinates, std::int64_t count) {
  constexpr std::int64_t batch = 1024;
  std::vector<bool> out;
  std::array<std::uint8_t, batch> same;
  for (std::int64_t begin = 1; begin < count; begin += batch) {
    std::int64_t end = std::min(begin + batch, count);
    same.fill(1);
    for (const Array* coordinate : coordinates) {
      level::as_indices(*coordinate, [&](const auto* c) {
        for (std::int64_t n = begin; n < end; n++) same[n - begin] &= c[n] == c[n - 1];
      });
    }
    if (std::find(same.begin(), same.begin() + (end - begin), 1) == same.begin() + (end - begin)) continue;
    if (out.empty()) out.resize(static_cast<size_t>(count), false);
    for (std::int64_t n = begin; n < end; n++) out[static_cast<size_t>(n)] = same[n - begin];
  }
  return out;
}

/// The number of each entry among those with the same coordinate in `dimension`, in the order of the other dimensions.
Array counted(const EntryList& entries, int dimension) {
  EntryList sorted = view(entries);
  Array numbers = IndexList::counting(entries.count()).taken(index_type_for(entries.count()));
  std::vector<Array*> arrays = {&numbers};
  std::vector<SortKey> keys;
  std::vector<const Array*> all;
  for (int d = 0; d < entries.order(); d++) {
    keys.push_back({&sorted.coordinate[d], entries.dimensions[d]});
    arrays.push_back(&sorted.coordinate[d]);
    all.push_back(&sorted.coordinate[d]);
  }
  std::rotate(keys.begin(), keys.begin() + dimension, keys.begin() + dimension + 1);
  sort_together(keys, arrays);
  std::vector<bool> repeats = repetitions(all, entries.count());
  const Array& fibre = sorted.coordinate[dimension];
  Array counts(index_type_for(entries.count()), entries.count());
  for (std::int64_t n = 0, count = 0; n < entries.count(); n++) {
    bool same_fibre = n > 0 && fibre.index_at(n) == fibre.index_at(n - 1);
    if (!same_fibre) count = 0;
    else if (repeats.empty() || !repeats[static_cast<size_t>(n)]) count++;  // duplicates share a slot
    counts.set_index(numbers.index_at(n), count);
  }
  return counts;
}

/// The coordinates of a level that are not simply those of a dimension.
Array derived_coordinates(const EntryList& entries, const relation::Coordinate& coordinate) {
  if (const relation::Counter* counter = coordinate.as<relation::Counter>()) return counted(entries, counter->within);
  Array out(ElementType::Int64, entries.count());
  Numbers at(entries.dimensions.size());
  for (std::int64_t n = 0; n < entries.count(); n++) {
    for (size_t d = 0; d < at.size(); d++) at[d] = entries.coordinate[d].index_at(n);
    out.set_index(n, relation::value(coordinate, at));
  }
  return out;
}

/// May the level be without room for an entry, though its coordinates are within the dimensions?  Of one that no loop
/// fills nothing is known.
bool may_lack_room(const Level& level) {
  const level::Format& format = *level.format;
  return format.stands_under_rows() || format.properties().branchless || (!format.append() && !format.insert());
}

/// One tensor being packed: entries as they are sorted, and what is left of them as levels take their coordinates.
class Packing {
 public:
  Packing(EntryList entries, const Format& format, Duplicates duplicates, const std::string& name, bool together)
      : entries_(std::move(entries)), format_(format), duplicates_(duplicates), name_(name), together_(together) {
    const std::vector<Level>& levels = format.levels();
    bool tells_entries = duplicates == Duplicates::Error;  // a message may name them
    keeps_coordinates_ = tells_entries || std::any_of(levels.begin(), levels.end(), may_lack_room);
    if (tells_entries) numbers_ = IndexList::counting(count()).taken(index_type_for(count()));
    derived_.resize(levels.size());
    for (size_t k = 0; k < levels.size(); k++) {
      std::optional<relation::Range> range = relation::range(levels[k].coordinate, entries_.dimensions);
      origins_.push_back(range ? range->origin : 0);
      extents_.push_back(range ? range->extent : -1);
      if (levels[k].coordinate.plain()) continue;
      derived_[k] = derived_coordinates(entries_, levels[k].coordinate);
      if (levels[k].coordinate.as<relation::Counter>()) {
        extents_[k] = 0;
        for (std::int64_t n = 0; n < count(); n++) extents_[k] = std::max(extents_[k], derived_[k]->index_at(n) + 1);
      }
    }
    if (!keeps_coordinates_) forget_coordinates(0);
    sort();
  }

  std::int64_t count() const { return entries_.count(); }
  const Numbers& extents() const { return extents_; }

  /// What level k stores.  Afterwards its coordinates may be gone.
  level::NodeList nodes(int k, IndexList positions) {
    level::NodeList nodes{std::move(positions), {}, repeats(k)};
    nodes.coordinate = is_needed_after(k) ? IndexList::view(coordinate(k)) : IndexList(std::move(coordinate(k)));
    return nodes;
  }

  /// A level that is searched by hashing does not keep its nodes in the order of the entries: those of the next level
  /// have to be grouped by their parents again.
  IndexList grouped_by_parent(int next_level, IndexList positions, std::int64_t size) {
    if (positions.is_counting() || positions.is_zero()) return positions;
    Array parents = std::move(positions).taken(index_type_for(std::max<std::int64_t>(size, 1)));
    std::vector<Array*> arrays = arrays_from(next_level);
    arrays.push_back(&parents);
    sort_together({{&parents, size}}, arrays);
    return IndexList(std::move(parents));
  }

  void check_all_fit(const IndexList& positions) const {
    std::int64_t outside = positions.visit([&](const auto& position) {
      std::int64_t n = 0;
      while (n < count() && position[n] != level::Packed::does_not_fit) n++;
      return n;
    });
    if (outside == count()) return;
    throw UserError(fmt::format("The entry of '{}' at {} cannot be stored as {}", name_,
                                describe_entry(entries_, outside), to_string(format_)))
        .note("coordinates count from 0")
        .hint("choose a format that has room for every entry, such as csr");
  }

  /// The values at their positions, of which there are `size`; all others have the fill.
  Array values(const IndexList& positions, std::int64_t size, const Scalar& fill) {
    bool in_place = positions.is_counting() && size == count();
    if (in_place) return entries_.values.is_borrowed() ? entries_.values.copy() : std::move(entries_.values);
    Array out(entries_.values.type(), size);
    if (!fill.is_zero())
      for (std::int64_t p = 0; p < size; p++) out.set(p, fill);
    visit_element_type(out.type(), [&]<class T>(std::type_identity<T>) {
      positions.visit(
          [&](const auto& position) { place_values<T>(position, entries_.values.as<T>(), out.as<T>(), out.type()); });
    });
    return out;
  }

 private:
  Array& coordinate(int k) {
    std::optional<int> dimension = format_.levels()[k].coordinate.plain();
    return dimension ? entries_.coordinate[*dimension] : *derived_[k];
  }
  const Array& coordinate(int k) const { return const_cast<Packing*>(this)->coordinate(k); }

  bool is_needed_after(int k) const {
    if (keeps_coordinates_) return true;
    for (int later = k + 1; later < format_.level_count(); later++) {
      if (&coordinate(later) == &coordinate(k)) return true;
    }
    return false;
  }

  /// Those of dimensions that no level from `k` on stores as they are.
  void forget_coordinates(int k) {
    for (Array& array : entries_.coordinate) {
      bool is_used = false;
      for (int later = k; later < format_.level_count(); later++) is_used |= &coordinate(later) == &array;
      if (!is_used) array = Array(array.type(), 0);
    }
  }

  /// Everything that says something about entries and is needed for the levels from `k` on.
  std::vector<Array*> arrays_from(int k) {
    std::vector<Array*> arrays;
    auto add = [&](Array& array) {
      if (array.count() == count() && std::find(arrays.begin(), arrays.end(), &array) == arrays.end())
        arrays.push_back(&array);
    };
    for (; k < format_.level_count(); k++) add(coordinate(k));
    if (keeps_coordinates_)
      for (Array& array : entries_.coordinate) add(array);
    if (numbers_) add(*numbers_);
    add(entries_.values);
    return arrays;
  }

  SortKey key(int k) const {
    bool decreasing = format_.levels()[k].format->properties().ordered == level::Ordered::Decreasing;
    return {&coordinate(k), extents_[k], origins_[k], decreasing};
  }
  std::vector<SortKey> keys(int level_count) const {
    std::vector<SortKey> out;
    for (int k = 0; k < level_count; k++) out.push_back(key(k));
    return out;
  }

  void sort() {
    const int all = format_.level_count();
    int needed = together_ ? all : sorted_levels();
    sort_together(keys(needed), arrays_from(0));
    bool keeps_duplicates = needed == all || !format_.levels().back().format->properties().unique;
    if (!keeps_duplicates && has_duplicates()) sort_together(keys(all), arrays_from(0));
  }

  /// How many leading levels entries must be sorted by: below, the order in which they came is as good.
  int sorted_levels() const {
    int k = format_.level_count();
    while (k > 0) {
      level::Properties properties = format_.levels()[k - 1].format->properties();
      bool is_last = k == format_.level_count();
      if (properties.ordered != level::Ordered::No || !(is_last || !properties.unique) || properties.padded) break;
      k--;
    }
    return k;
  }

  /// Whatever order the entries are in.
  bool has_duplicates() const {
    std::vector<Array> copies;
    std::vector<SortKey> keys;
    copies.reserve(static_cast<size_t>(format_.level_count()));
    for (int k = 0; k < format_.level_count(); k++) {
      keys.push_back(key(k));
      copies.push_back(Array::borrow(coordinate(k).type(), const_cast<void*>(coordinate(k).data()), count()));
      keys.back().array = &copies.back();
    }
    std::vector<Array*> arrays;
    std::vector<const Array*> sorted;
    for (Array& copy : copies) {
      arrays.push_back(&copy);
      sorted.push_back(&copy);
    }
    sort_together(keys, arrays);
    return !repetitions(sorted, count()).empty();
  }

  /// For a level that is not unique: which entries agree with the one before them down to the end of the chain of
  /// single children. Nothing if that end is not unique either: then all entries are kept, unless they are to be
  /// together.
  std::vector<bool> repeats(int level) const {
    auto properties = [&](int k) { return format_.levels()[k].format->properties(); };
    if (properties(level).unique) return {};
    int end = level;
    while (end + 1 < format_.level_count() && properties(end + 1).branchless && !properties(end).unique) end++;
    if (!properties(end).unique && !together_) return {};
    std::vector<const Array*> chain;
    for (int k = level; k <= end; k++) chain.push_back(&coordinate(k));
    return repetitions(chain, count());
  }

  /// Entries with one position are neighbours and in their first order.
  template <class T, class Positions>
  void place_values(const Positions& position, std::span<const T> from, std::span<T> to, ElementType type) const {
    for (std::int64_t n = 0; n < count(); n++) {
      bool duplicate = n > 0 && position[n] == position[n - 1];
      if (duplicate && duplicates_ == Duplicates::Error) {
        throw UserError(fmt::format("Entries {} and {} of '{}' have the same coordinates {}", numbers_->index_at(n - 1),
                                    numbers_->index_at(n), name_, describe_entry(entries_, n)))
            .note("entries and coordinates count from 0")
            .hint("remove one of them, or let duplicates be summed");
      }
      T& target = to[position[n]];
      target = duplicate && duplicates_ == Duplicates::Sum ? sum(type, target, from[n]) : from[n];
    }
  }

  EntryList entries_;
  const Format& format_;
  Duplicates duplicates_;
  const std::string& name_;
  bool together_;
  bool keeps_coordinates_ = false;             // to the end, for messages
  std::optional<Array> numbers_;               // of the entries as they were given
  std::vector<std::optional<Array>> derived_;  // coordinates of levels that are not those of a dimension
  Numbers origins_, extents_;                  // of the levels
};

}  // namespace

AnyTensor AnyTensor::pack(const Coordinates& given, const Format& format, Duplicates duplicates,
                          const std::string& name, bool force, std::optional<Scalar> fill) {
  return pack_list(view(given), format, duplicates, name, force, std::move(fill));
}

namespace {

const level::Whole* whole_of(const Format& format) {
  return format.level_count() > 0 ? level::whole_of(*format.levels()[0].format) : nullptr;
}

/// Of a format that packs all its levels at once: entries without repetitions, in the order of coordinates.
AnyTensor pack_whole(EntryList given, const Format& format, Duplicates duplicates, const std::string& name, bool force,
                     const Scalar& fill) {
  const ElementType type = given.values.type();
  Format list = Format::sparse(given.order());
  Coordinates entries = pack_list(std::move(given), list, duplicates, name, force, fill).coordinates();
  level::Whole::Arrays packed = whole_of(format)->pack_whole(entries.dimensions, entries.coordinate);
  Array values(type, packed.size);
  for (std::int64_t p = 0; !fill.is_zero() && p < packed.size; p++) values.set(p, fill);
  for (std::int64_t n = 0; n < entries.count(); n++) {
    std::int64_t position = packed.positions[static_cast<size_t>(n)];
    if (position == level::Packed::does_not_fit)
      throw UserError(fmt::format("The entry {} of '{}' cannot be stored as {}: the layout has no room for it",
                                  describe_entry(view(entries), n), name, to_string(format)))
          .note("coordinates count from 0");
  }
  visit_element_type(type, [&]<class T>(std::type_identity<T>) {
    std::span<const T> from = entries.values.as<T>();
    std::span<T> to = values.as<T>();
    for (size_t n = 0; n < from.size(); n++) to[static_cast<size_t>(packed.positions[n])] = from[n];
  });
  return AnyTensor::from_kernel(entries.dimensions, format, std::move(packed.levels), std::move(values), type, fill);
}

}  // namespace

AnyTensor pack_list(EntryList given, const Format& format, Duplicates duplicates, const std::string& name, bool force,
                    std::optional<Scalar> fill) {
  // The entries once more, sorted, and positions.
  std::int64_t count = given.count();
  double about = static_cast<double>(count) * (8.0 * (format.level_count() + 2) + size_in_bytes(given.values.type()));
  std::string amount = counted(count, "entry", "entries");
  auto packed = [&] {
    check_shape(given.dimensions, format, name);
    if (fill) check_fill(*fill, format, name);
    check_entries(given, name);
    check_storage_fits(given.dimensions, format, given.values.type(), given.count(), name);
    check_index_proportion(given.dimensions, format, given.values.type(), given.count(), name, force);
    if (whole_of(format)) {
      Scalar absent = fill ? fill->cast(given.values.type()) : Scalar(given.values.type());
      return pack_whole(std::move(given), format, duplicates, name, force, absent);
    }
    std::optional<Coordinates> half;
    if (format.symmetry() != Symmetry::None) {
      half = stored_half(widened(given), format.symmetry(), duplicates, name);
      given = view(*half);
    }
    const std::vector<std::int64_t> dimensions = given.dimensions;
    const ElementType type = given.values.type();
    // Padding that is there several times would add up.
    bool together = fill && !fill->is_zero() && format.pads();
    Packing packing(std::move(given), format, duplicates, name, together);
    std::vector<std::vector<Array>> arrays;
    IndexList positions = IndexList::zeros(packing.count());
    std::int64_t size = 1;  // the root
    for (int k = 0; k < format.level_count(); k++) {
      const Level& level = format.levels()[k];
      std::optional<relation::Range> range = relation::range(level.coordinate, dimensions);
      level::Shape shape{range ? range->extent : -1, size, range ? range->origin : 0};
      for (int up = 0; up < k; up++) shape.above.push_back({format.levels()[up].format.get(), &arrays[up]});
      double least = least_values({packing.extents().begin(), packing.extents().end()}, format, k,
                                  static_cast<double>(size), packing.count());
      check_proportion(dimensions, format, type, least, packing.count(), name, force);
      level::PackedList packed =
          level::pack_list(*level.format->storage(), shape, packing.nodes(k, std::move(positions)));
      packing.check_all_fit(packed.positions);
      size = packed.size;
      positions = std::move(packed.positions);
      if (k + 1 < format.level_count()) positions = packing.grouped_by_parent(k + 1, std::move(positions), size);
      arrays.push_back(std::move(packed.arrays));
    }
    Scalar absent = fill ? fill->cast(type) : Scalar(type);
    Array values = packing.values(positions, size, absent);
    AnyTensor result = AnyTensor::from_kernel(dimensions, format, std::move(arrays), std::move(values), type, absent);
    result.check_full(name);
    return result;
  };
  return naming_memory(fmt::format("packing '{}' ({}, {}) as {}", name, describe_dimensions(given.dimensions), amount,
                                   to_string(format)),
                       about, packed);
}

namespace {

/// Without what equals the fill: whether that is stored makes no difference to the tensor's values.
Coordinates without_fill(const Coordinates& entries, const Scalar& fill) {
  Coordinates kept{entries.dimensions, std::vector<Numbers>(entries.dimensions.size()), Array()};
  Numbers numbers;
  Array fill_value(entries.values.type(), 1);
  fill_value.set(0, fill);
  visit_element_type(entries.values.type(), [&]<class T>(std::type_identity<T>) {
    std::span<const T> from = entries.values.as<T>();
    T absent = fill_value.as<T>()[0];
    for (std::int64_t n = 0; n < entries.count(); n++) {
      bool both_nan = from[n] != from[n] && absent != absent;
      if (!(from[n] == absent || (both_nan && entries.values.get(n) == fill))) numbers.push_back(n);
    }
    kept.values = Array(entries.values.type(), static_cast<std::int64_t>(numbers.size()));
    std::span<T> to = kept.values.as<T>();
    for (size_t n = 0; n < numbers.size(); n++) to[n] = from[numbers[n]];
  });
  for (size_t d = 0; d < kept.coordinate.size(); d++) {
    kept.coordinate[d].reserve(numbers.size());
    for (std::int64_t n : numbers) kept.coordinate[d].push_back(entries.coordinate[d][n]);
  }
  return kept;
}

/// Are there components that the format cannot hold, at coordinates or in combinations it has no room for?
bool has_limits(const Format& format) {
  return format.symmetry() != Symmetry::None || whole_of(format) ||
         std::any_of(format.levels().begin(), format.levels().end(), [](const Level& level) {
           return level.format->stands_under_rows() || level.format->properties().branchless;
         });
}

}  // namespace

AnyTensor AnyTensor::converted(const Format& format, const std::string& name, bool force) const {
  Coordinates entries = coordinates();
  auto packed = [&](const Coordinates& from) { return pack(from, format, Duplicates::Sum, name, force, fill_); };
  if (!has_limits(format)) return packed(entries);
  try {
    return packed(entries);
  } catch (const UserError&) {
    return packed(without_fill(entries, fill_));
  }
}

}  // namespace filigree
