#include "concrete/shared_pattern.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/concrete/from_text.h"

namespace filigree::concrete {
namespace {

/// "B, 2 levels": whose pattern 'A' has.
std::string source(const std::string& text, const Formats& formats) {
  Program program = concretized(text, formats);
  std::optional<SharedPattern> shared = shared_pattern(program, program.results[0]);
  return shared ? fmt::format("{}, {} levels", shared->operand.tensor.name(), shared->levels) : "none";
}

TEST(SharedPattern, IsThatOfTheOperandThatDecidesAlone) {
  EXPECT_EQ(source("A(i,j) = 2*B(i,j)", {{"A", "csr"}, {"B", "csr"}}), "B, 2 levels");
  EXPECT_EQ(source("A(i,j) = B(i,j)*C(i,k)*D(k,j)", {{"A", "csr"}, {"B", "csr"}}), "B, 2 levels");
  EXPECT_EQ(source("A(i,j) = C(i,k)*D(k,j)*B(i,j)", {{"A", "coo"}, {"B", "coo"}}), "B, 2 levels");
  EXPECT_EQ(source("A(i,j) = B(i,j) + B(i,j)*c(j)", {{"A", "csc"}, {"B", "csc"}}), "B, 2 levels");
  EXPECT_EQ(source("A(i,j) = exp(B(i,j))", {{"A", "csr"}, {"B", "csr"}}), "B, 2 levels");  // A has the fill 1
  EXPECT_EQ(source("A(i,j) = B(i,j)*c(j)", {{"A", "coo_aos"}, {"B", "coo_aos"}}), "B, 2 levels");
  EXPECT_EQ(source("A(i,j) = B(i,j)", {{"A", "csr(decreasing)"}, {"B", "csr(decreasing)"}}), "B, 2 levels");
}

TEST(SharedPattern, IsThatOfTheFirstLevels) {
  EXPECT_EQ(source("A(i,j) = B(i,j,k)*c(k)", {{"A", "dcsr"}, {"B", "csf"}}), "B, 2 levels");
  EXPECT_EQ(source("A(i,j,l) = B(i,j,k)*C(k,l)", {{"A", "dsd"}, {"B", "dss"}}), "B, 2 levels");
  EXPECT_EQ(source("a(i) = B(i,j)*c(j)", {{"a", "s"}, {"B", "dcsr"}}), "B, 1 levels");
  EXPECT_EQ(source("A(i,j) = b(i)*C(i,j)", {{"A", "sd"}, {"b", "s"}}), "b, 1 levels");
}

TEST(SharedPattern, IsNobodysWhereOthersDecideToo) {
  EXPECT_EQ(source("A(i,j) = B(i,j) + C(i,j)", {{"A", "csr"}, {"B", "csr"}, {"C", "csr"}}), "none");
  EXPECT_EQ(source("A(i,j) = B(i,j)*C(i,j)", {{"A", "csr"}, {"B", "csr"}, {"C", "csr"}}), "none");
  EXPECT_EQ(source("A(i,j) = B(i,j)*c(i)", {{"A", "csr"}, {"B", "csr"}, {"c", "s"}}), "none");
  EXPECT_EQ(source("A(i,j) = B(i,j) + c(i)", {{"A", "csr"}, {"B", "csr"}}), "none");
  EXPECT_EQ(source("A(i,j) = B(i,j,k)*c(k)", {{"A", "dcsr"}, {"B", "csf"}, {"c", "s"}}), "none");
  EXPECT_EQ(source("A(i,j) = select(j<i, B(i,j), 0)", {{"A", "csr"}, {"B", "csr"}}), "none");
}

TEST(SharedPattern, IsNobodysWhereLevelsDiffer) {
  EXPECT_EQ(source("A(i,j) = 2*B(i,j)", {{"A", "csr"}, {"B", "dcsr"}}), "none");
  EXPECT_EQ(source("A(i,j) = 2*B(j,i)", {{"A", "csr"}, {"B", "csr"}}), "none");
  EXPECT_EQ(source("A(i,j) = 2*B(i,j)", {{"A", "coo"}, {"B", "coo(nonunique)"}}), "none");
  EXPECT_EQ(source("A(i,j) = 2*B(i,j)", {{"A", "coo(nonunique)"}, {"B", "coo(nonunique)"}}), "none");
  EXPECT_EQ(source("A(i,j) = B(i,j,k)*c(k)", {{"A", "coo"}, {"B", "coo"}}), "none");  // an entry of A for several of B
  EXPECT_EQ(source("A(i,j) = 2*B(i,j)", {{"A", "dok"}, {"B", "dok"}}), "none");
  EXPECT_EQ(source("A(i) = B(i,i)", {{"A", "s"}, {"B", "dcsr"}}), "none");
}

}  // namespace
}  // namespace filigree::concrete
