#include "concrete/share_loops.h"

#include <gtest/gtest.h>

#include "tests/concrete/from_text.h"

namespace filigree::concrete {
namespace {

/// The loops of two statements together, or "apart"; tensors with one name are one.
std::string shared(const std::string& first, const std::string& second, const Formats& formats = {}) {
  std::map<std::string, TensorVar> tensors;
  std::vector<Program> programs;
  for (const std::string& text : {first, second}) {
    notation::Parsed parsed = notation::parse(text);
    for (const auto& [name, tensor] : tensors_of(parsed, formats)) tensors.emplace(name, tensor);
    programs.push_back(concretize(notation::resolve(parsed, tensors)));
  }
  std::optional<Program> both = share_loops(programs[0], programs[1]);
  if (!both) return "apart";
  EXPECT_EQ(both->results.size(), 2u);
  return to_string(both->statement);
}

const Formats sparse = {{"A", "csr"}, {"B", "csr"}, {"v", "sparse"}, {"C", "csr"}};

TEST(ShareLoops, NamesVariablesAsTheFirstDoes) {
  EXPECT_EQ(shared("y(i) = A(i,j)*x(j)", "z(l) = A(k,l)*w(k)", sparse),
            "forall(i, forall(j, multi(y(i) += A(i,j)*x(j); z(j) += A(i,j)*w(i))))");
  EXPECT_EQ(shared("s = v(i)*a(i)", "t = v(j)*v(j)", sparse), "forall(i, multi(s += v(i)*a(i); t += v(i)*v(i)))");
}

TEST(ShareLoops, WantsTheSameWalks) {
  EXPECT_EQ(shared("y(i) = A(i,j)*x(j)", "z(i) = B(i,j)*x(j)", sparse), "apart");
  EXPECT_EQ(shared("y(i) = A(i,j)*x(j)", "z(i) = A(i,j)*v(j)", sparse), "apart");
  EXPECT_EQ(shared("y(i) = A(i,j)*x(j)", "s = v(i)", sparse), "apart");
  EXPECT_EQ(shared("y(i) = A(i,j)*x(j)", "z(i) = A(j,i)*x(j)", {{"A", "dcsr"}, {"z", "dense"}}),
            "forall(i, forall(j, multi(y(i) += A(i,j)*x(j); z(j) += A(i,j)*x(i))))");
}

TEST(ShareLoops, WantsOneExtentForEveryLoop) {
  EXPECT_EQ(shared("y(i) = a(i)", "z(i) = b(i)"), "apart");  // a may be longer than b
  EXPECT_EQ(shared("y(i) = a(i)*c(i)", "z(i) = b(i)*c(i)"), "forall(i, multi(y(i) = a(i)*c(i); z(i) = b(i)*c(i)))");
}

TEST(ShareLoops, WantsResultsThatTakeAnyOrder) {
  EXPECT_EQ(shared("C(i,j) = 2*A(i,j)", "y(i) = A(i,j)*x(j)", sparse), "apart");
  EXPECT_EQ(shared("y(i) = v(i) + 1", "z(i) = v(i)*x(i)", sparse),
            "apart");  // where v is absent there is something to do
}

}  // namespace
}  // namespace filigree::concrete
