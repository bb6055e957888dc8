#include "autoschedule/statement.h"

#include <gtest/gtest.h>

#include "autoschedule/canonical.h"
#include "support/diagnostic.h"

namespace filigree::autoschedule {
namespace {

const char* const gustavson =
    "forall(i, where(forall(j, A(a(i),a(j)) = w(s(j))), forall(k, forall(j, w(i(j)) += B(s(i),s(k)) * "
    "C(l(k),s(j))))))";

TEST(Statements, PrintWhatTheyAreParsedFrom) {
  for (const char* text : {gustavson, "forall(i, y(a(i)) = max(x(s(i)), z(l(i)), 2) - (b(l(i)) - c(l(i))))",
                           "s += 2 * x", "forall(i, y(i(i)) min= - x(s(i)) + exp(z(l(i)))) ",
                           "y = (a + b) * c / (d * e)", "y = a and not b or c", "y = a ^ -2"}) {
    std::string printed = to_string(parse(text));
    EXPECT_EQ(to_string(parse(printed)), printed);
    EXPECT_EQ(parse(printed), parse(text)) << text;
  }
  EXPECT_EQ(to_string(parse(gustavson)), gustavson);
}

TEST(Statements, NumbersKeepTheirTypes) {
  for (const char* text : {"y = uint8(3) * b", "y = int8(-3) + float32(0.5) * b", "y = true or not b", "y = 2.0 * b"})
    EXPECT_EQ(to_string(parse(text)), text);
  Stmt stmt = parse("y = uint8(3) * b");
  EXPECT_EQ(target(stmt).rhs.as<Apply>()->operands[0].as<Number>()->value.type(), ElementType::UInt8);
  EXPECT_EQ(target(parse("y = float32(s(i)) + 1")).rhs.as<Apply>()->operands[0].as<Access>()->tensor, "float32");
}

TEST(Statements, ChainsOfAnAssociativeOperatorAreFlat) {
  Stmt stmt = parse("y = a * b * c * (d * e)");
  EXPECT_EQ(target(stmt).rhs.as<Apply>()->operands.size(), 4u);
  EXPECT_EQ(to_string(stmt), "y = a * b * c * (d * e)");
  EXPECT_EQ(to_string(sorted(target(parse("y = c * (b * a)")).rhs)), "a * b * c");
}

TEST(Statements, KnowTheirDepthAndTemporaries) {
  Stmt stmt = parse(gustavson);
  EXPECT_EQ(depth(stmt), 3);
  EXPECT_EQ(workspaces(stmt), std::vector<std::string>{"w"});
  EXPECT_EQ(result(stmt), "A");
  EXPECT_EQ(indices_of(stmt), (std::set<std::string>{"i", "j", "k"}));
}

TEST(Statements, ThatMeanNothingAreRefused) {
  auto message = [](const std::string& text) {
    try {
      parse(text);
      return std::string("accepted");
    } catch (const UserError& error) {
      return error.message();
    }
  };
  EXPECT_EQ(message("forall(i, y(s(i)) = x(s(i)))"), "'s' is no protocol of a tensor that is written");
  EXPECT_EQ(message("forall(i, y(a(i)) = x(a(i)))"), "'a' is no protocol of a tensor that is read");
  EXPECT_EQ(message("forall(i y(a(i)) = 1)"), "',' should stand here");
  EXPECT_EQ(message("y = 1 2"), "Something is left over after the statement");

  EXPECT_EQ(message("y foo= 1"), "'foo=' is no assignment");
  EXPECT_EQ(message("y = exp(1, 2)"), "'exp' takes 1 operands");
  EXPECT_EQ(message("y = " + std::string(1000, '(')), "This is nested too deeply");
}

TEST(Canonical, ForgetsNamesAndTheOrderOfOperands) {
  Stmt a = parse("forall(k, forall(j, y(i(j)) += x(l(k)) * A(s(j),s(k))))");
  Stmt b = parse("forall(p, forall(q, y(i(q)) += A(s(q),s(p)) * x(l(p))))");
  EXPECT_EQ(canonical_text(a), canonical_text(b));
  EXPECT_EQ(canonical_text(a), "forall(i1, forall(i2, y(i(i2)) += A(s(i2),s(i1)) * x(l(i1))))");
  Stmt swapped = parse("forall(q, forall(p, y(i(q)) += A(s(q),s(p)) * x(l(p))))");
  EXPECT_NE(canonical_text(a), canonical_text(swapped));
  Stmt located = parse("forall(p, forall(q, y(i(q)) += A(s(q),l(p)) * x(l(p))))");
  EXPECT_NE(canonical_text(a), canonical_text(located));
}

TEST(Canonical, ForgetsNamesAndDimensionsOfTemporaries) {
  Stmt a = parse(
      "where(forall(i, forall(j, A(a(i),a(j)) = t(s(i),l(j)))), forall(i, forall(j, t(a(i),a(j)) = "
      "B(s(i),s(j)))))");
  Stmt b = parse(
      "where(forall(i, forall(j, A(a(i),a(j)) = u(l(j),s(i)))), forall(p, forall(q, u(a(q),a(p)) = "
      "B(s(p),s(q)))))");
  EXPECT_EQ(canonical_text(a), canonical_text(b));
}

}  // namespace
}  // namespace filigree::autoschedule
