// Packing: coordinates in any order become level arrays.  Entries get coordinates in the levels' space and are sorted
// by them; then each level, from the outermost, stores its nodes and says at which position each entry's node is.
#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "level/visit_element_type.h"
#include "support/out_of_memory.h"
#include "support/text.h"
#include "tensor/size.h"
#include "tensor/sort.h"
#include "tensor/symmetry.h"
#include "tensor/any_tensor.h"

namespace filigree {
namespace {

using Numbers = std::vector<std::int64_t>;

std::string describe_entry(const Coordinates& entries, std::int64_t number) {
  Numbers coordinates;
  for (const Numbers& coordinate : entries.coordinate) coordinates.push_back(coordinate[number]);
  return fmt::format("({})", fmt::join(coordinates, ", "));
}

void check_entries(const Coordinates& entries, const std::string& name) {
  if (entries.coordinate.size() != entries.dimensions.size()) {
    throw UserError(fmt::format("'{}' has {}, but coordinates for {}", name, counted(entries.order(), "dimension"),
                                entries.coordinate.size()));
  }
  for (int dimension = 0; dimension < entries.order(); dimension++) {
    const Numbers& coordinate = entries.coordinate[dimension];
    if (static_cast<std::int64_t>(coordinate.size()) != entries.count()) {
      throw UserError(fmt::format("'{}' has {}, but {} of dimension {}", name, counted(entries.count(), "value"),
                                  counted(coordinate.size(), "coordinate"), dimension));
    }
    for (std::int64_t n = 0; n < entries.count(); n++) {
      if (coordinate[n] < 0 || coordinate[n] >= entries.dimensions[dimension]) {
        throw UserError(fmt::format("Entry {} of '{}' is at {}, outside of the dimensions {}", n, name,
                                    describe_entry(entries, n), describe_dimensions(entries.dimensions)))
            .hint("coordinates count from 0 and are less than the dimension");
      }
    }
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

/// Where entry n is in a sorted list; an empty permutation means that the list is sorted as it is.
struct SortedView {
  Numbers numbers;
  std::int64_t operator[](std::int64_t n) const { return numbers.empty() ? n : numbers[n]; }
};

Numbers gather(const Numbers& items, const SortedView& sorted) {
  if (sorted.numbers.empty()) return items;
  Numbers result(items.size());
  for (size_t n = 0; n < items.size(); n++) result[n] = items[sorted.numbers[n]];
  return result;
}

SortedView sorted_by(const Coordinates& entries, const std::vector<int>& dimensions) {
  if (is_sorted(entries, dimensions)) return {};
  return {sorted_numbers(entries, dimensions)};
}

std::vector<int> first(int count) {
  std::vector<int> numbers(static_cast<size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

bool same_place(const Coordinates& entries, std::int64_t a, std::int64_t b) {
  return std::all_of(entries.coordinate.begin(), entries.coordinate.end(),
                     [&](const Numbers& c) { return c[a] == c[b]; });
}

/// The number of each entry among those with the same coordinate in `dimension`, in the order of the other dimensions.
Numbers counted(const Coordinates& entries, int dimension) {
  std::vector<int> dimensions = {dimension};
  for (int d = 0; d < entries.order(); d++) {
    if (d != dimension) dimensions.push_back(d);
  }
  SortedView sorted = sorted_by(entries, dimensions);
  Numbers counts(static_cast<size_t>(entries.count()));
  for (std::int64_t n = 0, count = 0; n < entries.count(); n++) {
    bool same_fibre = n > 0 && entries.coordinate[dimension][sorted[n]] == entries.coordinate[dimension][sorted[n - 1]];
    if (!same_fibre) count = 0;
    else if (!same_place(entries, sorted[n], sorted[n - 1])) count++;  // duplicates share a slot
    counts[sorted[n]] = count;
  }
  return counts;
}

/// The entries with one coordinate per level.
Coordinates in_level_space(const Coordinates& entries, const Format& format) {
  Coordinates out;
  std::vector<std::int64_t> at(entries.dimensions.size());
  for (const Level& level : format.levels()) {
    std::optional<relation::Range> range = relation::range(level.coordinate, entries.dimensions);
    out.dimensions.push_back(range ? range->extent : -1);
    if (std::optional<int> dimension = level.coordinate.plain()) {
      out.coordinate.push_back(entries.coordinate[*dimension]);
    } else if (const relation::Counter* counter = level.coordinate.as<relation::Counter>()) {
      out.coordinate.push_back(counted(entries, counter->dimension));
      const Numbers& counts = out.coordinate.back();
      out.dimensions.back() = counts.empty() ? 0 : *std::max_element(counts.begin(), counts.end()) + 1;
    } else {
      out.coordinate.emplace_back(static_cast<size_t>(entries.count()));
      for (std::int64_t n = 0; n < entries.count(); n++) {
        for (size_t d = 0; d < at.size(); d++) at[d] = entries.coordinate[d][n];
        out.coordinate.back()[n] = relation::value(level.coordinate, at);
      }
    }
  }
  out.values = Array(ElementType::Bool, entries.count());
  return out;
}

/// Level coordinates as keys to sort by: from 0 on, reversed where a level is ordered the other way.
Coordinates sort_keys(Coordinates levels, const Format& format, const std::vector<std::int64_t>& dimensions) {
  for (int k = 0; k < format.level_count(); k++) {
    const Level& level = format.levels()[k];
    std::optional<relation::Range> range = relation::range(level.coordinate, dimensions);
    std::int64_t origin = range ? range->origin : 0, last = origin + levels.dimensions[k] - 1;
    bool decreasing = level.format->properties().ordered == level::Ordered::Decreasing;
    if (origin == 0 && !decreasing) continue;
    for (std::int64_t& c : levels.coordinate[k]) c = decreasing ? last - c : c - origin;
  }
  return levels;
}

/// How many leading levels entries must be sorted by: below, the order in which they came is as good.
int sorted_levels(const Format& format) {
  int k = format.level_count();
  while (k > 0) {
    level::Properties properties = format.levels()[k - 1].format->properties();
    bool is_last = k == format.level_count();
    if (properties.ordered != level::Ordered::No || !(is_last || !properties.unique) || properties.padded) break;
    k--;
  }
  return k;
}

bool has_duplicates(const Coordinates& entries, const SortedView& sorted) {
  for (std::int64_t n = 1; n < entries.count(); n++) {
    if (same_place(entries, sorted[n], sorted[n - 1])) return true;
  }
  return false;
}

/// The order in which entries are stored.
SortedView storage_order(const Coordinates& levels, const Format& format, const std::vector<std::int64_t>& dimensions,
                         bool together) {
  int needed = together ? format.level_count() : sorted_levels(format);
  auto by = [&](int count) { return sorted_by(sort_keys(levels, format, dimensions), first(count)); };
  if (needed == format.level_count()) return by(needed);
  bool keeps_duplicates = !format.levels().back().format->properties().unique;
  if (!keeps_duplicates) {
    SortedView all = by(format.level_count());
    if (has_duplicates(levels, all)) return all;
  }
  return by(needed);
}

/// For a level that is not unique: which entries agree with the one before them down to the end of the chain of single
/// children. Nothing if that end is not unique either: then all entries are kept, unless they are to be `together`.
std::vector<bool> repeats(const Coordinates& levels, const Format& format, int level, const SortedView& sorted,
                          bool together) {
  auto properties = [&](int k) { return format.levels()[k].format->properties(); };
  if (properties(level).unique) return {};
  int end = level;
  while (end + 1 < format.level_count() && properties(end + 1).branchless && !properties(end).unique) end++;
  if (!properties(end).unique && !together) return {};
  std::vector<bool> out(static_cast<size_t>(levels.count()), false);
  for (std::int64_t n = 1; n < levels.count(); n++) {
    bool same = true;
    for (int k = level; k <= end; k++)
      same = same && levels.coordinate[k][sorted[n]] == levels.coordinate[k][sorted[n - 1]];
    out[n] = same;
  }
  return out;
}

/// A level that is searched by hashing does not keep its nodes in the order of the entries: those of the next level
/// have to be grouped by their parents again.
void group_by_parent(Numbers& positions, SortedView& sorted) {
  if (std::is_sorted(positions.begin(), positions.end())) return;
  Numbers order(positions.size()), numbers(positions.size()), grouped(positions.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::int64_t a, std::int64_t b) { return positions[a] < positions[b]; });
  for (size_t n = 0; n < order.size(); n++) {
    numbers[n] = sorted[order[n]];
    grouped[n] = positions[order[n]];
  }
  sorted.numbers = std::move(numbers);
  positions = std::move(grouped);
}

/// Puts the values at their positions.  Entries with one position are neighbours and in their first order.
void place_values(const Coordinates& entries, const SortedView& sorted, const Numbers& positions, Duplicates duplicates,
                  Array& values, const std::string& name) {
  ElementType type = values.type();
  visit_element_type(type, [&]<class T>(std::type_identity<T>) {
    std::span<const T> from = entries.values.as<T>();
    std::span<T> to = values.as<T>();
    for (std::int64_t n = 0; n < entries.count(); n++) {
      T value = from[sorted[n]];
      bool duplicate = n > 0 && positions[n] == positions[n - 1];
      if (duplicate && duplicates == Duplicates::Error) {
        throw UserError(fmt::format("Entries {} and {} of '{}' have the same coordinates {}", sorted[n - 1], sorted[n],
                                    name, describe_entry(entries, sorted[n])))
            .note("entries and coordinates count from 0")
            .hint("remove one of them, or let duplicates be summed");
      }
      T& target = to[positions[n]];
      target = duplicate && duplicates == Duplicates::Sum ? sum(type, target, value) : value;
    }
  });
}

void check_all_fit(const Coordinates& entries, const SortedView& sorted, const Numbers& positions, const Format& format,
                   const std::string& name) {
  auto outside = std::find(positions.begin(), positions.end(), level::Packed::does_not_fit);
  if (outside == positions.end()) return;
  throw UserError(fmt::format("The entry of '{}' at {} cannot be stored as {}", name,
                              describe_entry(entries, sorted[outside - positions.begin()]), to_string(format)))
      .note("coordinates count from 0")
      .hint("choose a format that has room for every entry, such as csr");
}

}  // namespace

AnyTensor AnyTensor::pack(const Coordinates& given, const Format& format, Duplicates duplicates,
                          const std::string& name, bool force, std::optional<Scalar> fill) {
  // Entries in the space of levels, sorted, and positions, on the way.
  double about = static_cast<double>(given.count()) * 8.0 * (2.0 * format.level_count() + 4);
  std::string amount = counted(given.count(), "entry", "entries");
  auto packed = [&] {
    check_shape(given.dimensions, format, name);
    if (fill) check_fill(*fill, format, name);
    check_entries(given, name);
    check_storage_fits(given.dimensions, format, given.values.type(), given.count(), name);
    check_index_proportion(given.dimensions, format, given.values.type(), given.count(), name, force);
    std::optional<Coordinates> half;
    if (format.symmetry() != Symmetry::None) half = stored_half(given, format.symmetry(), duplicates, name);
    const Coordinates& entries = half ? *half : given;

    Coordinates levels = in_level_space(entries, format);
    // Padding that is there several times would add up.
    bool together = fill && !fill->is_zero() && format.pads();
    SortedView sorted = storage_order(levels, format, entries.dimensions, together);
    AnyTensor result{Empty{}};
    Numbers positions(static_cast<size_t>(entries.count()), 0);
    std::int64_t size = 1;  // the root
    for (int k = 0; k < format.level_count(); k++) {
      const Level& level = format.levels()[k];
      std::optional<relation::Range> range = relation::range(level.coordinate, entries.dimensions);
      level::Shape shape{range ? range->extent : -1, size, range ? range->origin : 0};
      for (int up = 0; up < k; up++) shape.above.push_back({format.levels()[up].format.get(), &result.arrays_[up]});
      const level::Storage& storage = *level.format->storage();
      double least = least_values({levels.dimensions.begin(), levels.dimensions.end()}, format, k,
                                  static_cast<double>(size), entries.count());
      check_proportion(entries.dimensions, format, entries.values.type(), least, entries.count(), name, force);
      level::Packed packed = storage.pack(shape, {std::move(positions), gather(levels.coordinate[k], sorted),
                                                  repeats(levels, format, k, sorted, together)});
      positions = std::move(packed.positions);
      check_all_fit(entries, sorted, positions, format, name);
      if (k + 1 < format.level_count()) group_by_parent(positions, sorted);
      size = packed.size;
      result.arrays_.push_back(std::move(packed.arrays));
    }
    result.values_ = Array(entries.values.type(), size);
    result.fill_ = fill ? fill->cast(result.type()) : Scalar(result.type());
    if (!result.fill_.is_zero())
      for (std::int64_t p = 0; p < size; p++) result.values_.set(p, result.fill_);
    place_values(entries, sorted, positions, duplicates, result.values_, name);
    result.dimensions_ = entries.dimensions;
    result.format_ = format;
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
  return format.symmetry() != Symmetry::None ||
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
