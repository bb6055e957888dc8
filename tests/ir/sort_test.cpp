// Sorting of the lists that workspaces keep: every size around which another way of sorting begins, in every shape that
// is easy or hard for one.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <vector>

#include "ir/host_functions.h"
#include "ir/runtime/sort_set.h"

namespace filigree::ir {
namespace {

FILIGREE_LIST_SET(list_set_i32, int32_t)

enum class Shape { Random, Narrow, Wide, Increasing, Decreasing, TwoRuns, Equal, Organ };

template <class Number>
std::vector<Number> numbers(int n, Shape shape, std::mt19937_64& random) {
  std::vector<Number> list;
  for (int i = 0; i < n; i++) {
    switch (shape) {
      case Shape::Random: list.push_back(static_cast<Number>(random() % 100'000)); break;
      case Shape::Narrow: list.push_back(static_cast<Number>(random() % 7) - 3); break;
      case Shape::Wide: list.push_back(static_cast<Number>(random())); break;
      case Shape::Increasing: list.push_back(i); break;
      case Shape::Decreasing: list.push_back(n - i); break;
      case Shape::TwoRuns: list.push_back(i < n / 3 ? 5 * i : i); break;
      case Shape::Equal: list.push_back(42); break;
      case Shape::Organ: list.push_back(std::min(i, n - i)); break;
    }
  }
  if (shape == Shape::Wide && n > 1)
    list[0] = std::numeric_limits<Number>::max(), list[1] = std::numeric_limits<Number>::min();
  return list;
}

template <class Number>
void expect_sorts(void (*sort)(Number*, std::int64_t)) {
  std::mt19937_64 random(1);
  for (int n :
       {0, 1, 2, 3, 7, 8, 9, 23, 24, 25, 63, 64, 65, 66, 100, 255, 256, 257, 1000, 4095, 4096, 4097, 9000, 50'000}) {
    for (Shape shape : {Shape::Random, Shape::Narrow, Shape::Wide, Shape::Increasing, Shape::Decreasing, Shape::TwoRuns,
                        Shape::Equal, Shape::Organ}) {
      std::vector<Number> list = numbers<Number>(n, shape, random), expected = list;
      std::sort(expected.begin(), expected.end());
      sort(list.data(), n);
      ASSERT_EQ(list, expected) << n << " numbers of shape " << static_cast<int>(shape);
    }
  }
}

TEST(Sort, OrdersNarrowNumbers) { expect_sorts<std::int32_t>(host_functions.sort_i32); }
TEST(Sort, OrdersWideNumbers) { expect_sorts<std::int64_t>(host_functions.sort_i64); }

/// Sets of every density, in an order that is another each time.
TEST(SortSet, ListsWhatIsSetInOrder) {
  std::mt19937 random(3);
  auto sort_i32 = [](std::int32_t* a, std::int64_t n) { std::sort(a, a + n); };
  for (std::int64_t extent : {0, 1, 7, 8, 9, 31, 64, 100, 1000, 5000}) {
    for (unsigned percent : {0u, 1u, 3u, 4u, 20u, 90u, 100u}) {
      std::vector<std::uint8_t> set(static_cast<size_t>(extent));
      std::vector<std::int32_t> expected;
      for (std::int64_t i = 0; i < extent; i++) {
        set[static_cast<size_t>(i)] = random() % 100 < percent;
        if (set[static_cast<size_t>(i)]) expected.push_back(static_cast<std::int32_t>(i));
      }
      auto count = static_cast<std::int64_t>(expected.size());
      std::vector<std::int32_t> list = expected;
      for (bool shuffles : {false, true}) {
        if (shuffles) std::shuffle(list.begin(), list.end(), random);
        sort_i32_set(list.data(), count, set.data(), extent);
        ASSERT_EQ(list, expected) << count << " of " << extent;
      }
    }
  }
}

}  // namespace
}  // namespace filigree::ir
