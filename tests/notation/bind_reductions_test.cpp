#include "notation/bind_reductions.h"

#include <fstream>
#include <regex>

#include <gtest/gtest.h>

#include "tests/notation/from_text.h"

namespace filigree::notation {
namespace {

struct Rule {
  const char* text;
  const char* bound;
};

class BindReductions : public testing::TestWithParam<Rule> {};

TEST_P(BindReductions, FollowsTheSummationRule) {
  EXPECT_EQ(printed(GetParam().text), GetParam().bound);
  EXPECT_EQ(printed(GetParam().bound), GetParam().bound);
}

INSTANTIATE_TEST_SUITE_P(
    Sums, BindReductions,
    testing::Values(Rule{"y(i) = A(i,j)*x(j)", "y(i) = sum(j, A(i,j)*x(j))"},
                    Rule{"A(i,j) = B(i,k)*C(k,j)", "A(i,j) = sum(k, B(i,k)*C(k,j))"},
                    Rule{"a(i) = b(i)", "a(i) = b(i)"}, Rule{"A(i,j) = b(i)", "A(i,j) = b(i)"},
                    Rule{"a = B(i,j)", "a = sum(i, j, B(i,j))"},
                    Rule{"a(i) = b(i) + C(i,j)*d(j) + 0", "a(i) = b(i) + sum(j, C(i,j)*d(j)) + 0"},
                    Rule{"a(i) = b(i) + C(i,j)*d(j) + E(i,j)", "a(i) = b(i) + sum(j, C(i,j)*d(j)) + sum(j, E(i,j))"},
                    Rule{"a(i) = b(i) - C(i,j) - D(i,k)", "a(i) = b(i) - sum(j, C(i,j)) - sum(k, D(i,k))"},
                    Rule{"a(i) = B(i,j) + (C(i,j) + d(j))", "a(i) = sum(j, B(i,j)) + (sum(j, C(i,j)) + sum(j, d(j)))"},
                    Rule{"A(i) = M(i,k) * (I(i,j)*W(j,k) + b(k))",
                         "A(i) = sum(k, M(i,k)*(sum(j, I(i,j)*W(j,k)) + b(k)))"},
                    Rule{"A(i,k) = M(i,k) * (I(i,j)*W(j,k) + b(k))", "A(i,k) = M(i,k)*(sum(j, I(i,j)*W(j,k)) + b(k))"},
                    Rule{"A(i,j) = B(i,j)*C(i,k)*D(k,j)", "A(i,j) = sum(k, B(i,j)*C(i,k)*D(k,j))"},
                    Rule{"A(i,j) = C(i,k)*D(k,j)*B(i,j)", "A(i,j) = sum(k, C(i,k)*D(k,j))*B(i,j)"},
                    Rule{"A(i,j) = B(i,j)*(C(i,k)*D(k,j))", "A(i,j) = B(i,j)*sum(k, C(i,k)*D(k,j))"},
                    Rule{"A(i,j) = B(i,k,l)*C(k,j)*D(l,j)", "A(i,j) = sum(l, sum(k, B(i,k,l)*C(k,j))*D(l,j))"},
                    Rule{"A(i,j) = B(i,k,l)*D(l,j)*C(k,j)", "A(i,j) = sum(k, sum(l, B(i,k,l)*D(l,j))*C(k,j))"},
                    Rule{"a = b(i)*C(j,i)*d(j)", "a = sum(j, sum(i, b(i)*C(j,i))*d(j))"},
                    Rule{"a = B(k,j)*C(j,k)", "a = sum(k, j, B(k,j)*C(j,k))"},
                    Rule{"a(i) = b(i)*C(i,j)", "a(i) = b(i)*sum(j, C(i,j))"}));

INSTANTIATE_TEST_SUITE_P(
    SignsAndCalls, BindReductions,
    testing::Values(Rule{"a(i) = -B(i,j)*c(j)", "a(i) = sum(j, -B(i,j)*c(j))"},
                    Rule{"a(i) = -B(i,j)", "a(i) = -sum(j, B(i,j))"},
                    Rule{"a(i) = b(i) - -C(i,j)", "a(i) = b(i) - -sum(j, C(i,j))"},
                    Rule{"a(i) = -(B(i,j) + c(i))", "a(i) = -(sum(j, B(i,j)) + c(i))"},
                    Rule{"a(i) = B(i,j)/c(i)", "a(i) = sum(j, B(i,j))/c(i)"},
                    Rule{"a(i) = B(i,j)*(1/c(j))", "a(i) = sum(j, B(i,j)*(1/c(j)))"},
                    Rule{"a(i) = real(B(i,j)*c(j))", "a(i) = real(sum(j, B(i,j)*c(j)))"},
                    Rule{"a(i) = -conj(imag(B(i,j)))/2", "a(i) = -conj(imag(sum(j, B(i,j))))/2"},
                    Rule{"a(i) = B(i,j)*exp(c(j))", "a(i) = sum(j, B(i,j)*exp(c(j)))"},
                    Rule{"a(i) = exp(c(j))*exp(d(j))*B(i,j)", "a(i) = sum(j, exp(c(j))*exp(d(j))*B(i,j))"},
                    Rule{"a(i) = (B(i,j) + abs(c(j)))*abs(d(j))", "a(i) = sum(j, (B(i,j) + abs(c(j)))*abs(d(j)))"},
                    Rule{"a(i) = sqrt(c(i))*max(B(i,i), 2) + D(i,j)",
                         "a(i) = sqrt(c(i))*max(B(i,i), 2) + sum(j, D(i,j))"}));

INSTANTIATE_TEST_SUITE_P(OtherAssignments, BindReductions,
                         testing::Values(Rule{"a(i) += b(i) + C(i,j)", "a(i) += b(i) + sum(j, C(i,j))"},
                                         Rule{"a(i) -= b(i) + C(i,j)*d(j)", "a(i) -= b(i) + sum(j, C(i,j)*d(j))"},
                                         Rule{"A(i,j) min= B(i,k) + C(k,j)",
                                              "A(i,j) min= min_over(k, B(i,k) + C(k,j))"},
                                         Rule{"a(i) max= b(i) + C(i,j)", "a(i) max= max_over(j, b(i) + C(i,j))"},
                                         Rule{"a(i) *= B(i,j)", "a(i) *= prod(j, B(i,j))"},
                                         Rule{"a max= B(i,j)*c(k)", "a max= max_over(i, j, k, B(i,j)*c(k))"},
                                         Rule{"a(i) min= b(i)", "a(i) min= b(i)"}));

INSTANTIATE_TEST_SUITE_P(
    ExplicitReductions, BindReductions,
    testing::Values(Rule{"a(i) = sum(j, b(i) + C(i,j))", "a(i) = sum(j, b(i) + C(i,j))"},
                    Rule{"a(i) = max_over(j, C(i,j)*d(j))", "a(i) = max_over(j, C(i,j)*d(j))"},
                    Rule{"a(i) = max_over(j, C(i,j)*sum(k, D(j,k)))", "a(i) = max_over(j, C(i,j)*sum(k, D(j,k)))"},
                    Rule{"a(i) = sum(k, B(i,j,k)*c(k))", "a(i) = sum(k, sum(j, B(i,j,k))*c(k))"},
                    Rule{"a = sqrt(sum(i, b(i)^2))", "a = sqrt(sum(i, b(i)^2))"},
                    Rule{"a(i) min= sum(k, B(i,k)*C(k,j))", "a(i) min= min_over(j, sum(k, B(i,k)*C(k,j)))"},
                    Rule{"a(i) = sum(j, B(i,j))*c(j)", "a(i) = sum(j, B(i,j))*sum(j, c(j))"},
                    Rule{"a = sum(j, k, B(k,j))", "a = sum(j, k, B(k,j))"},
                    Rule{"a = sum(j, sum(k, B(k,j)))", "a = sum(j, sum(k, B(k,j)))"},
                    Rule{"a(i) = sum(k, b(i)*c(k))", "a(i) = sum(k, b(i)*c(k))"}));

TEST(BindReductionsTo, ReturnsTheSameTreeWhenNothingBinds) {
  Statement statement = from_text("a(i) = b(i)*sum(j, C(i,j))");
  EXPECT_TRUE(bind_reductions(statement).rhs.same_as(statement.rhs));
}

TEST(BindReductionsTo, SharesSubtreesThatDoNotChange) {
  Statement statement = from_text("A(i,j) = B(i,j)*C(i,j)");
  IndexVar left_only("n");
  Statement other{Access{statement.lhs.tensor, {left_only, statement.lhs.indices[1]}}, std::nullopt, statement.rhs};
  Statement bound = bind_reductions(other);
  ASSERT_NE(bound.rhs.as<Reduce>(), nullptr);
  EXPECT_TRUE(bound.rhs.as<Reduce>()->body.same_as(statement.rhs));
}

TEST(BindReductionsTo, MakesWhatTheManualSays) {
  std::ifstream manual(FILIGREE_SOURCE_DIR "/docs/notation.md");
  std::regex row(R"(\| `([^`]+=[^`]+)` \| `([^`]+)` \|)");
  int rows = 0;
  for (std::string line; std::getline(manual, line);) {
    std::smatch cells;
    if (!std::regex_match(line, cells, row)) continue;
    EXPECT_EQ(printed(cells[1]), cells[2].str());
    rows++;
  }
  EXPECT_EQ(rows, 13);
}

TEST(BindReductionsTo, RefusesWhatTheManualSays) {
  std::ifstream manual(FILIGREE_SOURCE_DIR "/docs/notation.md");
  std::regex row(R"(\| `([^`]+)` \| `([^`]+)` \| `([^`]+)` \|)");
  int rows = 0;
  for (std::string line; std::getline(manual, line);) {
    std::smatch cells;
    if (!std::regex_match(line, cells, row) || cells[1].str().find(" = ") == std::string::npos) continue;
    std::string error = error_of([&] { from_text(cells[1]); });
    EXPECT_NE(error.find("hint: to sum last, write " + cells[2].str() + "\n"), std::string::npos) << error;
    EXPECT_NE(error.find("hint: to sum first, write " + cells[3].str() + "\n"), std::string::npos) << error;
    rows++;
  }
  EXPECT_EQ(rows, 6);
}

TEST(BindReductionsTo, StaysFastOnLongChains) {
  std::string text = "a(i) = B(i,j)*c(j)";
  for (int n = 0; n < 2000; n++) text += " + B(i,j)*c(j)";
  Statement statement = from_text(text);
  int sums = 0;
  for_each(statement.rhs, [&](const Expr& e) { sums += e.as<Reduce>() != nullptr; });
  EXPECT_EQ(sums, 2001);
}

}  // namespace
}  // namespace filigree::notation
