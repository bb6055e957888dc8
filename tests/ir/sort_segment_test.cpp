#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <random>
#include <vector>

#include "ir/host_functions.h"

namespace filigree::ir {
namespace {

/// Counts blocks, and refuses them all when `empty`.
struct Memory {
  bool empty = false;
  int blocks = 0, requests = 0;
  filigree_runtime runtime{&Memory::resize, this, nullptr, 1, nullptr, nullptr, nullptr};
  static void* resize(void* context, void* block, std::int64_t bytes) {
    auto* memory = static_cast<Memory*>(context);
    if (bytes == 0) {
      memory->blocks--;
      std::free(block);
      return nullptr;
    }
    memory->requests++;
    if (memory->empty) return nullptr;
    memory->blocks++;
    return std::realloc(block, static_cast<std::size_t>(bytes));
  }
};

/// A value of `bytes` that tells where it was.
template <std::size_t bytes>
struct Value {
  unsigned char data[bytes] = {};
  Value() = default;
  explicit Value(std::size_t place) { std::memcpy(data, &place, std::min(bytes, sizeof place)); }
  bool operator==(const Value& other) const { return std::memcmp(data, other.data, bytes) == 0; }
};

template <class Coordinate>
std::vector<Coordinate> coordinates(int n, int shape) {
  std::mt19937_64 random(n + shape);
  std::vector<Coordinate> out(n);
  for (int i = 0; i < n; i++) {
    const Coordinate shapes[] = {static_cast<Coordinate>(random()),
                                 static_cast<Coordinate>(i),
                                 static_cast<Coordinate>(n - i),
                                 static_cast<Coordinate>(i % 3),
                                 Coordinate{5},
                                 static_cast<Coordinate>(i < n / 2 ? i : n - i)};
    out[i] = shapes[shape];
  }
  return out;
}

template <class Coordinate, std::size_t bytes>
void expect_sorts(int n, int shape) {
  constexpr int margin = 2;  // elements around the segment that have to stay
  std::vector<Coordinate> crd = coordinates<Coordinate>(n + 2 * margin, shape), expected_crd = crd;
  std::vector<Value<bytes>> vals, expected_vals;
  std::vector<std::size_t> order(crd.size());
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t place : order) vals.emplace_back(place);
  std::stable_sort(order.begin() + margin, order.end() - margin,
                   [&](std::size_t a, std::size_t b) { return crd[a] < crd[b]; });
  for (std::size_t i = 0; i < order.size(); i++) {
    expected_crd[i] = crd[order[i]];
    expected_vals.push_back(vals[order[i]]);
  }
  Memory memory;
  ASSERT_EQ(host_functions.sort_elements(&memory.runtime, crd.data(), sizeof(Coordinate), vals.data(), bytes, margin,
                                         margin + n),
            0);
  EXPECT_EQ(memory.blocks, 0);
  EXPECT_EQ(crd, expected_crd) << n << " elements of shape " << shape;
  EXPECT_TRUE(vals == expected_vals) << n << " elements of shape " << shape << " with values of " << bytes << " bytes";
}

template <class Coordinate>
void expect_sorts_values_of_all_sizes(int n, int shape) {
  expect_sorts<Coordinate, 1>(n, shape);
  expect_sorts<Coordinate, 2>(n, shape);
  expect_sorts<Coordinate, 4>(n, shape);
  expect_sorts<Coordinate, 8>(n, shape);
  expect_sorts<Coordinate, 16>(n, shape);
}

TEST(SortSegment, AgreesWithAStableSort) {
  for (int n : {0, 1, 2, 3, 31, 32, 33, 63, 64, 65, 100, 129, 5000}) {
    for (int shape = 0; shape < 6; shape++) {
      expect_sorts_values_of_all_sizes<std::int32_t>(n, shape);
      expect_sorts_values_of_all_sizes<std::int64_t>(n, shape);
    }
  }
}

std::int64_t sort_without_memory(std::vector<std::int32_t>& crd, std::vector<double>& vals) {
  Memory memory;
  memory.empty = true;
  return host_functions.sort_elements(&memory.runtime, crd.data(), 4, vals.data(), 8, 0,
                                      static_cast<std::int64_t>(crd.size()));
}

TEST(SortSegment, NeedsMemoryOnlyForLongSegmentsOutOfOrder) {
  std::vector<std::int32_t> few = coordinates<std::int32_t>(32, 2), many = coordinates<std::int32_t>(33, 2),
                            ordered = coordinates<std::int32_t>(5000, 1);
  std::vector<std::int32_t> before = many;
  std::vector<double> vals(5000);
  EXPECT_EQ(sort_without_memory(few, vals), 0);
  EXPECT_EQ(sort_without_memory(ordered, vals), 0);
  EXPECT_EQ(sort_without_memory(many, vals), -1);
  EXPECT_EQ(many, before);
}

}  // namespace
}  // namespace filigree::ir
