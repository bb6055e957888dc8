#include "concrete/merge_reductions.h"

#include <gtest/gtest.h>

#include "tests/concrete/from_text.h"

namespace filigree::concrete {
namespace {

std::string merged(const std::string& text) { return notation::to_string(merge_reductions(statement(text).rhs)); }

TEST(MergeReductions, MakesOneNestOfNestedSums) {
  EXPECT_EQ(merged("A(i,j) = B(i,k,l)*C(k,j)*D(l,j)"), "sum(l, k, B(i,k,l)*C(k,j)*D(l,j))");
}

TEST(MergeReductions, LetsAFactorThinOutTheLoops) {
  EXPECT_EQ(merged("A(i,j) = C(i,k)*D(k,j)*B(i,j)"), "sum(k, C(i,k)*D(k,j)*B(i,j))");
}

TEST(MergeReductions, KeepsASumThatSavesALoop) {
  EXPECT_EQ(merged("A(i,l) = B(i,j)*C(j,k)*D(k,l)"), "sum(k, sum(j, B(i,j)*C(j,k))*D(k,l))");
}

TEST(MergeReductions, MovesNothingOverAddition) {
  EXPECT_EQ(merged("a(i) = B(i,j)*c(j) + d(i)"), "sum(j, B(i,j)*c(j)) + d(i)");
  EXPECT_EQ(merged("a(i) = 1/sum(j, B(i,j))"), "1/sum(j, B(i,j))");
}

TEST(MergeReductions, MergesOnlyReductionsByOneOperator) {
  EXPECT_EQ(merged("a = sum(i, max_over(j, B(i,j)))"), "sum(i, max_over(j, B(i,j)))");
  EXPECT_EQ(merged("a = max_over(i, max_over(j, B(i,j)))"), "max_over(i, j, B(i,j))");
}

TEST(MergeReductions, ReturnsTheSameTreeIfNothingChanges) {
  notation::Expr expr = statement("a(i) = b(i) + C(i,j)*d(j)").rhs;
  EXPECT_TRUE(merge_reductions(expr).same_as(expr));
}

}  // namespace
}  // namespace filigree::concrete
