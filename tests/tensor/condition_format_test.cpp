#include "tensor/condition_format.h"

#include <gtest/gtest.h>

#include "ir/simplify_expression.h"

namespace filigree {
namespace {

using relation::Condition;

/// The bounds of the innermost level below coordinates, in a dimension of 10.
std::pair<std::int64_t, std::int64_t> bounds(const Condition& condition, const std::vector<int>& order,
                                             const std::vector<std::int64_t>& above) {
  Format format = condition_format(condition, order);
  level::Instance instance{"c", {}, {}, {}, ir::integer(10)};
  std::vector<ir::Expr> coordinates;
  for (std::int64_t coordinate : above) coordinates.push_back(ir::integer(coordinate));
  level::Bounds found = format.levels().back().format->value_iteration()->bounds(instance, coordinates);
  auto value = [](const ir::Expr& expr) { return ir::simplify(expr).as<ir::Literal>()->value.as_int(); };
  return {value(found.begin), value(found.end)};
}

using Pair = std::pair<std::int64_t, std::int64_t>;

TEST(ConditionFormat, BoundsTheInnermostDimensionFromAboveOrBelow) {
  Condition lower{{1, -1}, 0};  // j <= i
  EXPECT_EQ(bounds(lower, {0, 1}, {3}), Pair(0, 4));
  EXPECT_EQ(bounds(lower, {1, 0}, {3}), Pair(3, 10));
}

TEST(ConditionFormat, StaysInsideOfTheDimension) {
  EXPECT_EQ(bounds({{1, -1}, 0}, {0, 1}, {30}), Pair(0, 10));
  EXPECT_EQ(bounds({{-1, 1}, -1}, {0, 1}, {30}), Pair(10, 10));  // j > i
  EXPECT_EQ(bounds({{1, -1}, -5}, {0, 1}, {3}), Pair(0, 0));     // j <= i - 5
}

/// For all small conditions, the bounds hold what a test of each coordinate finds.
TEST(ConditionFormat, RoundsAsTheTestDoes) {
  for (std::int64_t own : {-3, -2, -1, 1, 2, 3}) {
    for (std::int64_t other : {-2, -1, 1, 2}) {
      for (std::int64_t offset = -7; offset <= 7; offset++) {
        for (Condition::Kind kind : {Condition::Kind::AtLeast, Condition::Kind::Equal}) {
          for (std::int64_t i = 0; i < 6; i++) {
            auto [begin, end] = bounds({{other, own}, offset, kind}, {0, 1}, {i});
            EXPECT_LE(begin, end);
            for (std::int64_t j = 0; j < 10; j++) {
              std::int64_t sum = other * i + own * j + offset;
              EXPECT_EQ(begin <= j && j < end, kind == Condition::Kind::Equal ? sum == 0 : sum >= 0)
                  << own << " " << other << " " << offset << " " << i << " " << j;
            }
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace filigree
