#include "concrete/loop_order.h"

#include <gtest/gtest.h>

#include "tests/concrete/from_text.h"

namespace filigree::concrete {
namespace {

/// The order chosen for `lhs = rhs` taken as one nest, as letters.
std::string order_of(const std::string& text, const Formats& formats, const std::string& shared = "") {
  notation::Statement s = statement(text, formats);
  LoopOrderProblem problem{{}, notation::index_vars(s), notation::accesses(s.rhs), s.lhs, {}, {}};
  for (char name : shared) {
    for (const IndexVar& var : problem.vars) {
      if (var.name() == std::string(1, name)) problem.shared.push_back(var);
    }
  }
  std::string letters;
  for (const IndexVar& var : choose_order(problem)) letters += var.name();
  return letters;
}

TEST(ChooseOrder, FollowsTheLevelsOfOperands) {
  EXPECT_EQ(order_of("y(i) = A(i,j)*x(j)", {{"A", "csr"}}), "ij");
  EXPECT_EQ(order_of("y(i) = A(i,j)*x(j)", {{"A", "csc"}}), "ji");
  EXPECT_EQ(order_of("y(i) = A(j,i)*x(j)", {{"A", "csr"}}), "ji");
  EXPECT_EQ(order_of("A(i,j,k) = B(i,j,k)", {{"B", "sss:2,0,1"}}), "kij");
}

TEST(ChooseOrder, AvoidsInnerProducts) {
  // i, j, k would reformat nothing, but would visit every pair of rows and columns.
  EXPECT_EQ(order_of("A(i,j) = B(i,k)*C(k,j)", {{"A", "csr"}, {"B", "csr"}, {"C", "csc"}}), "ikj");
}

TEST(ChooseOrder, TakesTheInnerProductIfEveryOrderHasOne) {
  // The sampled product: B links i and j before k is reached.
  EXPECT_EQ(order_of("A(i,j) = B(i,j)*C(i,k)*D(k,j)", {{"A", "csr"}, {"B", "csr"}}), "ijk");
}

TEST(ChooseOrder, ReformatsAsFewOperandsAsPossible) {
  EXPECT_EQ(order_of("A(i,j) = B(i,j) + C(i,j) + D(i,j)", {{"B", "csr"}, {"C", "csc"}, {"D", "csc"}}), "ji");
}

TEST(ChooseOrder, CountsAWorkspaceOfSeveralLevelsAsACopy) {
  // Two operands against one workspace: the workspace is filled once.
  EXPECT_EQ(order_of("A(i,j) = B(i,j) + C(i,j)", {{"A", "csr"}, {"B", "csc"}, {"C", "csc"}}), "ji");
  // Sums accumulate in it: copying one operand is cheaper than searching it for every term.
  EXPECT_EQ(order_of("A(i,j) = B(k,i)*C(k,j)", {{"A", "csr"}, {"B", "csr"}, {"C", "csr"}}), "ikj");
}

TEST(ChooseOrder, SharesLoopsWithTheConsumer) {
  EXPECT_EQ(order_of("A(i,j) = B(i,j)", {}, "ji"), "ji");
  EXPECT_EQ(order_of("A(i,j) = B(i,j)", {{"B", "csr"}}, "ji"), "ij");  // a reformat would cost more
}

TEST(ChooseOrder, PutsTheResultsLevelsOutermost) {
  EXPECT_EQ(order_of("A(i,j) = b(i)*c(j)", {{"A", "csr"}}), "ij");
  EXPECT_EQ(order_of("A(i,j) = b(i)*c(j)", {{"A", "csc"}}), "ji");
  EXPECT_EQ(order_of("A(i,j) = B(i,k)*C(k,j)", {}), "ikj");
}

TEST(ChooseOrder, WalksDenseOperandsAsTheyAreStored) { EXPECT_EQ(order_of("s = B(i,j)", {{"B", "dd:1,0"}}), "ji"); }

TEST(ChooseOrder, FollowsTheOrderOfAppearanceOtherwise) { EXPECT_EQ(order_of("s = b(j)*c(i)", {}), "ji"); }

TEST(ChooseOrder, FindsAnOrderForManyVariables) {
  std::string text = "A(a,b,c,d,e,f,g,h) = B(h,g,f,e,d,c,b,a)";
  EXPECT_EQ(order_of(text, {{"B", "ssssssss"}}), "hgfedcba");
}

TEST(Follows, AsksForTheLevelsAboveALevelThatCannotBeLocated) {
  IndexVar i("i"), j("j");
  Access csr{TensorVar("A", ElementType::Float64, parse_format("csr", 2)), {i, j}};
  Access dense{TensorVar("B", ElementType::Float64, Format::dense(2)), {i, j}};
  Access sd{TensorVar("C", ElementType::Float64, parse_format("sd", 2)), {i, j}};
  EXPECT_TRUE(follows(csr, {i, j}));
  EXPECT_FALSE(follows(csr, {j, i}));
  EXPECT_TRUE(follows(dense, {j, i}));
  EXPECT_TRUE(follows(sd, {j, i}));  // the dense level is located once both are known
}

TEST(DimensionsInOrder, SortsByWhenVariablesAreBound) {
  IndexVar i("i"), j("j"), k("k");
  Access access{TensorVar("A", ElementType::Float64, Format::sparse(3)), {i, j, k}};
  EXPECT_EQ(dimensions_in_order(access, {k, i, j}), (std::vector<int>{2, 0, 1}));
}

}  // namespace
}  // namespace filigree::concrete
