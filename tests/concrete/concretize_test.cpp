#include "concrete/concretize.h"

#include <gtest/gtest.h>

#include "concrete/verify.h"
#include "tests/concrete/from_text.h"

namespace filigree::concrete {
namespace {

TEST(Concretize, TurnsASumIntoLoops) {
  EXPECT_EQ(loops("A(i,j) = B(i,k)*C(k,j)", {{"B", "csr"}, {"C", "csr"}}),
            "forall(i, forall(k, forall(j, A(i,j) += B(i,k)*C(k,j))))");
}

TEST(Concretize, KeepsAnInnermostSumInAScalar) {
  EXPECT_EQ(loops("a(i) = B(i,j)*c(j) + d(i)", {{"B", "csr"}}),
            "forall(i, where(a(i) = t + d(i), forall(j, t += B(i,j)*c(j))))");
}

TEST(Concretize, GivesOtherSumsAWorkspace) {
  EXPECT_EQ(loops("a(i) = B(j,i)*c(j) + d(i)", {{"B", "csr"}}),
            "where(forall(i, a(i) = w(i) + d(i)), forall(j, forall(i, w(i) += B(j,i)*c(j))))");
}

TEST(Concretize, ReformatsOncePerOrder) {
  Program p = concretized("A(i,j) = B(i,j)*C(j,i) + C(j,i)", {{"B", "csr"}, {"C", "csr"}});
  EXPECT_EQ(p.environment.remarks.size(), 1u);
  EXPECT_EQ(p.operands.size(), 2u);  // the copy is no operand
}

TEST(Concretize, NamesTemporariesApartFromTensors) {
  std::string text = loops("w(i) = t(j,i)*c(j) + d(i)", {{"t", "csr"}});
  EXPECT_EQ(text, "where(forall(i, w(i) = w2(i) + d(i)), forall(j, forall(i, w2(i) += t(j,i)*c(j))))");
}

TEST(Concretize, FindsTheFillOfTheResult) {
  auto fill = [](const std::string& text, const Formats& formats) {
    return filigree::to_string(concretized(text, formats).results[0].fill());
  };
  EXPECT_EQ(fill("a(i) = b(i)", {{"b", "sparse"}}), "0");
  EXPECT_EQ(fill("a(i) = b(i) + 2", {{"b", "sparse"}}), "2");
  EXPECT_EQ(fill("a(i) = max(b(i), c(i)) - 3", {{"b", "sparse"}, {"c", "sparse"}}), "-3");
  EXPECT_EQ(fill("a(i) *= b(i)", {{"b", "sparse"}}), "1");
  EXPECT_EQ(fill("a(i) min= b(i)", {{"b", "sparse"}}), "inf");
}

TEST(Concretize, TakesSubtractionAsAddingTheNegative) {
  EXPECT_EQ(loops("a(i) -= b(i)", {{"b", "sparse"}}), "forall(i, a(i) = -b(i))");
}

TEST(Concretize, KnowsWhereEveryExtentComesFrom) {
  Program p = concretized("A(i,j) = b(i)", {});
  ASSERT_EQ(p.environment.extents.size(), 2u);
  for (const auto& [var, extent] : p.environment.extents) {
    const OfDimension* source = std::get_if<OfDimension>(&extent);
    ASSERT_TRUE(source);
    EXPECT_EQ(source->tensor.name(), var.name() == "i" ? "b" : "A");
    EXPECT_EQ(source->dimension, var.name() == "i" ? 0 : 1);
  }
}

TEST(Concretize, PassesTheVerifierForAllMixesOfFormats) {
  for (const char* text : {"A(i,j) = B(i,k)*C(k,j)", "A(i,j) = B(i,j) + C(j,i)", "A(i,j) = (B(i,k) + C(i,k))*C(k,j)"}) {
    for (const char* a : {"dense", "csr", "csc", "dcsr"}) {
      for (const char* b : {"dense", "csr", "csc", "dcsc", "sd"}) {
        for (const char* c : {"dense", "csr", "csc", "sd:1,0"})
          EXPECT_NO_THROW(verify(concretized(text, {{"A", a}, {"B", b}, {"C", c}}), "test"));
      }
    }
  }
}

}  // namespace
}  // namespace filigree::concrete
