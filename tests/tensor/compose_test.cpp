#include "tensor/compose.h"

#include <gtest/gtest.h>

#include "support/diagnostic.h"
#include "tensor/any_tensor.h"

namespace filigree {
namespace {

std::string composed(const std::string& format, const std::vector<int>& order) {
  std::optional<Format> made = compose(parse_format(format, static_cast<int>(order.size())), order);
  return made ? to_map(*made) : "nothing";
}

TEST(Compose, BlocksAreDrivenByTheirBlocks) {
  EXPECT_EQ(composed("bcsr(4,3)", {0, 1}),
            "(i,j) -> (i: composed(i/4: dense), j: composed(j/3: compressed, i%4: dense, j%3: dense))");
  EXPECT_EQ(composed("(i,j) -> (i/4: compressed, j/3: compressed, i%4: dense, j%3: dense)", {0, 1}),
            "(i,j) -> (i: composed(i/4: compressed), j: composed(j/3: compressed, i%4: dense, j%3: dense))");
  EXPECT_EQ(composed("bcsr(2,2,2)", {0, 1, 2}),
            "(i,j,k) -> (i: composed(i/2: dense), j: composed(j/2: compressed), k: composed(k/2: compressed, i%2: "
            "dense, j%2: dense, k%2: dense))");
  EXPECT_EQ(composed("(i) -> (i/16: compressed, i/4%4: dense, i%4: dense)", {0}),
            "(i) -> (i: composed(i/16: compressed, i/4%4: dense, i%4: dense))");
}

TEST(Compose, DiagonalsFollowEitherLoop) {
  EXPECT_EQ(composed("dia", {0, 1}), "(i,j) -> (i: composed, j: composed(j-i: compressed, i: range, j: offset))");
  EXPECT_EQ(composed("dia", {1, 0}), "(i,j) -> (j: composed, i: composed(j-i: compressed, i: range, j: offset))");
}

TEST(Compose, SlotsAreInTheOrderOfWhatIsInThem) {
  EXPECT_EQ(composed("ell", {0, 1}), "(i,j) -> (i: composed, j: composed(#i: slots, i: dense, j: singleton(padded)))");
  EXPECT_EQ(composed("(i,j) -> (i: dense, #i: slots, j: singleton(padded))", {0, 1}),
            "(i,j) -> (i: composed(i: dense), j: composed(#i: slots, j: singleton(padded)))");
  EXPECT_EQ(composed("ell(unordered)", {0, 1}), "nothing");
  // Number 0 of row 5 and number 1 of row 2 may be in one column.
  EXPECT_EQ(composed("(i,j) -> (#i: slots, j: dense, i: singleton(padded))", {1, 0}), "nothing");
}

TEST(Compose, WhatIsAlwaysFoundIsLocated) {
  std::optional<Format> tiles =
      compose(parse_format("(i,j) -> (i/4: dense, j/4: dense, i%4: dense, j%4: dense)", 2), {1, 0});
  ASSERT_TRUE(tiles);
  EXPECT_TRUE(tiles->is_dense());
}

TEST(Compose, NothingWhereCoordinatesWouldNotIncrease) {
  EXPECT_EQ(composed("bcsr(4,4)", {1, 0}), "nothing");  // rows are known only after their blocks
  EXPECT_EQ(composed("ell", {1, 0}), "nothing");
  EXPECT_EQ(composed("csb(4,4)", {0, 1}), "nothing");           // several entries of a block are in a row
  EXPECT_EQ(composed("mode_generic(4,4)", {0, 1}), "nothing");  // several blocks are in a row of blocks
  EXPECT_EQ(composed("(i,j) -> (i/4: dense, j/4: dense, i%4: dense, j%4: compressed)", {0, 1}),
            "nothing");  // two loops for j
  EXPECT_EQ(composed("(i,j) -> (i/4: dense, j/4: compressed(unordered), i%4: dense, j%4: dense)", {0, 1}), "nothing");
  EXPECT_EQ(composed("symmetric(bcsr(4,4))", {0, 1}), "nothing");
}

TEST(Compose, OrdersAreThoseThatCanBeComposed) {
  using Orders = std::vector<std::vector<int>>;
  EXPECT_EQ(composable_orders(parse_format("bcsr(4,4)", 2)), (Orders{{0, 1}}));
  EXPECT_EQ(composable_orders(parse_format("dia", 2)), (Orders{{0, 1}, {1, 0}}));
  EXPECT_EQ(composable_orders(parse_format("csb(4,4)", 2)), Orders{});
}

TEST(Compose, SlotsOutOfOrderAreRefusedByTheFormatThatPromisesOrder) {
  auto ell = [](const std::string& format) {
    auto ints = [](std::vector<std::int64_t> values) {
      Array array(ElementType::Int32, static_cast<std::int64_t>(values.size()));
      for (size_t n = 0; n < values.size(); n++) array.set_index(static_cast<std::int64_t>(n), values[n]);
      return array;
    };
    try {
      AnyTensor::from_arrays({2, 3}, parse_format(format, 2), {{ints({2})}, {}, {ints({0, 2, 1, 0})}},
                             Array(ElementType::Float64, 4), "A");
    } catch (const UserError& error) {
      return error.message();
    }
    return std::string("no error");
  };
  EXPECT_EQ(ell("ell"),
            "The component of 'A' at position 3, (1, 0), does not come after the one in a slot before it, (1, 2)");
  EXPECT_EQ(ell("ell(unordered)"), "no error");
}

}  // namespace
}  // namespace filigree
