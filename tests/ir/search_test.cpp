// The searches of generated code against the standard library's.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include "ir/runtime/search.h"

namespace {

FILIGREE_SEARCH(search_i32, int32_t)
FILIGREE_SEARCH(search_i64, int64_t)
FILIGREE_GALLOP(gallop_i32, int32_t)
FILIGREE_GALLOP(gallop_i64, int64_t)
FILIGREE_SEARCH_DOWN(search_down_i32, int32_t)
FILIGREE_SEARCH_DOWN(search_down_i64, int64_t)
FILIGREE_SEARCH_PATH(search_path_i32, int32_t)

template <class T>
std::vector<T> increasing(std::int64_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<T> out;
  T value = 0;
  for (std::int64_t n = 0; n < count; n++) out.push_back(value += 1 + static_cast<T>(random() % 5));
  return out;
}

/// Every start, and values before, in, between and after the elements.
template <class T, class Search, class Compare>
void expect_lower_bounds(const std::vector<T>& a, Search search, Compare before) {
  auto count = static_cast<std::int64_t>(a.size());
  T largest = a.empty() ? 0 : std::max(a.front(), a.back());
  for (std::int64_t from = 0; from <= count; from += 1 + from / 7) {
    for (T x = 0; x <= largest + 2; x++) {
      ASSERT_EQ(search(a.data(), from, count, x), std::lower_bound(a.begin() + from, a.end(), x, before) - a.begin())
          << "from " << from << " of " << count << " for " << x;
    }
  }
}

TEST(Search, FindsTheFirstThatIsNotLess) {
  for (std::int64_t count : {0, 1, 2, 3, 15, 16, 17, 31, 32, 33, 48, 100, 300}) {
    auto narrow = increasing<std::int32_t>(count, 1);
    auto wide = increasing<std::int64_t>(count, 2);
    expect_lower_bounds(narrow, search_i32, std::less<>());
    expect_lower_bounds(wide, search_i64, std::less<>());
    expect_lower_bounds(narrow, gallop_i32, std::less<>());
    expect_lower_bounds(wide, gallop_i64, std::less<>());
  }
}

TEST(Search, FindsTheFirstThatIsNotGreaterGoingDown) {
  for (std::int64_t count : {0, 1, 2, 3, 16, 17, 100}) {
    auto narrow = increasing<std::int32_t>(count, 3);
    auto wide = increasing<std::int64_t>(count, 4);
    std::reverse(narrow.begin(), narrow.end());
    std::reverse(wide.begin(), wide.end());
    expect_lower_bounds(narrow, search_down_i32, std::greater<>());
    expect_lower_bounds(wide, search_down_i64, std::greater<>());
  }
}

TEST(Search, FindsAlongThePath) {
  for (std::int64_t count : {0, 1, 2, 3, 16, 17, 100}) {
    auto a = increasing<std::int32_t>(count, 6);
    std::vector<std::int64_t> path;
    for (std::int64_t n = 0; n < count; n++) path.push_back(a[static_cast<std::size_t>(n)] + n);
    expect_lower_bounds(
        path,
        [&](const std::int64_t*, std::int64_t from, std::int64_t end, std::int64_t x) {
          return search_path_i32(a.data(), from, end, x);
        },
        std::less<>());
  }
}

TEST(Search, TakesWhatNarrowArraysCannotHold) {
  auto a = increasing<std::int32_t>(40, 5);
  EXPECT_EQ(search_i32(a.data(), 0, 40, std::int64_t{1} << 32), 40);
  EXPECT_EQ(gallop_i32(a.data(), 0, 40, (std::int64_t{1} << 32) + 3), 40);
}

}  // namespace
