#include "notation/notation.h"

#include <gtest/gtest.h>

#include "tests/notation/from_text.h"

namespace filigree::notation {
namespace {

constexpr ElementType Float64 = ElementType::Float64;

std::string names(const std::vector<IndexVar>& vars) {
  std::string text;
  for (const IndexVar& var : vars) text += var.name();
  return text;
}

TEST(Expr, ComparesStructureAndIgnoresPlaces) {
  TensorVar b("b", Float64, Format::dense(1));
  IndexVar i("i"), other("i");
  Expr one(Access{b, {i}}, Span{0, 4}), same(Access{b, {i}}, Span{7, 11}), different(Access{b, {other}});
  EXPECT_EQ(one, same);
  EXPECT_FALSE(one.same_as(same));
  EXPECT_FALSE(one == different);
  EXPECT_EQ(Expr(Apply{Operator::Add, {one, same}}), Expr(Apply{Operator::Add, {same, one}}));
  EXPECT_FALSE(Expr(Apply{Operator::Add, {one, same}}) == Expr(Apply{Operator::Multiply, {one, same}}));
  EXPECT_FALSE(Expr(Literal{Scalar(Float64)}) == Expr(Literal{Scalar(Float64), true}));
}

TEST(TypeOf, ReductionsKeepTheBodysTypeExceptOfBools) {
  auto type = [](const char* text, ElementType b) { return from_text(text, {{"b", b}}).rhs.type(); };
  EXPECT_EQ(type("a = b(i)", ElementType::Bool), ElementType::Int64);
  EXPECT_EQ(type("a *= b(i)", ElementType::Bool), ElementType::Int64);
  EXPECT_EQ(type("a max= b(i)", ElementType::Bool), ElementType::Bool);
  EXPECT_EQ(type("a = b(i)", ElementType::Int8), ElementType::Int8);
  EXPECT_EQ(type("a = b(i)", ElementType::Float32), ElementType::Float32);
}

TEST(TypeOf, OperandsPromoteAsInNumPy) {
  auto type = [](ElementType b, ElementType c) {
    return from_text("a(i) = b(i) + c(i)", {{"b", b}, {"c", c}}).rhs.type();
  };
  EXPECT_EQ(type(ElementType::Int32, ElementType::UInt32), ElementType::Int64);
  EXPECT_EQ(type(ElementType::Int64, ElementType::Float32), Float64);
  EXPECT_EQ(type(ElementType::Complex64, Float64), ElementType::Complex128);
}

TEST(ForEach, VisitsParentsFirst) {
  std::vector<std::string> visited;
  for_each(from_text("a(i) = b(i) + 2*c(i)").rhs, [&](const Expr& e) { visited.push_back(to_string(e)); });
  EXPECT_EQ(visited, (std::vector<std::string>{"b(i) + 2*c(i)", "b(i)", "2*c(i)", "2.0", "c(i)"}));
}

TEST(MapChildren, ReturnsTheSameHandleIfNothingChanged) {
  for (const char* text : {"a = 2", "a = b", "a = b + c", "a = sum(i, b(i))"}) {
    Expr expr = from_text(text).rhs;
    EXPECT_TRUE(map_children(expr, [](const Expr& e) { return e; }).same_as(expr)) << text;
  }
}

TEST(MapChildren, ReplacesChildrenOnly) {
  Expr two = Literal{Scalar::of(Float64, 2.)};
  auto replace = [&](const Expr&) { return two; };
  EXPECT_EQ(to_string(map_children(from_text("a = b*c").rhs, replace)), "2.0*2.0");
  EXPECT_EQ(to_string(map_children(from_text("a = sum(i, b(i))").rhs, replace)), "sum(i, 2.0)");
  EXPECT_EQ(to_string(map_children(from_text("a = b").rhs, replace)), "b");
}

TEST(Questions, AccessesKeepRepetitionsAndOrder) {
  std::vector<Access> found = accesses(from_text("a(i) = b(i)*C(i,j) + b(i)").rhs);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(to_string(found[1]), "C(i,j)");
  EXPECT_EQ(found[0], found[2]);
}

TEST(Questions, IndexVariablesComeInTheOrderOfTheirUses) {
  Statement statement = from_text("a(i) = sum(k, j, B(i,j,k)) + c(l)");
  EXPECT_EQ(names(index_vars(statement.rhs)), "ijkl");
  EXPECT_EQ(names(free_vars(statement.rhs)), "i");
  EXPECT_EQ(names(index_vars(from_text("a(m) = sum(k, b(n)*c(k))"))), "mnk");
  EXPECT_EQ(names(free_vars(statement.rhs.as<Apply>()->operands[0].as<Reduce>()->body)), "ijk");
}

TEST(ToString, TellsVariablesOfOneNameApart) {
  IndexVar i("i"), other("i"), third("i_1");
  TensorVar b("b", Float64, Format::dense(3)), twin("b", Float64, Format::dense(1));
  EXPECT_EQ(to_string(Expr(Apply{Operator::Add, {Access{b, {i, third, other}}, Access{twin, {other}}}})),
            "b(i,i_1,i_2) + b_1(i_2)");
}

TEST(ToString, ShowsFillsAsLiteralsAreWritten) {
  double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(to_string(Expr(Literal{Scalar::of(Float64, infinity), true})), "inf");
  EXPECT_EQ(to_string(Expr(Literal{Scalar::boolean(true), true})), "true");
}

TEST(TensorVar, HasFillOfItsOwnType) {
  TensorVar plain("b", ElementType::Float32, Format::dense(1));
  EXPECT_EQ(plain.fill(), Scalar(ElementType::Float32));
  TensorVar filled("b", ElementType::Float32, Format::dense(1), Scalar::of(Float64, 0.1));
  EXPECT_EQ(filled.fill(), Scalar::of(ElementType::Float32, 0.1));
  EXPECT_FALSE(plain == filled);
  EXPECT_EQ(plain, TensorVar(plain));
  EXPECT_EQ(plain.order(), 1);
}

}  // namespace
}  // namespace filigree::notation
