// Plans as text: what it looks like, that it reads back, and when plans are equal.
#include "plan/text.h"

#include <gtest/gtest.h>

#include <random>

#include "assemble/assemble.h"
#include "support/text.h"
#include "tests/concrete/from_text.h"
#include "tests/plan/changed_text.h"

namespace filigree::plan {
namespace {

using Formats = std::map<std::string, std::string>;

Plan plan_of(const std::string& text, const Formats& formats) {
  return make_plan(assemble::assemble(concrete::concretized(text, formats), true));
}

TEST(PlanText, SaysHowOperandsMeetAndWhatIsDoneThere) {
  EXPECT_EQ(to_string(plan_of("a(i) = b(i) + c(i)", {{"a", "sparse"}, {"b", "sparse"}, {"c", "sparse"}})),
            "results a\n"
            "operands b, c\n"
            "tensor b: float64, fill 0.0, order 1, sparse\n"
            "tensor c: float64, fill 0.0, order 1, sparse\n"
            "tensor a: float64, fill 0.0, order 1, sparse\n"
            "index i: dimension 1 of b\n"
            "filled a by appending\n"
            "\n"
            "loop i: b.1(i) step, c.1(i) step\n"
            "  {b.1, c.1}:\n"
            "    a(i) = b(i) + c(i)\n"
            "  {b.1}:\n"
            "    a(i) = b(i)\n"
            "  {c.1}:\n"
            "    a(i) = c(i)\n");
}

TEST(PlanText, ReadsBack) {
  const std::vector<std::pair<std::string, Formats>> statements = {
      {"y(i) = A(i,j)*x(j)", {{"A", "csr"}}},
      {"A(i,j) = B(i,k)*C(k,j)", {{"A", "csr"}, {"B", "csr"}, {"C", "csr"}}},
      {"A(i,j) = B(i,j) + C(i,j)", {{"A", "coo"}, {"B", "bcsr(2,2)"}, {"C", "dia"}}},
      {"s = max_over(i, max_over(j, B(i,j)))", {{"B", "dcsr"}}},
      {"a(i) = b(i+1)*c(2*i)", {{"b", "sparse"}}},
      {"A(i,j) = select(j <= i, B(i,j), 0)", {{"A", "csr"}, {"B", "csr"}}},
      {"a(i) = b(i)*i + 2", {{"b", "sparse"}}},
  };
  for (const auto& [text, formats] : statements) {
    Plan plan = plan_of(text, formats);
    Plan again = parse(to_string(plan));
    EXPECT_EQ(to_string(again), to_string(plan)) << text;
    EXPECT_TRUE(again == plan) << text;
    EXPECT_EQ(hash(again), hash(plan)) << text;
  }
}

TEST(PlanEquality, DoesNotDependOnNames) {
  Formats formats = {{"A", "csr"}, {"M", "csr"}};
  EXPECT_TRUE(plan_of("y(i) = A(i,j)*x(j)", formats) == plan_of("q(r) = M(r,s)*p(s)", formats));
  EXPECT_EQ(hash(plan_of("y(i) = A(i,j)*x(j)", formats)), hash(plan_of("q(r) = M(r,s)*p(s)", formats)));
}

TEST(PlanEquality, DependsOnFormatsLoopsAndStrategies) {
  Plan spmv = plan_of("y(i) = A(i,j)*x(j)", {{"A", "csr"}});
  EXPECT_FALSE(spmv == plan_of("y(i) = A(i,j)*x(j)", {{"A", "dcsr"}}));
  EXPECT_FALSE(spmv == plan_of("y(i) = A(i,j)+x(j)", {{"A", "csr"}}));
  Plan product = plan_of("a(i) = b(i)*c(i)", {{"b", "sparse"}, {"c", "sparse"}});
  std::string steps = replaced(to_string(product), " by length repeated", "");
  Plan searched = parse(replaced(steps, "c.1(i) step", "c.1(i) binary"));
  EXPECT_FALSE(product == searched);
}

TEST(ParsePlan, SaysWhatIsWrongAndWhere) {
  std::string text = to_string(plan_of("y(i) = A(i,j)*x(j)", {{"A", "csr"}}));
  EXPECT_EQ(error_of(""), "'results' should stand here");
  EXPECT_EQ(error_of("results y\n"), "There is no tensor 'y'");
  EXPECT_EQ(error_of(replaced(text, "csr", "csrr")).substr(0, 20), "This is no format: U");
  EXPECT_EQ(error_of(replaced(text, "A.2(i,j) step", "A.2(i,j) stop")), "There is no way 'stop' to reach an operand");
  EXPECT_EQ(error_of(replaced(text, "A.2(i,j) step", "A.2(i,k) step")), "There is no index 'k'");
  EXPECT_EQ(error_of(replaced(text, "float64", "float63")), "There is no type 'float63'");
  EXPECT_EQ(error_of(replaced(text, "dimension 1 of A", "dimension 3 of A")),
            "A number from 1 to 2 should stand there");
  EXPECT_EQ(error_of(replaced(text, "order 2", "order 0")), "A number from 1 to 64 should stand there");
  EXPECT_EQ(error_of(text + "x\n"), "Something is left over after the plan");
}

TEST(ParsePlan, TakesNoTextForMoreThanItIs) {
  std::mt19937 random(7);
  int parsed = 0, refused = 0;
  for (const char* statement :
       {"A(i,j) = B(i,k)*C(k,j)", "A(i,j) = B(i,j) + C(i,j+1)", "A(i,j) = select(j <= i, B(i,j), 2*C(i,j))"}) {
    std::string text = to_string(plan_of(statement, {{"A", "csr"}, {"B", "csr"}, {"C", "bcsr(2,2)"}}));
    for (int n = 0; n < 1000; n++) {
      std::string changed = text;
      size_t at = random() % text.size(), other = random() % text.size();
      if (random() % 3 == 0) changed.erase(at, 1 + random() % 5);
      else changed[at] = random() % 2 ? text[other] : static_cast<char>(32 + random() % 95);
      try {
        hash(parse(changed));
        parsed++;
      } catch (const UserError&) {
        refused++;
      }
    }
  }
  EXPECT_GT(parsed, 100);
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace filigree::plan
