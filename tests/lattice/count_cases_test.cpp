#include "lattice/count_cases.h"

#include <gtest/gtest.h>

#include "tests/concrete/from_text.h"

namespace filigree::lattice {
namespace {

const concrete::Formats vectors = {{"a", "s"}, {"b", "s"}, {"c", "s"}, {"d", "s"}};
const concrete::Formats matrices = {{"A", "ss"}, {"B", "ss"}, {"C", "ss"}, {"D", "ss"}};

std::int64_t cases(const std::string& text, const concrete::Formats& formats, std::int64_t enough = 1000) {
  return count_cases(concrete::concretized(text, formats), enough);
}

TEST(CountCases, TakesEachPointInTheLoopsThatHoldIt) {
  EXPECT_EQ(cases("a(i) = b(i)", vectors), 1);
  EXPECT_EQ(cases("a(i) = b(i)*c(i)*d(i)", vectors), 1);
  EXPECT_EQ(cases("a(i) = b(i) + c(i)", vectors), 5);
  EXPECT_EQ(cases("a(i) = b(i) + c(i) + d(i)", vectors), 19);
  EXPECT_EQ(cases("a(i) = b(i) + c(i)", {{"a", "d"}, {"b", "s"}, {"c", "d"}}), 2);  // one loop over the dimension
}

TEST(CountCases, HasTheLoopsInsideOfEachCase) {
  EXPECT_EQ(cases("A(i,j) = B(i,j) + C(i,j)", matrices), 5 + 2 + 2);
  EXPECT_EQ(cases("A(i,j) = B(i,j) + C(i,j) + D(i,j)", matrices), 19 + 3 * 2 * 5 + 3 * 4);
  EXPECT_GT(cases("A(i,j) = B(i,j) + C(i,j) + D(i,j)", matrices, 20), 20);
}

}  // namespace
}  // namespace filigree::lattice
