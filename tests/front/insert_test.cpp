// Components that are written and read one by one, in every kind of format.
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "front/tensor.h"

namespace filigree {
namespace {

TEST(Insert, IntoFormatsThatPadIsWhatItWouldBeWithoutPadding) {
  for (const char* format : {"bcsr(2,2)", "bcsr(2,3)", "mode_generic(2,2)", "dia", "ell", "lower", "csr", "csb(2,2)",
                             "coo", "hash", "bitmap"}) {
    for (bool reads_between : {false, true}) {
      Tensor<double> A({4, 4}, format, 5);
      auto read = [&] {
        if (reads_between) A.evaluate();
      };
      A.insert({1, 0}, 1);
      read();
      A.insert({1, 1}, 2);  // in the same block, on another diagonal
      read();
      A.insert({3, 3}, 5);  // the fill
      read();
      A.insert({1, 0}, 10);
      read();
      A.set({2, 2}, 7);
      A.insert({2, 2}, 1);
      read();
      EXPECT_EQ(A.at(1, 0), 11) << format << reads_between;
      EXPECT_EQ(A.at(1, 1), 2) << format << reads_between;
      EXPECT_EQ(A.at(2, 2), 8) << format << reads_between;
      EXPECT_EQ(A.at(3, 3), 5) << format << reads_between;
      EXPECT_EQ(A.at(0, 0), 5) << format << reads_between;
      EXPECT_EQ(A.at(3, 2), 5) << format << reads_between;
      EXPECT_EQ(A.fill(), 5) << format;
    }
  }
}

TEST(Insert, AndReadInTurnsPacksOnce) {
  constexpr int count = 20000, size = 5000;
  for (const char* format : {"csr", "coo", "dcsr", "hash", "bcsr(2,2)"}) {
    Tensor<double> A({size, size}, format);
    std::map<std::pair<int, int>, double> expected;
    std::mt19937 random(7);
    size_t before = front::packings();
    for (int n = 0; n < count; n++) {
      int row = static_cast<int>(random() % size), column = static_cast<int>(random() % size);
      if (n % 3 == 0) A.set({row, column}, n), expected[{row, column}] = n;
      else A.insert({row, column}, n), expected[{row, column}] += n;
      ASSERT_EQ(A.at(row, column), (expected[{row, column}])) << format;
    }
    EXPECT_EQ(front::packings(), before) << format;
    A.evaluate();
    EXPECT_EQ(front::packings(), before + 1) << format;
    for (const auto& [at, value] : expected) ASSERT_EQ(A.at(at.first, at.second), value) << format;
    A.insert({0, 0}, 1);
    EXPECT_EQ(A.at(0, 0), (expected[{0, 0}]) + 1) << format;
    EXPECT_EQ(front::packings(), before + 1) << format;
  }
}

TEST(Insert, OfEntriesThatCannotBeStoredIsToldWhenOneIsRead) {
  Tensor<double> L({3, 3}, formats::lower);
  L.insert({0, 2}, 1);
  EXPECT_THROW(L.at(0, 2), UserError);
}

TEST(Set, ReplacesWhatFormatsKeepSeveralTimes) {
  Tensor<double> A({4}, "u");
  A.insert({1}, 1);
  A.insert({1}, 2);
  A.evaluate();
  EXPECT_EQ(A.at(1), 3);
  A.set({1}, 7);
  A.set({1}, 8);
  A.evaluate();
  EXPECT_EQ(A.at(1), 8);
}

TEST(Insert, IntoMemoryThatIsBorrowedGoesThereWhenItIsRead) {
  std::vector<std::int32_t> positions = {0, 2}, coordinates = {0, 2};
  std::vector<double> values = {10, 20};
  auto array = [](std::vector<std::int32_t>& v) {
    return Array::borrow(ElementType::Int32, v.data(), static_cast<std::int64_t>(v.size()));
  };
  auto x = Tensor<double>::borrow({3}, Format{formats::compressed}, {{array(positions), array(coordinates)}}, values);
  x.insert({2}, 5);
  EXPECT_EQ(x.at(2), 25);
  EXPECT_EQ(values[1], 25);
}

}  // namespace
}  // namespace filigree
