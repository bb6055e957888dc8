#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <random>
#include <vector>

#include "ir/runtime/kernel.h"
#include "ir/runtime/sort.h"
#include "ir/runtime/table.h"
#include "ir/runtime/table_functions.h"

namespace {

FILIGREE_SORT_I32
FILIGREE_SORT_I64

/// Counts blocks, and refuses after `left` requests.
struct Memory {
  std::int64_t blocks = 0, left = INT64_MAX;
  filigree_runtime runtime{&Memory::resize, this, nullptr, 1, nullptr, nullptr, nullptr};
  static void* resize(void* context, void* block, std::int64_t bytes) {
    auto* memory = static_cast<Memory*>(context);
    if (bytes == 0) {
      memory->blocks -= block != nullptr;
      std::free(block);
      return nullptr;
    }
    if (memory->left-- <= 0) return nullptr;
    memory->blocks += block == nullptr;
    return std::realloc(block, static_cast<std::size_t>(bytes));
  }
};

using Pairs = std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t>;

void expect_children(filigree_table* t, const Pairs& expected, std::int64_t parents) {
  ASSERT_EQ(table_finish(t, parents), 0);
  auto next = expected.begin();
  for (std::int64_t p = 0; p < parents; p++) {
    for (std::int64_t at = table_begin(t, p); at < table_begin(t, p + 1); at++, next++) {
      ASSERT_NE(next, expected.end());
      EXPECT_EQ(next->first, std::make_pair(p, table_coordinate(t, at)));
      EXPECT_EQ(next->second, table_position(t, at));
    }
  }
  EXPECT_EQ(next, expected.end());
}

TEST(Table, AgreesWithAMapOnRandomPairs) {
  std::mt19937 random(7);
  Memory memory;
  filigree_table* t = table_new(&memory.runtime, "t");
  for (int round = 0; round < 200; round++) {
    Pairs expected;
    std::int64_t parents = 1 + random() % 20, extent = 1 + random() % 300;
    int count = random() % 500;
    for (int n = 0; n < count; n++) {
      std::pair<std::int64_t, std::int64_t> pair{random() % parents, random() % extent};
      auto found = expected.find(pair);
      if (random() % 4 == 0) {
        EXPECT_EQ(table_find(t, pair.first, pair.second), found == expected.end() ? -1 : found->second);
      } else if (found == expected.end() && random() % 2) {
        std::int64_t position = expected.size();
        EXPECT_EQ(table_append(t, pair.first, pair.second), position);
        expected[pair] = position;
      } else {
        std::int64_t position = found == expected.end() ? expected.size() : found->second;
        EXPECT_EQ(table_insert(t, pair.first, pair.second), position);
        expected[pair] = position;
      }
      ASSERT_EQ(table_size(t), static_cast<std::int64_t>(expected.size()));
    }
    expect_children(t, expected, parents);
    table_clear(t);
    EXPECT_EQ(table_size(t), 0);
    EXPECT_EQ(table_find(t, 0, 0), -1);
  }
  table_free(t);
  EXPECT_EQ(memory.blocks, 0);
}

TEST(Table, AppendOnlyBuildsNoIndex) {
  Memory memory;
  filigree_table* t = table_new(&memory.runtime, "t");
  for (std::int64_t n = 0; n < 1000; n++) table_append(t, n / 10, 1000 - n);
  EXPECT_EQ(t->slots, nullptr);
  ASSERT_EQ(table_finish(t, 100), 0);
  EXPECT_EQ(table_coordinate(t, 0), 991);
  EXPECT_EQ(table_position(t, 0), 9);
  EXPECT_EQ(table_insert(t, 0, 1000), 0);
  EXPECT_NE(t->slots, nullptr);
  table_free(t);
  EXPECT_EQ(memory.blocks, 0);
}

TEST(Table, RunsOutOfMemoryWithoutHarm) {
  bool failed = true;
  for (std::int64_t left = 0; failed; left++) {
    Memory memory;
    memory.left = left;
    filigree_table* t = table_new(&memory.runtime, "t");
    failed = t == nullptr;
    for (std::int64_t n = 0; n < 100 && !failed; n++) failed = table_insert(t, n, n) < 0;
    failed = failed || table_finish(t, 100) < 0;
    EXPECT_TRUE(failed || left > 8) << left;
    table_free(t);
    EXPECT_EQ(memory.blocks, 0);
  }
}

template <class T, class Sort>
void expect_sorts(Sort sort) {
  std::mt19937_64 random(3);
  for (int n : {0, 1, 2, 3, 24, 25, 26, 100, 5000}) {
    for (int shape = 0; shape < 6; shape++) {
      std::vector<T> a(n);
      for (int i = 0; i < n; i++) {
        const T shapes[] = {static_cast<T>(random()),
                            static_cast<T>(i),
                            static_cast<T>(n - i),
                            static_cast<T>(i % 3),
                            T{5},
                            static_cast<T>(i < n / 2 ? i : n - i)};
        a[i] = shapes[shape];
      }
      std::vector<T> expected = a;
      std::sort(expected.begin(), expected.end());
      sort(a.data(), n);
      EXPECT_EQ(a, expected) << n << " elements, shape " << shape;
    }
  }
}

TEST(Sort, AgreesWithStandardSort) {
  expect_sorts<std::int32_t>([](std::int32_t* a, std::int64_t n) { sort_i32(a, n); });
  expect_sorts<std::int64_t>([](std::int64_t* a, std::int64_t n) { sort_i64(a, n); });
}

TEST(Sort, MergesTwoRuns) {
  std::mt19937_64 random(5);
  for (int n = 2; n <= 64; n++) {
    for (int half = 1; half < n; half++) {
      std::vector<std::int32_t> a(n);
      for (auto& x : a)
        x = random() % 4 == 0 ? (random() % 2 ? INT32_MIN : INT32_MAX) : static_cast<std::int32_t>(random() % 40);
      std::sort(a.begin(), a.begin() + half);
      std::sort(a.begin() + half, a.end());
      std::vector<std::int32_t> expected = a;
      std::sort(expected.begin(), expected.end());
      sort_i32(a.data(), n);
      EXPECT_EQ(a, expected) << half << " of " << n;
    }
  }
}

TEST(Sort, FallsBackToHeapSort) {
  std::vector<std::int64_t> a(1000);
  std::mt19937_64 random(3);
  for (auto& x : a) x = random() % 500;
  std::vector<std::int64_t> expected = a;
  std::sort(expected.begin(), expected.end());
  sort_i64_quick(a.data(), 1000, 1);
  EXPECT_EQ(a, expected);
}

}  // namespace
