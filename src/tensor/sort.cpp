// Entries are sorted by integer keys: the coordinates of as many consecutive dimensions as fit are put
// side by side in 64 bits, most significant first.  Dimensions that do not fit together form several
// keys; sorting by the last key first, each time stably, orders by all of them (as radix sort does with
// digits).  Each key is sorted by radix sort with 11-bit digits, every thread a slice; slices are merged.
#include "tensor/sort.h"

#include <algorithm>
#include <array>
#include <bit>
#include <thread>

namespace filigree {
namespace {

struct Keyed {
  std::uint64_t key;
  std::int64_t number;
};

constexpr int digit_bits = 11;
constexpr std::int64_t worth_a_thread = 1 << 17;

void radix_sort(Keyed* items, Keyed* spare, size_t count, int bits) {
  Keyed* from = items;
  Keyed* to = spare;
  for (int shift = 0; shift < bits; shift += digit_bits) {
    std::array<size_t, (1 << digit_bits) + 1> starts{};
    auto digit = [&](const Keyed& item) { return (item.key >> shift) & ((1 << digit_bits) - 1); };
    for (size_t i = 0; i < count; i++) starts[digit(from[i]) + 1]++;
    for (size_t d = 1; d < starts.size(); d++) starts[d] += starts[d - 1];
    for (size_t i = 0; i < count; i++) to[starts[digit(from[i])]++] = from[i];
    std::swap(from, to);
  }
  if (from != items) std::copy(from, from + count, items);
}

void parallel_radix_sort(std::vector<Keyed>& items, int bits) {
  std::vector<Keyed> spare(items.size());
  size_t count = items.size();
  size_t slices = std::clamp<size_t>(count / worth_a_thread, 1, std::max(1u, std::thread::hardware_concurrency()));
  std::vector<size_t> bounds;
  for (size_t s = 0; s <= slices; s++) bounds.push_back(count * s / slices);
  auto sort_slice = [&](size_t s) {
    radix_sort(items.data() + bounds[s], spare.data() + bounds[s], bounds[s + 1] - bounds[s], bits);
  };
  std::vector<std::jthread> threads;
  for (size_t s = 1; s < slices; s++) threads.emplace_back(sort_slice, s);
  sort_slice(0);
  threads.clear();
  auto less = [](const Keyed& a, const Keyed& b) { return a.key < b.key; };
  for (size_t width = 1; width < slices; width *= 2) {
    for (size_t s = 0; s < slices; s += 2 * width) {
      size_t middle = bounds[std::min(s + width, slices)], end = bounds[std::min(s + 2 * width, slices)];
      std::merge(items.begin() + bounds[s], items.begin() + middle, items.begin() + middle, items.begin() + end,
                 spare.begin() + bounds[s], less);
    }
    items.swap(spare);
  }
}

}  // namespace

bool is_sorted(const Coordinates& entries, const std::vector<int>& dimensions) {
  for (std::int64_t n = 1; n < entries.count(); n++) {
    for (int dimension : dimensions) {
      std::int64_t before = entries.coordinate[dimension][n - 1], here = entries.coordinate[dimension][n];
      if (before < here) break;
      if (before > here) return false;
    }
  }
  return true;
}

std::vector<std::int64_t> sorted_numbers(const Coordinates& entries, const std::vector<int>& dimensions) {
  std::int64_t count = entries.count();
  std::vector<Keyed> items(count);
  for (std::int64_t n = 0; n < count; n++) items[n].number = n;
  int remaining = static_cast<int>(dimensions.size());
  while (remaining > 0) {
    int bits = 0;
    for (Keyed& item : items) item.key = 0;
    while (remaining > 0) {
      int dimension = dimensions[remaining - 1];
      int width =
          std::bit_width(static_cast<std::uint64_t>(std::max<std::int64_t>(entries.dimensions[dimension] - 1, 0)));
      if (bits + width > 64) break;
      const std::vector<std::int64_t>& coordinate = entries.coordinate[dimension];
      // A width of 0 has only the coordinate 0; shifting by 64 bits would be undefined.
      if (width > 0) {
        for (Keyed& item : items) item.key |= static_cast<std::uint64_t>(coordinate[item.number]) << bits;
      }
      bits += width;
      remaining--;
    }
    parallel_radix_sort(items, bits);
  }
  std::vector<std::int64_t> numbers(count);
  for (std::int64_t n = 0; n < count; n++) numbers[n] = items[n].number;
  return numbers;
}

}  // namespace filigree
