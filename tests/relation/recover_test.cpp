// Maps made up at random, and every coordinate that their levels can have: what recover() says is compared with going
// through all of them.
#include <algorithm>
#include <functional>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "relation/coordinate.h"

namespace filigree::relation {
namespace {

using From = Recovered::Term::From;
using Numbers = std::vector<std::int64_t>;

/// Levels that tell every dimension: blocks within blocks, plain ones, and diagonals of two that are there.
struct Map {
  std::vector<Coordinate> levels;
  int order;
};

Map random_map(std::mt19937& random) {
  Map map{{}, 1 + static_cast<int>(random() % 2)};
  std::vector<int> plain;
  for (int d = 0; d < map.order; d++) {
    std::int64_t below = 1, blocks = static_cast<std::int64_t>(random() % 3);
    for (std::int64_t n = 0; n < blocks; n++) {
      std::int64_t size = 2 + static_cast<std::int64_t>(random() % 2);
      map.levels.emplace_back(Digits{d, below, size});
      below *= size;
    }
    map.levels.emplace_back(Digits{d, below, 0});
    if (blocks == 0) plain.push_back(d);
  }
  if (map.order == 2 && plain.size() == 2 && random() % 2) {
    bool first = random() % 2;
    map.levels[first ? 0 : 1] = Difference{first ? 0 : 1, first ? 1 : 0};
  }
  std::shuffle(map.levels.begin(), map.levels.end(), random);
  return map;
}

Numbers recovered(const std::vector<Recovered>& how, const Numbers& at, int order) {
  Numbers out(static_cast<size_t>(order), -1);
  for (const Recovered& r : how) {
    std::int64_t sum = 0;
    for (const Recovered::Term& term : r.terms)
      sum += term.factor * (term.from == From::Level ? at[static_cast<size_t>(term.number)]
                                                     : out[static_cast<size_t>(term.number)]);
    out[static_cast<size_t>(r.dimension)] = sum;
  }
  return out;
}

/// Every coordinate of a tensor of this size, and all that levels can have.
void visit(const std::vector<Range>& ranges, const std::function<void(const Numbers&)>& at, Numbers so_far = {}) {
  if (so_far.size() == ranges.size()) return at(so_far);
  const Range& own = ranges[so_far.size()];
  so_far.push_back(0);
  for (std::int64_t n = own.origin; n < own.origin + own.extent; n++) {
    so_far.back() = n;
    visit(ranges, at, so_far);
  }
}

TEST(Recover, GuardsAreForDimensionsThatLevelsCanLeave) {
  std::mt19937 random(3);
  int exact = 0, guarded = 0;
  for (int trial = 0; trial < 300; trial++) {
    Map map = random_map(random);
    std::vector<Recovered> how = recover(map.levels, map.order);
    ASSERT_EQ(how.size(), static_cast<size_t>(map.order));
    std::set<int> left;
    for (std::int64_t size = 1; size <= 7; size++) {
      Numbers dimensions(static_cast<size_t>(map.order), size);
      if (map.order == 2) dimensions[1] = 1 + size / 2;
      std::vector<Range> ranges, whole;
      for (const Coordinate& level : map.levels) ranges.push_back(*range(level, dimensions));
      for (std::int64_t extent : dimensions) whole.push_back({0, extent});
      visit(ranges, [&](const Numbers& at) {
        Numbers out = recovered(how, at, map.order);
        for (size_t d = 0; d < out.size(); d++)
          if (out[d] < 0 || out[d] >= dimensions[d]) left.insert(static_cast<int>(d));
      });
      // And the way back.
      visit(whole, [&](const Numbers& logical) {
        Numbers at;
        for (const Coordinate& level : map.levels) at.push_back(value(level, logical));
        EXPECT_EQ(recovered(how, at, map.order), logical);
      });
    }
    for (const Recovered& r : how) {
      std::string text;
      for (const Coordinate& level : map.levels) text += to_string(level, {"i", "j"}) + " ";
      EXPECT_EQ(r.exact, left.count(r.dimension) == 0) << text << "dimension " << r.dimension;
      (r.exact ? exact : guarded)++;
    }
  }
  EXPECT_GT(exact, 50);
  EXPECT_GT(guarded, 50);
}

/// Levels from large digits to small ones, in the order of dimensions, come in the order of the coordinates.
TEST(Recover, BlocksOfOneDimensionKeepItsOrder) {
  std::mt19937 random(5);
  for (int trial = 0; trial < 100; trial++) {
    std::vector<Coordinate> levels;
    std::int64_t below = 1;
    for (int digits = 1 + static_cast<int>(random() % 3); digits > 0; digits--) {
      std::int64_t size = 1 + static_cast<std::int64_t>(random() % 4);
      levels.insert(levels.begin(), Digits{0, below, size});
      below *= size;
    }
    levels.insert(levels.begin(), Digits{0, below, 0});
    std::int64_t extent = 1 + static_cast<std::int64_t>(random() % 50), last = -1;
    std::vector<Range> ranges;
    for (const Coordinate& level : levels) ranges.push_back(*range(level, {extent}));
    std::vector<Recovered> how = recover(levels, 1);
    visit(ranges, [&](const Numbers& at) {
      std::int64_t now = recovered(how, at, 1)[0];
      EXPECT_EQ(now, last + 1);
      last = now;
    });
    EXPECT_GE(last + 1, extent);
  }
}

}  // namespace
}  // namespace filigree::relation
