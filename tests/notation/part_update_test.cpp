#include "notation/part_update.h"

#include <gtest/gtest.h>

#include "notation/program.h"
#include "tests/notation/from_text.h"

namespace filigree::notation {
namespace {

std::string steps(const std::string& text, const Types& types = {}, const std::vector<std::string>& used = {}) {
  FreshNames names;
  for (const std::string& name : used) names.use(name);
  return to_string(with_old_values(from_text(text, types), names));
}

TEST(PartUpdate, PutsTermsIntoATensorOfTheirOwn) {
  EXPECT_EQ(steps("A(0,j) += b(j)"), "A_part(0,j) = b(j); A(i,j) = A(i,j) + A_part(i,j)");
  EXPECT_EQ(steps("A(i(0,2),j) -= B(i,j)", {}, {"i", "j"}),
            "A_part(i(0,2),j) = B(i,j); A(i2,j) = A(i2,j) - A_part(i2,j)");
  EXPECT_EQ(steps("a(3) max= B(k,l)"), "a_part(3) = max_over(k, l, B(k,l)); a(i) = max(a(i), a_part(i))");
}

TEST(PartUpdate, CombinesTermsForOneComponent) {
  EXPECT_EQ(steps("a(i+k) -= b(i)*c(k)", {}, {"i", "k"}), "a_part(i+k) += b(i)*c(k); a(i2) = a(i2) - a_part(i2)");
  EXPECT_EQ(steps("a(i({1,1})) *= b(i)", {}, {"i"}), "a_part(i({1,1})) *= b(i); a(i2) = a(i2)*a_part(i2)");
}

TEST(PartUpdate, LeavesWholeTensorsToOneStatement) {
  EXPECT_EQ(steps("A(i,j) += B(i,j)"), "A(i,j) = A(i,j) + B(i,j)");
  EXPECT_EQ(steps("A(0,j) = b(j)"), "A(0,j) = b(j)");
}

TEST(PartUpdate, KeepsNamesApart) {
  EXPECT_EQ(steps("A(0,j) += A_part(j)", {}, {"A", "A_part", "j"}),
            "A_part2(0,j) = A_part(j); A(i,j) = A(i,j) + A_part2(i,j)");
}

TEST(PartUpdate, HoldsWhatChangesNothingOutside) {
  FreshNames names;
  for (const auto& [text, fill] :
       {std::pair("A(0,j) += b(j)", "0"), std::pair("A(0,j) /= b(j)", "1"), std::pair("A(0,j) min= b(j)", "inf")}) {
    EXPECT_EQ(to_string(made_by(with_old_values(from_text(text), names)[0]).fill()), fill) << text;
  }
}

TEST(PartUpdate, GivesANumberTheTensorsType) {
  FreshNames names;
  EXPECT_EQ(with_old_values(from_text("A(0,j) += 1", {{"A", ElementType::Float32}}), names)[0].rhs.type(),
            ElementType::Float32);
}

TEST(PartUpdate, RefusesTypesInWhichTheRestWouldNotKeepItsValue) {
  for (const auto& [text, type] :
       {std::pair("A(0,j) += b(j)", ElementType::Int64), std::pair("A(0,j) += b(j)", ElementType::UInt64),
        std::pair("A(0,j) or= b(j)", ElementType::Float64)}) {
    EXPECT_THROW(steps(text, {{"A", type}}), UserError) << text;
  }
  EXPECT_NO_THROW(steps("A(0,j) += b(j)", {{"A", ElementType::Int32}}));
  EXPECT_NO_THROW(steps("A(0,j) or= b(j)", {{"A", ElementType::Bool}}));
}

}  // namespace
}  // namespace filigree::notation
