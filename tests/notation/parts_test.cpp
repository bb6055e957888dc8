#include "notation/parts.h"

#include <gtest/gtest.h>

#include "notation/parse.h"

namespace filigree::notation {
namespace {

/// The right sides of both texts, over the same tensors and variables; `whole` and `part` are statements.
std::pair<Expr, Expr> expressions(const std::string& whole, const std::string& part) {
  Parsed all = parse(whole), some = parse(part);
  std::map<std::string, TensorVar> tensors;
  std::map<std::string, IndexVar> indices;
  for (const TensorUse& use : all.tensors)
    tensors.emplace(use.name, TensorVar(use.name, use.name == "n" ? ElementType::Int8 : ElementType::Float64,
                                        Format::dense(use.order)));
  for (const std::string& name : all.index_names) indices.emplace(name, IndexVar(name));
  for (const TensorUse& use : some.tensors)
    tensors.emplace(use.name, TensorVar(use.name, ElementType::Float64, Format::dense(use.order)));
  return {resolve_as_written(all, tensors, indices).rhs, resolve_as_written(some, tensors, indices).rhs};
}

/// The expression with the part in f(...).
std::string marked(const std::string& whole, const std::string& part) {
  auto [all, some] = expressions("_ = " + whole, "_ = " + part);
  std::optional<Expr> changed =
      with_part(all, some, [](const Expr& found) { return Expr(Apply{Operator::Sqrt, {found}}); });
  return changed ? to_string(*changed) : "none";
}

TEST(WithPart, FindsSubexpressions) {
  EXPECT_EQ(marked("a(i) + b(i)*c(i)", "b(i)*c(i)"), "a(i) + sqrt(b(i)*c(i))");
  EXPECT_EQ(marked("exp(a(i) - 2)", "a(i) - 2"), "exp(sqrt(a(i) - 2))");
  EXPECT_EQ(marked("sum(k, B(i,k)*c(k))", "sum(k, c(k)*B(i,k))"), "sqrt(sum(k, B(i,k)*c(k)))");
}

TEST(WithPart, TakesOperandsInAnyOrder) {
  EXPECT_EQ(marked("a(i)*b(i)*c(i)*d(i)", "d(i)*b(i)"), "sqrt(b(i)*d(i))*a(i)*c(i)");
  EXPECT_EQ(marked("a(i) + b(i) + c(i)", "c(i) + a(i)"), "sqrt(a(i) + c(i)) + b(i)");
  EXPECT_EQ(marked("a(i)*(b(i)*c(i))", "a(i)*c(i)"), "sqrt(a(i)*c(i))*b(i)");
}

TEST(WithPart, KeepsSigns) {
  EXPECT_EQ(marked("a(i) - b(i) - c(i)", "a(i) - c(i)"), "sqrt(a(i) - c(i)) - b(i)");
  EXPECT_EQ(marked("a(i) - b(i)", "a(i) + b(i)"), "none");
}

TEST(WithPart, TakesEachOperandOnce) {
  EXPECT_EQ(marked("a(i)*b(i)", "a(i)*a(i)"), "none");
  EXPECT_EQ(marked("a(i)*b(i)*a(i)", "a(i)*a(i)"), "sqrt(a(i)*a(i))*b(i)");
}

TEST(WithPart, IsAboutNamesAndIndices) {
  EXPECT_EQ(marked("B(i,j)*B(j,i)", "B(j,i)"), "B(i,j)*sqrt(B(j,i))");
  EXPECT_EQ(marked("a(i)*b(i+1)", "b(i+1)"), "a(i)*sqrt(b(i+1))");
  EXPECT_EQ(marked("a(i)*b(i)", "c(i)"), "none");
}

TEST(PartTexts, ListsWhatAPersonMayMean) {
  auto [all, some] = expressions("_ = sum(k, B(i,k)*c(k)) + 2", "_ = 1");
  EXPECT_EQ(part_texts(all), (std::vector<std::string>{"sum(k, B(i,k)*c(k)) + 2", "sum(k, B(i,k)*c(k))", "B(i,k)*c(k)",
                                                       "B(i,k)", "c(k)"}));
}

}  // namespace
}  // namespace filigree::notation
