#include "assemble/assemble.h"

#include <gtest/gtest.h>

#include "concrete/verify.h"
#include "tests/concrete/from_text.h"

namespace filigree::assemble {
namespace {

using concrete::Formats;

std::string assembled(const std::string& text, const Formats& formats) {
  concrete::Program program = assemble(concrete::concretized(text, formats));
  concrete::verify(program, "assemble");
  return concrete::to_string(program.statement);
}

TEST(Assemble, LeavesResultsFilledInOrderAlone) {
  EXPECT_EQ(assembled("A(i,j) = B(i,j) + C(i,j)", {{"A", "csr"}, {"B", "csr"}, {"C", "csr"}}),
            "forall(i, forall(j, A(i,j) = B(i,j) + C(i,j)))");
}

TEST(Assemble, InsertsIntoDenseResultsDirectly) {
  EXPECT_EQ(assembled("y(i) = A(j,i)*x(j)", {{"A", "csr"}}), "forall(j, forall(i, y(i) += A(j,i)*x(j)))");
}

TEST(Assemble, GathersARowThatIsReachedOutOfOrder) {
  EXPECT_EQ(assembled("A(i,j) = B(i,k)*C(k,j)", {{"A", "csr"}, {"B", "csr"}, {"C", "csr"}}),
            "forall(i, where(forall(j, A(i,j) = w(j)), forall(k, forall(j, w(j) += B(i,k)*C(k,j)))))");
}

TEST(Assemble, GathersAllLevelsIfTheFirstIsNotOutermost) {
  EXPECT_EQ(assembled("A(i,j) = B(i,j) + C(i,j)", {{"A", "dcsc"}, {"B", "csr"}, {"C", "csr"}}),
            "where(forall(j, forall(i, A(i,j) = w(j,i))), forall(i, forall(j, w(j,i) = B(i,j) + C(i,j))))");
}

TEST(Assemble, AccumulatesInAScalarWhereLoopsReduceBelowTheResult) {
  EXPECT_EQ(assembled("y(i) = A(i,j)*x(j)", {{"A", "csr"}}), "forall(i, where(y(i) = t, forall(j, t += A(i,j)*x(j))))");
  EXPECT_EQ(assembled("s = b(i)*c(i)", {{"b", "sparse"}}), "where(s = t, forall(i, t += b(i)*c(i)))");
}

TEST(Assemble, GathersTermsThatAreAddedOneAfterTheOther) {
  std::string text = assembled("a(i) = b(i) + c(i) + d(i) + e(i)",
                               {{"a", "sparse"}, {"b", "sparse"}, {"c", "sparse"}, {"d", "sparse"}, {"e", "sparse"}});
  EXPECT_EQ(text,
            "where(forall(i, a(i) = w(i)), sequence(forall(i, w(i) += b(i)); forall(i, w(i) += c(i)); forall(i, w(i) "
            "+= d(i)); forall(i, w(i) += e(i))))");
}

TEST(Assemble, MakesWorkspacesThatCanBeInsertedInto) {
  concrete::Program program = assemble(concrete::concretized("A(i,j,k) = B(k,j,i)", {{"A", "dss"}, {"B", "csf"}}));
  bool seen = false;
  concrete::for_each(program.statement, [&](const concrete::Stmt& stmt) {
    const concrete::Assign* assign = stmt.as<concrete::Assign>();
    if (!assign || assign->lhs.tensor == program.results[0]) return;
    seen = true;
    for (const Level& level : assign->lhs.tensor.format().levels()) EXPECT_NE(level.format->insert(), nullptr);
  });
  EXPECT_TRUE(seen);
}

TEST(Assemble, SaysWhyItMadeAWorkspace) {
  concrete::Program program = assemble(concrete::concretized("y(i) = A(j,i)*x(j)", {{"y", "sparse"}, {"A", "csr"}}));
  ASSERT_EQ(program.environment.remarks.size(), 1u);
  EXPECT_EQ(
      program.environment.remarks[0],
      "'y' is assembled through the workspace 'w' over i: its coordinates there are not produced in order and once");
}

}  // namespace
}  // namespace filigree::assemble
