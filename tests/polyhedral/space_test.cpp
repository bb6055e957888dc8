// Iteration spaces follow from the relations of operands.
#include <gtest/gtest.h>

#include "notation/parse.h"
#include "polyhedral/solver.h"
#include "polyhedral/space.h"

namespace filigree::polyhedral {
namespace {

std::vector<std::string> spaces(const std::string& text, const std::map<std::string, std::string>& formats) {
  notation::Parsed parsed = notation::parse(text);
  std::map<std::string, TensorVar> vars;
  for (const notation::TensorUse& use : parsed.tensors) {
    auto given = formats.find(use.name);
    Format format = given == formats.end() ? Format::dense(use.order) : parse_format(given->second, use.order);
    vars.emplace(use.name, TensorVar(use.name, ElementType::Float64, format));
  }
  std::vector<std::string> out;
  for (const Space& space : spaces_of(notation::resolve(parsed, vars))) out.push_back(to_string(space));
  return out;
}

TEST(SpacesOf, IntersectsProductsAndSplitsSums) {
  if (!is_built_with_solver()) GTEST_SKIP() << "built without isl";
  using Texts = std::vector<std::string>;
  EXPECT_EQ(
      spaces("y(i) = A(i,j)*x(j)", {{"A", "csr"}}),
      Texts{"A(i,j) * x(j): { [i, j, A_c1 = i, A_p2, x_c1 = j] : 0 <= i < n_i and 0 <= j < n_j and A_pos2(A_c1) <= "
            "A_p2 and A_pos2(A_c1 + 1) > A_p2 and A_crd2(A_p2) = j }"});
  EXPECT_EQ(
      spaces("s = a(i)*b(i) + c(i)", {{"a", "sparse"}, {"b", "sparse"}}),
      (Texts{"a(i) * b(i): { [i, a_p1, b_p1] : 0 <= i < n_i and a_pos1(0) <= a_p1 and a_pos1(1) > a_p1 and b_pos1(0) "
             "<= b_p1 and b_pos1(1) > b_p1 and a_crd1(a_p1) = i and b_crd1(b_p1) = i }",
             "c(i): { [i, c_c1 = i] : 0 <= i < n_i }"}));
  // Which rows a block can have follows from the block, and that columns end at the diagonal from the triangle.
  std::string block = spaces("s = A(i,j)*B(i,j)", {{"A", "lower"}, {"B", "bcsr(2,2)"}}).front();
  EXPECT_NE(block.find("0 <= j <= i"), std::string::npos) << block;
  EXPECT_NE(block.find("-1 + i <= 2B_c1 <= i"), std::string::npos) << block;
}

}  // namespace
}  // namespace filigree::polyhedral
