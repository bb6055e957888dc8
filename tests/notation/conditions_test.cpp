#include "notation/conditions.h"

#include <gtest/gtest.h>

#include "notation/substitute.h"
#include "tests/notation/from_text.h"

namespace filigree::notation {
namespace {

std::string condition_in(const std::string& text) {
  Statement statement = from_text("A(i,j) = " + text);
  std::optional<IndexCondition> found = as_condition(statement.rhs);
  if (!found) return "none";
  std::vector<std::string> names;
  for (const IndexVar& var : found->indices) names.push_back(var.name());
  return relation::to_string(found->condition, names);
}

TEST(AsCondition, ComparesSumsOfIndexVariables) {
  EXPECT_EQ(condition_in("j <= i"), "j <= i");
  EXPECT_EQ(condition_in("j < i"), "j < i");
  EXPECT_EQ(condition_in("i > j"), "j < i");
  EXPECT_EQ(condition_in("i + 1 == j"), "j == i + 1");
  EXPECT_EQ(condition_in("2*(i - 3) >= -j + i"), "6 <= i + j");
  EXPECT_EQ(condition_in("i != 3"), "3 != i");
}

TEST(AsCondition, IsNothingElse) {
  EXPECT_EQ(condition_in("i*j < 5"), "none");
  EXPECT_EQ(condition_in("i < 2.5"), "none");
  EXPECT_EQ(condition_in("i/2 < j"), "none");
  EXPECT_EQ(condition_in("i <= i + 1"), "none");
  EXPECT_EQ(condition_in("i + j"), "none");
  EXPECT_EQ(condition_in("9007199254740993*i < j"), "none");
}

TEST(WithConditions, GivesEqualConditionsOneTensor) {
  Expr rhs = with_conditions(from_text("A(i,j) = (j <= i) + (i >= j) + (j < i)").rhs);
  std::vector<Access> all = accesses(rhs);
  ASSERT_EQ(all.size(), 3);
  EXPECT_EQ(all[0], all[1]);
  EXPECT_FALSE(all[0] == all[2]);
  EXPECT_EQ(to_string(rhs), "(j <= i) + (j <= i) + (j < i)");
}

TEST(FillOf, TakesConditionsForAbsent) {
  EXPECT_EQ(fill_of(from_text("A(i,j) = 2*(j <= i)").rhs), Scalar::of(ElementType::Int64, std::int64_t{0}));
  EXPECT_FALSE(fill_of(from_text("A(i,j) = (j <= i) + i").rhs));
}

}  // namespace
}  // namespace filigree::notation
