#include "relation/formula.h"

#include <gtest/gtest.h>

#include "relation/derivation.h"

namespace filigree::relation {
namespace {

const IndexVar i("i"), j("j");
const Formula one = Formula::number(1), two = Formula::number(2);

TEST(Formula, FoldsConstantsAndChecksArithmetic) {
  Formula v = Formula::value(i);
  EXPECT_TRUE((Formula::number(3) * Formula::number(4) + Formula::number(0)).is(12));
  EXPECT_EQ(v * one + Formula::number(0), v);
  EXPECT_TRUE(Formula::rounded_up(Formula::number(33), Formula::number(32)).is(2));
  EXPECT_TRUE(Formula::quotient(Formula::number(-1), Formula::number(4)).is(-1));
  EXPECT_TRUE(Formula::remainder(Formula::number(-1), Formula::number(4)).is(3));
  Formula large = Formula::number(4'000'000'000) * Formula::number(4'000'000'000);
  EXPECT_EQ(large.kind(), Formula::Kind::Multiply);
  EXPECT_EQ(large.known(), std::nullopt);
  EXPECT_EQ(evaluate(large, Facts()), std::nullopt);
  EXPECT_EQ(evaluate(Formula::quotient(v, Formula::number(0)), Facts()), std::nullopt);
}

TEST(Formula, PrintsWithAsFewParenthesesAsNeeded) {
  Formula v = Formula::value(i), n = Formula::extent(i);
  EXPECT_EQ(to_string((v + n) * two - (v - two)), "(i + extent(i))*2 - (i - 2)");
  EXPECT_EQ(to_string(Formula::min(Formula::rounded_up(n, two), Formula::value(j))),
            "min(rounded_up(extent(i), 2), j)");
  EXPECT_EQ(to_string(Formula::remainder(Formula::quotient(v, two), two)), "i/2%2");
  EXPECT_EQ(to_string(Formula::entry({3, 5}, v + one)), "{3,5}[i + 1]");
}

Facts where(std::int64_t at_i, std::int64_t at_j, std::int64_t i_size, std::int64_t j_size) {
  Facts facts;
  facts.value = [=](const IndexVar& var) { return std::optional(var == i ? at_i : at_j); };
  facts.extent = [=](const IndexVar& var) { return std::optional(var == i ? i_size : j_size); };
  return facts;
}

TEST(Derivation, PartsAreInsideOfTheirRangesAndMakeTheWhole) {
  for (std::int64_t size : {1, 5, 8, 13}) {
    for (std::int64_t at = 0; at < size; at++) {
      Facts facts = where(at, 0, size, 1);
      std::int64_t whole = 0;
      for (auto [divisor, modulus] : {std::pair<std::int64_t, std::int64_t>{4, 0}, {2, 2}, {1, 2}}) {
        RangeFormulas range = digits_range(Formula::extent(i), divisor, modulus);
        std::int64_t part = *evaluate(value(DigitsOf<IndexVar>{i, divisor, modulus}), facts);
        EXPECT_GE(part, *evaluate(range.origin, facts));
        EXPECT_LT(part, *evaluate(range.origin + range.extent, facts));
        whole += divisor * part;
      }
      EXPECT_EQ(whole, at);
    }
  }
}

TEST(Derivation, DiagonalsStartBelowZero) {
  RangeFormulas range = difference_range(Formula::extent(i), Formula::extent(j));
  EXPECT_EQ(to_string(range.extent), "max(extent(i) + extent(j) - 1, 0)");
  EXPECT_EQ(to_string(range.origin), "1 - extent(j)");
  EXPECT_EQ(evaluate(range.extent, where(0, 0, 0, 0)), 0);
  Sum sum = DifferenceOf<IndexVar>{i, j}.sum();
  EXPECT_EQ(to_string(value(sum)), "i - j");
  EXPECT_EQ(evaluate(value(sum), where(2, 5, 9, 9)), -3);
}

/// Tried out: the most coordinates from 0 on with which no index is outside, wherever the other variable is.
TEST(Derivation, RoomIsAsFarAsAllIndicesStayInside) {
  for (std::int64_t factor : {1, 2, 3, -1, -2}) {
    for (std::int64_t other : {-2, 0, 1, 3}) {
      for (std::int64_t offset : {-1, 0, 2, 7}) {
        for (std::int64_t j_size : {1, 2, 4}) {
          for (std::int64_t size : {0, 1, 6, 11}) {
            Sum sum{{{i, factor}}, offset};
            if (other != 0) sum.terms.push_back({j, other});
            std::int64_t most = 0;
            auto is_inside = [&](std::int64_t at) {
              for (std::int64_t b = 0; b < j_size; b++) {
                std::int64_t index = offset + factor * at + other * b;
                // Only the end that the variable moves towards bounds it.
                if (factor > 0 ? index >= size : index < 0) return false;
              }
              return true;
            };
            while (most < 50 && is_inside(most)) most++;
            IndexVar whole("whole");
            Facts facts;
            facts.extent = [&](const IndexVar& var) { return std::optional(var == j ? j_size : size); };
            EXPECT_EQ(evaluate(room_in(sum, i, Formula::extent(whole)), facts), most)
                << factor << "*i + " << other << "*j + " << offset << " of " << size << " and " << j_size;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace filigree::relation
