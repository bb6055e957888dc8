#include "notation/unclear_sum.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "notation/build.h"
#include "tests/notation/from_text.h"

namespace filigree::notation {
namespace {

std::vector<std::string> hints_of(const std::string& text) {
  try {
    from_text(text);
  } catch (const UserError& error) {
    return error.hints();
  }
  return {};
}

/// The statement that a hint ends in.
std::string statement_in(const std::string& hint) { return hint.substr(hint.find(", write ") + 8); }

TEST(UnclearSum, SpellsEveryPlaceFromTheOutsideIn) {
  EXPECT_EQ(hints_of("n = A(i,j)^2"), (std::vector<std::string>{"to sum last, write n = sum(i, j, A(i,j)^2)",
                                                                "to sum first, write n = sum(i, j, A(i,j))^2"}));
  EXPECT_EQ(hints_of("n = sqrt(r(i)^2)"), (std::vector<std::string>{"to sum last, write n = sum(i, sqrt(r(i)^2))",
                                                                    "in between, write n = sqrt(sum(i, r(i)^2))",
                                                                    "to sum first, write n = sqrt(sum(i, r(i))^2)"}));
}

TEST(UnclearSum, OffersSpellingsThatAreTaken) {
  for (const char* text : {"n = A(i,j)^2",
                           "n = sqrt(r(i)^2)",
                           "a(i) = 1/B(i,j)",
                           "a(i) = B(i,j)/c(j)",
                           "a(i) = max(B(i,j), c(i))",
                           "a(i) = max(B(i,j), c(i), d(j))",
                           "m(i) = max(j, A(i,j))",
                           "S(i,j) = A(i,k)*A(k,j)/(d(i) + d(j) - A(i,k)*A(k,j))",
                           "s = sqrt(x(i)^2)*sqrt(y(i)^2)",
                           "a(i) = select(M(i,j) != 0, A(i,j), 0)",
                           "a(i) = max(sum(j, B(i,j)), c(j))",
                           "a = max_over(i, B(i,j))",
                           "a += exp(-x(i))",
                           "a -= not x(i)",
                           "a = 2 - x(i)//2 + y(j)%3 + z(k)",
                           "a(i) = b(i)^C(i,j)",
                           "a = abs(pad(b(i+1)))",
                           "a = abs(b(i(0,4,2)))",
                           "a = abs(B(i,i))",
                           "a = count(i, B(i,j))",
                           "a(i) = B(i,j) == c(j)",
                           "a(i) = max(sum(j, sum(k, B(i,j,k))), c(j+k))",
                           "s = exp(x(i))*exp(y(i))"}) {
    std::vector<std::string> hints = hints_of(text);
    EXPECT_GE(hints.size(), 2u) << text;
    std::vector<std::string> said;
    for (const std::string& hint : hints) {
      EXPECT_EQ(printed(statement_in(hint)), statement_in(hint)) << text;
      said.push_back(statement_in(hint));
    }
    std::sort(said.begin(), said.end());
    EXPECT_EQ(std::unique(said.begin(), said.end()), said.end()) << text;
  }
}

TEST(UnclearSum, NamesTheReductionThatMinAndMaxAreTakenFor) {
  EXPECT_EQ(hints_of("m(i) = max(j, A(i,j))")[0], "for the largest over 'j', write m(i) = max_over(j, A(i,j))");
  EXPECT_EQ(hints_of("m = min(i, j, A(i,j), B(i,j))")[0],
            "for the smallest over 'i' and 'j', write m = min_over(i, j, min(A(i,j), B(i,j)))");
  EXPECT_EQ(hints_of("m = max(j, A(i,j))")[0], "for the largest over 'j', write m = sum(i, max_over(j, A(i,j)))");
  EXPECT_EQ(hints_of("m(i) = max(j, b(i)) + c(j)").size(), 2u);  // nothing is reduced over j
}

TEST(UnclearSum, ShowsThePlaceAloneOfALongStatement) {
  std::string text = "a(i) = b(i)";
  for (int n = 0; n < 40; n++) text += " + b(i)";
  EXPECT_EQ(hints_of(text + " + sqrt(C(i,j))"),
            (std::vector<std::string>{"to sum last, write here sum(j, sqrt(C(i,j)))",
                                      "to sum first, write here sqrt(sum(j, C(i,j)))"}));
}

TEST(UnclearSum, TellsOfPlacesThatItDoesNotShow) {
  std::string error = error_of([] { from_text("a = sqrt(exp(abs(sin(cos(x(i))))))"); });
  EXPECT_NE(error.find("note: sum(...) can also stand at 4 places in between"), std::string::npos) << error;
}

TEST(UnclearSum, StaysFastOnLongChains) {
  std::string product = "a(i) = exp(b(j))", maximum = "a(i) = max(b(j)", sum = "a(i) = exp(b(j))", nest = "b(j)";
  for (int n = 0; n < 2000; n++) {
    product += "*exp(b(j))";
    maximum += ", b(j)";
    sum += " + exp(b(j))";
  }
  for (int n = 0; n < 400; n++) nest = "abs(" + nest + ")";
  for (const std::string& text : {product, maximum + ")", sum, "a(i) = " + nest})
    EXPECT_EQ(hints_of(text).size(), text == product ? 3u : 2u);
}

TEST(UnclearSum, IsTheSameFromCpp) {
  IndexVar i("i"), j("j");
  TensorVar n("n", ElementType::Float64, Format::dense(0)), A("A", ElementType::Float64, Format::dense(2));
  EXPECT_EQ(error_of([&] { (void)(n = pow(A(i, j), 2)); }),
            "error: The sum over 'i' and 'j' could be taken before '^' or after it, and the two differ\n"
            "hint: to sum last, write n = sum(i, j, A(i,j)^2)\n"
            "hint: to sum first, write n = sum(i, j, A(i,j))^2\n");
  EXPECT_EQ(to_string(n() = sum({i, j}, pow(A(i, j), 2))), "n = sum(i, j, A(i,j)^2)");
}

TEST(WithSums, TakesAsManyBarriersAsItMay) {
  Parsed parsed = parse("a = sqrt(abs(x(i)) + y)");
  Statement written = resolve_as_written(parsed, tensors_of(parsed), {{"i", IndexVar("i")}});
  EXPECT_EQ(to_string(with_sums(written, 0)), "a = sum(i, sqrt(abs(x(i)) + y))");
  EXPECT_EQ(to_string(with_sums(written, 1)), "a = sqrt(sum(i, abs(x(i))) + y)");
  EXPECT_EQ(to_string(with_sums(written, 2)), "a = sqrt(abs(sum(i, x(i))) + y)");
  EXPECT_EQ(to_string(with_sums(written, all_barriers)), "a = sqrt(abs(sum(i, x(i))) + y)");
}

}  // namespace
}  // namespace filigree::notation
