#include "relation/coordinate.h"

#include <random>

#include <gtest/gtest.h>

namespace filigree::relation {
namespace {

using From = Recovered::Term::From;
using Numbers = std::vector<std::int64_t>;

const Coordinate i = 0, j = 1;
const Coordinate block_i = Digits{0, 4, 0}, in_block_i = Digits{0, 1, 4}, block_j = Digits{1, 3, 0},
                 in_block_j = Digits{1, 1, 3};
const Coordinate diagonal = Difference{1, 0};

TEST(Coordinate, KnowsWhatItIsMadeOf) {
  EXPECT_EQ(i.plain(), 0);
  EXPECT_EQ(Coordinate(Digits{1, 1, 0}).plain(), 1);
  EXPECT_EQ(Coordinate(Digits{1, 1, 0}), j);
  for (const Coordinate& part : {block_i, in_block_i, diagonal, Coordinate(Counter{0})})
    EXPECT_EQ(part.plain(), std::nullopt);
  EXPECT_EQ(diagonal.dimensions(), (std::vector<int>{1, 0}));
  EXPECT_EQ(Coordinate(Counter{1}).dimensions(), (std::vector<int>{1}));
  EXPECT_EQ(block_j.dimensions(), (std::vector<int>{1}));
}

TEST(ToString, IsHowMapsAreWritten) {
  std::vector<std::string> names = {"i", "j"};
  EXPECT_EQ(to_string(i, names), "i");
  EXPECT_EQ(to_string(block_i, names), "i/4");
  EXPECT_EQ(to_string(in_block_j, names), "j%3");
  EXPECT_EQ(to_string(Digits{0, 4, 8}, names), "i/4%8");
  EXPECT_EQ(to_string(diagonal, names), "j-i");
  EXPECT_EQ(to_string(Counter{1}, names), "#j");
}

TEST(Value, IsWhatTheLevelStores) {
  EXPECT_EQ(value(i, {7, 2}), 7);
  EXPECT_EQ(value(block_i, {7, 2}), 1);
  EXPECT_EQ(value(in_block_i, {7, 2}), 3);
  EXPECT_EQ(value(Digits{0, 4, 3}, {27, 2}), 0);
  EXPECT_EQ(value(diagonal, {7, 2}), -5);
}

TEST(Range, CountsTheRaggedLastBlock) {
  auto extent = [](const Coordinate& c, const Numbers& dimensions) { return range(c, dimensions)->extent; };
  EXPECT_EQ(extent(block_i, {8, 1}), 2);
  EXPECT_EQ(extent(block_i, {9, 1}), 3);
  EXPECT_EQ(extent(block_i, {0, 1}), 0);
  EXPECT_EQ(extent(block_i, {1, 1}), 1);
  EXPECT_EQ(extent(in_block_i, {1, 1}), 4);
  EXPECT_EQ(extent(block_i, {INT64_MAX, 1}), INT64_MAX / 4 + 1);
}

TEST(Range, OfDiagonalsStartsBelowZero) {
  EXPECT_EQ(range(diagonal, {3, 5})->origin, -2);
  EXPECT_EQ(range(diagonal, {3, 5})->extent, 7);
  EXPECT_EQ(range(diagonal, {1, 1})->origin, 0);
  EXPECT_EQ(range(diagonal, {1, 1})->extent, 1);
  EXPECT_EQ(range(diagonal, {0, 0})->extent, 0);
  EXPECT_EQ(range(Counter{0}, {3, 5}), std::nullopt);
}

/// Every coordinate of a tensor with these dimensions is one the level can have.
TEST(Range, HoldsEveryValue) {
  for (const Coordinate& c : {i, j, block_i, in_block_i, block_j, in_block_j, diagonal, Coordinate(Difference{0, 1}),
                              Coordinate(Digits{0, 2, 3})}) {
    for (Numbers dimensions : {Numbers{1, 1}, {5, 7}, {8, 6}, {13, 2}}) {
      Range possible = *range(c, dimensions);
      for (std::int64_t row = 0; row < dimensions[0]; row++) {
        for (std::int64_t column = 0; column < dimensions[1]; column++) {
          std::int64_t at = value(c, {row, column});
          EXPECT_TRUE(at >= possible.origin && at < possible.origin + possible.extent) << to_string(c, {"i", "j"});
        }
      }
    }
  }
}

/// The logical coordinates that `recover` finds from those of the levels.
Numbers recovered(const std::vector<Coordinate>& levels, const Numbers& logical) {
  Numbers at, out(logical.size(), -1);
  for (const Coordinate& level : levels) at.push_back(level.as<Counter>() ? 0 : value(level, logical));
  for (const Recovered& r : recover(levels, static_cast<int>(logical.size()))) {
    std::int64_t sum = 0;
    for (const Recovered::Term& term : r.terms)
      sum += term.factor * (term.from == From::Level ? at[term.number] : out[term.number]);
    out[r.dimension] = sum;
  }
  return out;
}

TEST(Recover, InvertsTheMap) {
  const std::vector<std::vector<Coordinate>> maps = {
      {i, j},
      {j, i},
      {block_i, block_j, in_block_i, in_block_j},
      {in_block_j, block_i, block_j, in_block_i},
      {Digits{0, 8, 0}, j, Digits{0, 2, 4}, Digits{0, 1, 2}},  // blocks within blocks
      {diagonal, i, j},
      {diagonal, j, i},
      {Difference{0, 1}, i, j},
      {diagonal, block_i, in_block_i, j},
      {Counter{0}, i, j},
  };
  for (const std::vector<Coordinate>& map : maps) {
    for (std::int64_t row = 0; row < 20; row++) {
      for (std::int64_t column = 0; column < 20; column++)
        EXPECT_EQ(recovered(map, {row, column}), (Numbers{row, column}));
    }
  }
}

TEST(Recover, ChainsDifferences) {
  // k = (k-j) + j with j = (j-i) + i
  std::vector<Coordinate> map = {Difference{2, 1}, Difference{1, 0}, 0};
  EXPECT_EQ(recovered(map, {3, 1, 7}), (Numbers{3, 1, 7}));
}

TEST(Recover, LeavesOutWhatDoesNotFollow) {
  auto dimensions = [](const std::vector<Coordinate>& levels) {
    std::vector<int> out;
    for (const Recovered& r : recover(levels, 2)) out.push_back(r.dimension);
    return out;
  };
  EXPECT_EQ(dimensions({block_i, j}), (std::vector<int>{1}));
  EXPECT_EQ(dimensions({in_block_i, j}), (std::vector<int>{1}));
  EXPECT_EQ(dimensions({diagonal}), (std::vector<int>{}));
  EXPECT_EQ(dimensions({diagonal, block_i}), (std::vector<int>{}));
  EXPECT_EQ(dimensions({Counter{0}, j}), (std::vector<int>{1}));
  EXPECT_EQ(dimensions({Digits{0, 4, 0}, Digits{0, 1, 8}, j}),
            (std::vector<int>{1}));  // the digits do not fit together
}

TEST(Recover, SaysWhatStaysWithinTheDimension) {
  auto exact = [](const std::vector<Coordinate>& levels, int dimension) {
    for (const Recovered& r : recover(levels, 2)) {
      if (r.dimension == dimension) return r.exact;
    }
    return false;
  };
  EXPECT_TRUE(exact({i, j}, 0));
  EXPECT_FALSE(exact({block_i, j, in_block_i}, 0));
  EXPECT_TRUE(exact({block_i, j, in_block_i}, 1));
  EXPECT_FALSE(exact({diagonal, i, j}, 1));
  EXPECT_TRUE(exact({diagonal, i, j}, 0));
}

TEST(IsImplied, WhenTheLevelsAboveSayIt) {
  EXPECT_TRUE(is_implied({diagonal, i, j}, 2));
  EXPECT_TRUE(is_implied({i, j, diagonal}, 2));
  EXPECT_TRUE(is_implied({i, block_i}, 2));
  EXPECT_TRUE(is_implied({i, i}, 2));
  EXPECT_TRUE(is_implied({block_i, in_block_i, i}, 2));
  EXPECT_FALSE(is_implied({}, 2));
  EXPECT_FALSE(is_implied({i, j}, 2));
  EXPECT_FALSE(is_implied({diagonal, i}, 2));
  EXPECT_FALSE(is_implied({block_i, in_block_i}, 2));
  EXPECT_FALSE(is_implied({i, Counter{0}}, 2));
}

}  // namespace
}  // namespace filigree::relation
