#include <gtest/gtest.h>

#include "notation/einsum.h"
#include "support/diagnostic.h"

namespace filigree::notation {
namespace {

std::string error(const std::string& subscripts, const std::vector<std::string>& operands) {
  try {
    from_einsum(subscripts, operands);
  } catch (const UserError& e) {
    return e.text();
  }
  return "no error";
}

TEST(FromEinsum, WritesProducts) {
  EXPECT_EQ(from_einsum("ik,kj->ij", {"B", "C"}), "R(i,j) = B(i,k)*C(k,j)");
  EXPECT_EQ(from_einsum(" i k , k j -> i j ", {"B", "C"}), "R(i,j) = B(i,k)*C(k,j)");
  EXPECT_EQ(from_einsum("ij->", {"B"}, "s"), "s = B(i,j)");
  EXPECT_EQ(from_einsum(",i->i", {"s", "b"}), "R(i) = s*b(i)");
  EXPECT_EQ(from_einsum("->", {"s"}), "R = s");
  EXPECT_EQ(from_einsum("", {"s"}), "R = s");
}

TEST(FromEinsum, FindsTheResultsLabels) {
  EXPECT_EQ(from_einsum("kj,ik", {"C", "B"}), "R(i,j) = C(k,j)*B(i,k)");
  EXPECT_EQ(from_einsum("ii", {"B"}), "R = B(i,i)");
  EXPECT_EQ(from_einsum("ii->i", {"B"}), "R(i) = B(i,i)");
}

TEST(FromEinsum, KeepsLabelsApartFromTensors) { EXPECT_EQ(from_einsum("ij->ji", {"i"}), "R(j,i_) = i(i_,j)"); }

TEST(FromEinsum, PointsAtMistakes) {
  EXPECT_EQ(error("i1->i", {"B"}),
            "error: '1' is no label\n  in subscripts, column 2:\n    i1->i\n     ^\nhint: labels are single letters, "
            "as in ik,kj->ij\n");
  EXPECT_EQ(error("ij->ik", {"B"}),
            "error: No operand has the label 'k'\n  in subscripts, column 6:\n    ij->ik\n         ^\n");
  EXPECT_EQ(error("ij->ii", {"B"}),
            "error: The result has the label 'i' twice\n  in subscripts, column 6:\n    ij->ii\n         ^\n");
  EXPECT_EQ(error("ij,jk->ik", {"B"}),
            "error: There are subscripts for 2 operands, but 1 is given\n  in subscripts, column 1:\n    ij,jk->ik\n   "
            " ^^^^^\n"
            "hint: subscripts are separated by commas, as in ik,kj->ij\n");
  EXPECT_EQ(error("i.->i", {"B"}),
            "error: A dot is no label\n  in subscripts, column 2:\n    i.->i\n     ^\nhint: three dots stand for "
            "dimensions without labels, as in ...ij,...jk->...ik\n");
  EXPECT_EQ(error("ij->i,j", {"B"}),
            "error: There is one result only\n  in subscripts, column 6:\n    ij->i,j\n         ^\nhint: labels after "
            "'->' are the result's, as in ik,kj->ij\n");
}

TEST(FromEinsum, LabelsTheDimensionsOfDots) {
  auto with_orders = [](const std::string& subscripts, const std::vector<std::string>& operands,
                        const std::vector<std::optional<int>>& orders) {
    try {
      return from_einsum(subscripts, operands, "R", orders);
    } catch (const UserError& e) {
      return e.text(Wording::CommandLine);
    }
  };
  EXPECT_EQ(with_orders("...ij,...jk->...ik", {"A", "B"}, {3, 3}), "R(a,i,k) = A(a,i,j)*B(a,j,k)");
  EXPECT_EQ(with_orders("...ij,...jk->...ik", {"A", "B"}, {4, 3}), "R(a,b,i,k) = A(a,b,i,j)*B(b,j,k)");
  EXPECT_EQ(with_orders("...ij,...jk", {"A", "B"}, {2, 3}), "R(a,i,k) = A(i,j)*B(a,j,k)");
  EXPECT_EQ(with_orders("i...->...i", {"A"}, {3}), "R(a,b,i) = A(i,a,b)");
  EXPECT_EQ(with_orders("...,...", {"A", "s"}, {2, 0}), "R(a,b) = A(a,b)*s");
  EXPECT_EQ(with_orders("...ii->...", {"A"}, {2}), "R = A(i,i)");
  EXPECT_EQ(
      with_orders("...i->...", {"A"}, {std::nullopt}),
      "error: '...' stands for the dimensions of 'A' without labels, but how many dimensions 'A' has is not known\n  "
      "in subscripts, column 1:\n    ...i->...\n    ^^^\n"
      "hint: say it with a file, -i A:FILE, with dimensions, as in -d A:10,20,30, or with a format such as -f A:dss\n");
  EXPECT_EQ(
      with_orders("...ij->...", {"A"}, {1}),
      "error: 'A' has 1 dimension, but 2 labels beside '...'\n  in subscripts, column 1:\n    ...ij->...\n    ^^^\n");
  EXPECT_EQ(
      with_orders("...i->i", {"A"}, {2}),
      "error: The result has no '...', but operands have dimensions for it\n  in subscripts, column 5:\n    ...i->i\n  "
      "      ^^^\n"
      "hint: write '...' after '->', or labels for these dimensions: those that the result does not have are summed\n");
  EXPECT_EQ(
      with_orders("i->...i", {"A"}, {1}),
      "error: The result has '...', but no operand has it\n  in subscripts, column 4:\n    i->...i\n       ^^^\n");
  EXPECT_EQ(with_orders("...i...->i", {"A"}, {2}),
            "error: '...' comes twice for one tensor\n  in subscripts, column 5:\n    ...i...->i\n        ^^^\nhint: "
            "once stands for all dimensions without labels\n");
  EXPECT_EQ(with_orders("......->", {"A"}, {2}),
            "error: '...' comes twice for one tensor\n  in subscripts, column 4:\n    ......->\n       ^^^\nhint: once "
            "stands for all dimensions without labels\n");
  EXPECT_EQ(with_orders("....i->i", {"A"}, {2}),
            "error: 4 dots are no label\n  in subscripts, column 1:\n    ....i->i\n    ^^^^\nhint: three dots stand "
            "for dimensions without labels, as in ...ij,...jk->...ik\n");
}

TEST(FromEinsum, RefusesNamesThatMeanSomethingElse) {
  EXPECT_EQ(error("ij->ji", {"sum"}),
            "error: 'sum' is a function and cannot be the name of an operand\n  in operands, column 1:\n    sum\n    "
            "^^^\nhint: give the operand another name\n");
  EXPECT_EQ(error("ij,j->i", {"A", "R"}),
            "error: 'R' is the name of the result and cannot be the name of an operand\n  in operands, column 3:\n    "
            "A R\n      ^\nhint: give the operand another name\n");
  EXPECT_EQ(error("i->i", {"inf"}),
            "error: 'inf' is a word of index notation and cannot be the name of an operand\n  in operands, column 1:\n "
            "   inf\n    ^^^\nhint: give the operand another name\n");
  EXPECT_EQ(from_einsum("i->i", {"R"}, "y"), "y(i) = R(i)");
}

}  // namespace
}  // namespace filigree::notation
