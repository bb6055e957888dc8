#include "notation/parse.h"

#include <gtest/gtest.h>

#include "tests/notation/from_text.h"

namespace filigree::notation {
namespace {

TEST(Parse, ListsTensorsAndIndicesInOrderOfAppearance) {
  Parsed parsed = parse("A(i,j) = s*B(i,k)*C(k,j) + B(i,j)");
  ASSERT_EQ(parsed.tensors.size(), 4u);
  EXPECT_EQ(parsed.tensors[0].name, "A");
  EXPECT_TRUE(parsed.tensors[0].is_result);
  EXPECT_FALSE(parsed.tensors[0].is_operand);
  EXPECT_EQ(parsed.tensors[1].name, "s");
  EXPECT_EQ(parsed.tensors[1].order, 0);
  EXPECT_EQ(parsed.tensors[2].name, "B");
  EXPECT_EQ(parsed.tensors[2].order, 2);
  EXPECT_TRUE(parsed.tensors[2].is_operand);
  EXPECT_EQ(parsed.tensors[2].span, (Span{11, 12}));
  EXPECT_EQ(parsed.index_names, (std::vector<std::string>{"i", "j", "k"}));
}

TEST(Parse, GivesEveryNodeItsPlace) {
  std::string text = "a(i) = b(i) * (c + 2.5)";
  Statement statement = from_text(text);
  auto written = [&](Span span) { return text.substr(span.begin, span.end - span.begin); };
  EXPECT_EQ(written(statement.lhs_span), "a(i)");
  EXPECT_EQ(written(statement.rhs.span()), "b(i) * (c + 2.5)");
  const Apply& product = *statement.rhs.as<Apply>();
  EXPECT_EQ(written(product.operands[0].span()), "b(i)");
  EXPECT_EQ(written(product.operands[1].span()), "c + 2.5");
  EXPECT_EQ(written(product.operands[1].as<Apply>()->operands[1].span()), "2.5");
}

TEST(Parse, TakesAnyIdentifierForAName) {
  EXPECT_EQ(printed("_(int) = while(int,_1)*__*min"), "_(int) = sum(_1, while(int,_1))*__*min");
  EXPECT_EQ(printed("sum = b(i)"), "sum = sum(i, b(i))");
  EXPECT_EQ(printed("min min= b(i)"), "min min= min_over(i, b(i))");
  EXPECT_EQ(printed("e1(e) = E(e)*1e1"), "e1(e) = E(e)*10");
}

TEST(Parse, ReadsScalarsWithAndWithoutParentheses) { EXPECT_EQ(printed("a() = b()*b + c"), "a = b*b + c"); }

TEST(Parse, FollowsPythonsPrecedenceOfTheOtherOperators) {
  EXPECT_EQ(printed("a = b or c and d xor e"), "a = b or c and d xor e");
  EXPECT_EQ(printed("a = (b or c) and (d xor e)"), "a = (b or c) and (d xor e)");
  EXPECT_EQ(printed("a = not b == c + d"), "a = not b == c + d");
  EXPECT_EQ(printed("a = (not b) == c"), "a = (not b) == c");
  EXPECT_EQ(printed("a = not not b"), "a = not not b");
  EXPECT_EQ(printed("a = (b < c) == (d >= e)"), "a = (b < c) == (d >= e)");
  EXPECT_EQ(printed("a = b - c < d*e"), "a = b - c < d*e");
  EXPECT_EQ(printed("a = -b^c"), "a = -b^c");
  EXPECT_EQ(printed("a = (-b)^c"), "a = (-b)^c");
  EXPECT_EQ(printed("a = b^-c^d"), "a = b^-c^d");
  EXPECT_EQ(printed("a = (b^c)^d"), "a = (b^c)^d");
  EXPECT_EQ(printed("a = b**c*d"), "a = b^c*d");
  EXPECT_EQ(printed("a = b//c%d"), "a = b//c%d");
  EXPECT_EQ(printed("a = b//(c%d)"), "a = b//(c%d)");
  EXPECT_EQ(printed("a = select(b and c, d, min(e, f, g))"), "a = select(b and c, d, min(e, f, g))");
}

TEST(Parse, ReadsReductionsByAnyOperator) {
  EXPECT_EQ(printed("a = reduce(xor, k, b(k) > 0)"), "a = reduce(xor, k, b(k) > 0)");
  EXPECT_EQ(printed("a = reduce(+, k, b(k))"), "a = sum(k, b(k))");
  EXPECT_EQ(printed("a = reduce(or, j, k, B(j,k) == 1)"), "a = any(j, k, B(j,k) == 1)");
  EXPECT_EQ(printed("a = count(k, b(k) > 0)"), "a = sum(k, b(k) > 0)");
  EXPECT_EQ(printed("a = count(k, b(k))"), "a = sum(k, b(k) != 0)");
}

TEST(Parse, KnowsTruth) {
  EXPECT_EQ(printed("a = b == true or false"), "a = b == 1 or false");
  EXPECT_EQ(printed("a = b and 1 < 2"), "a = b and true");
}

TEST(Parse, FollowsPrecedence) {
  EXPECT_EQ(printed("a = b + c*d - e/f"), "a = b + c*d - e/f");
  EXPECT_EQ(printed("a = (b + c)*d - (e/f)"), "a = (b + c)*d - e/f");
  EXPECT_EQ(printed("a = (b - c) - d"), "a = b - c - d");
  EXPECT_EQ(printed("a = b - (c - d)"), "a = b - (c - d)");
  EXPECT_EQ(printed("a = b/(c*d)/e"), "a = b/(c*d)/e");
  EXPECT_EQ(printed("a = b*(c*d)"), "a = b*(c*d)");
  EXPECT_EQ(printed("a = -b*-c--d"), "a = -b*-c - -d");
  EXPECT_EQ(printed("a = -(b*c)"), "a = -(b*c)");
  EXPECT_EQ(printed("a = --b"), "a = --b");
  EXPECT_EQ(printed("a=-b"), "a = -b");
}

TEST(Parse, NestsCallsOfMoreThanTwoOperandsToTheLeft) {
  EXPECT_EQ(printed("a = min(b, c, d)"), "a = min(b, c, d)");
  EXPECT_EQ(printed("a = min(min(b, c), d)"), "a = min(b, c, d)");
  EXPECT_EQ(printed("a = min(b, min(c, d))"), "a = min(b, min(c, d))");
  EXPECT_EQ(printed("a = conj(b)*conj(-(b + c))"), "a = conj(b)*conj(-(b + c))");
  EXPECT_EQ(printed("a = conj(conj(b))"), "a = conj(conj(b))");
  EXPECT_EQ(printed("a = conj(min(b, conj(c), d))"), "a = conj(min(b, conj(c), d))");
  EXPECT_EQ(printed("a = max(b + c, -d)*e"), "a = max(b + c, -d)*e");
}

TEST(Parse, ReadsEveryAssignment) {
  for (const char* op : {"=", "+=", "-=", "*=", "min=", "max="}) {
    std::string text = std::string("a(i) ") + op + " b(i)";
    EXPECT_EQ(printed(text), text);
  }
  EXPECT_EQ(printed("a(i)min =b(i)"), "a(i) min= b(i)");
}

TEST(Parse, IgnoresSpaceAndLineBreaks) {
  EXPECT_EQ(printed("\n a ( i )\t=\r\n B ( i , j )\n * x ( j ) "), "a(i) = sum(j, B(i,j)*x(j))");
}

std::string many(const std::string& part, int count) {
  std::string text;
  for (int n = 0; n < count; n++) text += part;
  return text;
}

TEST(Parse, ReadsDeepAndLongExpressions) {
  EXPECT_EQ(printed("a = " + many("(", 450) + "b" + many(")", 450)), "a = b");
  std::string chain = "a(i) = b(i)" + many(" + b(i)", 2000);
  EXPECT_EQ(printed(chain), chain);
  std::string products = "a(i) = b(i)" + many("*b(i)", 2000);
  EXPECT_EQ(printed(products), products);
  EXPECT_EQ(printed("a = min(b" + many(", b", 2499) + ")"), "a = min(b" + many(", b", 2499) + ")");
  std::string longest = "a = 0.5" + many(" + b", 2499);
  EXPECT_EQ(printed(longest), longest);
  Parsed parsed = parse(longest);
  std::map<std::string, TensorVar> tensors = tensors_of(parsed);
  EXPECT_EQ(resolve(parsed, tensors).rhs, resolve(parsed, tensors).rhs);
}

TEST(Parse, RefusesWhatIsTooDeepForLaterStages) {
  auto message = [](const std::string& text) {
    try {
      parse(text);
    } catch (const UserError& error) {
      EXPECT_EQ(error.hints(), std::vector<std::string>{"compute parts of it into tensors of their own"});
      return error.message();
    }
    return std::string("no error");
  };
  std::string nested = "The expression is nested more than 499 levels deep";
  std::string chained = "The expression chains more than 2499 operators";
  EXPECT_EQ(message("a = " + many("(", 10000) + "b" + many(")", 10000)), nested);
  EXPECT_EQ(message("a = " + many("-", 10000) + "b"), nested);
  EXPECT_EQ(message("a = " + many("min(b,", 10000) + "b" + many(")", 10000)), nested);
  EXPECT_EQ(message("a = b" + many("+b", 10000)), chained);
  EXPECT_EQ(message("a = b" + many("*b", 10000)), chained);
  EXPECT_EQ(message("a = min(b" + many(",b", 10000) + ")"), chained);
  std::string mixed = "b";
  for (int n = 0; n < 400; n++) mixed = "(" + mixed + many("+b", 20) + ")";
  EXPECT_EQ(message("a = " + mixed), chained);
}

TEST(Resolve, MakesOneVariableOfOneName) {
  Statement statement = from_text("a(i) = B(i,j)*c(j) + sum(j, D(i,j))");
  EXPECT_EQ(index_vars(statement).size(), 2u);
  EXPECT_EQ(statement.source->text, "a(i) = B(i,j)*c(j) + sum(j, D(i,j))");
}

}  // namespace
}  // namespace filigree::notation
