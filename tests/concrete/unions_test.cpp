#include "concrete/unions.h"

#include <gtest/gtest.h>

#include "tests/concrete/from_text.h"

namespace filigree::concrete {
namespace {

/// All tensors of the right side are compressed in every level.
notation::Statement sparse(const std::string& text) {
  Formats formats;
  for (const notation::TensorUse& use : notation::parse(text).tensors) {
    if (use.order > 0) formats[use.name] = "sparse";
  }
  return statement(text, formats);
}

int points(const std::string& text) {
  notation::Statement s = sparse(text);
  return union_points(s.rhs, s.lhs.indices.at(0));
}

std::string sum_of(int terms) {
  std::string text = "a(i) = b1(i)";
  for (int n = 2; n <= terms; n++) text += " + b" + std::to_string(n) + "(i)";
  return text;
}

TEST(UnionPoints, CountsTheSetsThatCanMeet) {
  EXPECT_EQ(points("a(i) = b(i)"), 1);
  EXPECT_EQ(points("a(i) = b(i)*c(i)"), 1);
  EXPECT_EQ(points("a(i) = b(i) + c(i)"), 3);
  EXPECT_EQ(points("a(i) = b(i)*c(i) + d(i)"), 3);
  EXPECT_EQ(points("a(i) = (b(i) + c(i))*(d(i) + e(i))"), 9);
  EXPECT_EQ(points("a(i) = b(i) + c(i) + d(i)"), 7);
}

TEST(UnionPoints, LeavesOutOperandsThatAreAlwaysFound) {
  notation::Statement s = statement("a(i) = b(i) + c(i)", {{"b", "sparse"}});
  EXPECT_EQ(union_points(s.rhs, s.lhs.indices[0]), 1);
}

TEST(IsOversized, TakesFourTermsApart) {
  EXPECT_FALSE(is_oversized(sparse(sum_of(3)).rhs, {}));
  EXPECT_TRUE(is_oversized(sparse(sum_of(4)).rhs, {}));
}

TEST(IsOversized, KeepsLongIntersections) {
  EXPECT_FALSE(is_oversized(sparse("a(i) = b(i)*c(i)*d(i)*e(i)*f(i)").rhs, {}));
}

TEST(AdditiveTerms, FlattensChainsWithSigns) {
  std::vector<std::string> texts;
  for (const notation::Expr& term : additive_terms(statement("a(i) = b(i) - (c(i) - d(i)) + e(i)*f(i)").rhs))
    texts.push_back(notation::to_string(term));
  EXPECT_EQ(texts, (std::vector<std::string>{"b(i)", "-c(i)", "--d(i)", "e(i)*f(i)"}));
}

TEST(MarkUnions, LeavesSmallOnesAlone) {
  notation::Expr small = sparse(sum_of(3)).rhs;
  EXPECT_TRUE(mark_unions(small, {}).same_as(small));
}

TEST(Concretize, GrowsGentlyWithTheNumberOfTerms) {
  auto length = [](int terms) { return to_string(concretize(sparse(sum_of(terms))).statement).size(); };
  EXPECT_LT(length(16), 5 * length(4));
}

}  // namespace
}  // namespace filigree::concrete
