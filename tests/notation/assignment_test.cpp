#include "notation/assignment.h"

#include <gtest/gtest.h>

#include "tests/notation/from_text.h"

namespace filigree::notation {
namespace {

std::string plain(const std::string& text) { return to_string(as_assignment(from_text(text))); }
std::string updated(const std::string& text, const Types& types = {}) {
  return to_string(with_old_value(from_text(text, types)));
}

TEST(AsAssignment, StartsAtTheIdentity) {
  EXPECT_EQ(plain("a(i) += B(i,j)"), "a(i) = sum(j, B(i,j))");
  EXPECT_EQ(plain("a(i) -= B(i,j)"), "a(i) = -sum(j, B(i,j))");
  EXPECT_EQ(plain("a(i) *= B(i,j)"), "a(i) = prod(j, B(i,j))");
  EXPECT_EQ(plain("a(i) /= B(i,j)"), "a(i) = 1/prod(j, B(i,j))");
  EXPECT_EQ(plain("a(i) max= B(i,j)"), "a(i) = max_over(j, B(i,j))");
  EXPECT_EQ(plain("a(i) or= B(i,j)"), "a(i) = any(j, B(i,j) != 0)");
}

TEST(AsAssignment, MakesTheIdentityTheFillOfWhatHasNone) {
  EXPECT_EQ(to_string(as_assignment(from_text("a(i) min= b(i)")).lhs.tensor.fill()), "inf");
  EXPECT_EQ(to_string(as_assignment(from_text("a(i) += b(i)")).lhs.tensor.fill()), "0");
}

TEST(AsAssignment, KeepsAnOldValueThatIsRead) {
  EXPECT_EQ(plain("a(i) += a(i)*b(i)"), "a(i) = a(i) + a(i)*b(i)");
  EXPECT_EQ(plain("a(i) = a(i)*b(i)"), "a(i) = a(i)*b(i)");
}

TEST(WithOldValue, CombinesTheLeftSide) {
  EXPECT_EQ(updated("a(i) += B(i,j)"), "a(i) = a(i) + sum(j, B(i,j))");
  EXPECT_EQ(updated("a(i) -= b(i) - c(i)"), "a(i) = a(i) - (b(i) - c(i))");
  EXPECT_EQ(updated("a(i) min= b(i)"), "a(i) = min(a(i), b(i))");
  EXPECT_EQ(updated("a(i) and= b(i) > 0"), "a(i) = a(i) and b(i) > 0");
  EXPECT_EQ(updated("a(i) = b(i)"), "a(i) = b(i)");
}

TEST(WithOldValue, LeavesPartsToPrograms) { EXPECT_THROW(with_old_value(from_text("A(0,j) += b(j)")), UserError); }

TEST(WithOldValue, GivesANumberTheTensorsType) {
  Statement statement = with_old_value(from_text("a(i) += 1", {{"a", ElementType::Float32}}));
  EXPECT_EQ(statement.rhs.type(), ElementType::Float32);
}

TEST(WithOldTensor, NamesWhatIsReadApart) {
  EXPECT_EQ(to_string(with_old_tensor(from_text("A(i,j) = A(j,i) + A_old(i,j)")).statement),
            "A(i,j) = A_old2(j,i) + A_old(i,j)");
  Statement statement = from_text("a(i) = b(i)");
  EXPECT_TRUE(with_old_tensor(statement).statement.rhs.same_as(statement.rhs));
}

}  // namespace
}  // namespace filigree::notation
