// Packing: coordinates in any order become level arrays.  Entries are sorted in the order of the levels;
// then each level, from the outermost, stores its nodes and says at which position each entry's node is.
#include <fmt/format.h>

#include "level/visit_element_type.h"
#include "tensor/size.h"
#include "tensor/sort.h"
#include "tensor/tensor.h"

namespace filigree {
namespace {

std::string describe_entry(const Coordinates& entries, std::int64_t number) {
  std::vector<std::int64_t> coordinates;
  for (const std::vector<std::int64_t>& coordinate : entries.coordinate) coordinates.push_back(coordinate[number]);
  return fmt::format("({})", fmt::join(coordinates, ", "));
}

void check_entries(const Coordinates& entries, const std::string& name) {
  if (entries.coordinate.size() != entries.dimensions.size()) {
    throw UserError(fmt::format("'{}' has {} dimensions, but coordinates for {}", name, entries.order(), entries.coordinate.size()));
  }
  for (int dimension = 0; dimension < entries.order(); dimension++) {
    const std::vector<std::int64_t>& coordinate = entries.coordinate[dimension];
    if (static_cast<std::int64_t>(coordinate.size()) != entries.count()) {
      throw UserError(fmt::format("'{}' has {} values, but {} coordinates of dimension {}", name, entries.count(),
                                  coordinate.size(), dimension));
    }
    for (std::int64_t n = 0; n < entries.count(); n++) {
      if (coordinate[n] < 0 || coordinate[n] >= entries.dimensions[dimension]) {
        throw UserError(fmt::format("Entry {} of '{}' is at {}, outside of the dimensions {}", n, name, describe_entry(entries, n),
                                    describe_dimensions(entries.dimensions)))
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
  std::vector<std::int64_t> numbers;
  std::int64_t operator[](std::int64_t n) const { return numbers.empty() ? n : numbers[n]; }
};

std::vector<std::int64_t> gather(const std::vector<std::int64_t>& items, const SortedView& sorted) {
  if (sorted.numbers.empty()) return items;
  std::vector<std::int64_t> result(items.size());
  for (size_t n = 0; n < items.size(); n++) result[n] = items[sorted.numbers[n]];
  return result;
}

/// Puts the values at their positions.  Entries with one position are neighbours and in their first order.
void place_values(const Coordinates& entries, const SortedView& sorted, const std::vector<std::int64_t>& positions,
                  Duplicates duplicates, Array& values, const std::string& name) {
  ElementType type = values.type();
  visit_element_type(type, [&]<class T>(std::type_identity<T>) {
    std::span<const T> from = entries.values.as<T>();
    std::span<T> to = values.as<T>();
    for (std::int64_t n = 0; n < entries.count(); n++) {
      T value = from[sorted[n]];
      bool duplicate = n > 0 && positions[n] == positions[n - 1];
      if (duplicate && duplicates == Duplicates::Error) {
        throw UserError(fmt::format("Entries {} and {} of '{}' have the same coordinates {}", sorted[n - 1], sorted[n], name,
                                    describe_entry(entries, sorted[n])))
            .note("entries and coordinates count from 0")
            .hint("remove one of them, or let duplicates be summed");
      }
      T& target = to[positions[n]];
      target = duplicate && duplicates == Duplicates::Sum ? sum(type, target, value) : value;
    }
  });
}

}  // namespace

Tensor Tensor::pack(const Coordinates& entries, const Format& format, Duplicates duplicates, const std::string& name) {
  check_shape(entries.dimensions, format, name);
  check_entries(entries, name);
  check_storage_fits(entries.dimensions, format, entries.values.type(), entries.count(), name);

  std::vector<int> dimensions;
  for (const Level& level : format.levels()) dimensions.push_back(level.dimension);
  SortedView sorted;
  if (!is_sorted(entries, dimensions)) sorted.numbers = sorted_numbers(entries, dimensions);

  Tensor result{Empty{}};
  std::vector<std::int64_t> positions(static_cast<size_t>(entries.count()), 0);
  std::int64_t size = 1;  // the root
  for (const Level& level : format.levels()) {
    level::Nodes nodes{std::move(positions), gather(entries.coordinate[level.dimension], sorted)};
    level::Packed packed = level.format->storage()->pack(entries.dimensions[level.dimension], size, nodes);
    positions = std::move(packed.positions);
    size = packed.size;
    result.arrays_.push_back(std::move(packed.arrays));
  }
  result.values_ = Array(entries.values.type(), size);
  place_values(entries, sorted, positions, duplicates, result.values_, name);
  result.dimensions_ = entries.dimensions;
  result.format_ = format;
  result.fill_ = Scalar(result.type());
  return result;
}

}  // namespace filigree
