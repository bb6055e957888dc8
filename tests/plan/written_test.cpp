// Scalars that may not have been written: what assignments come to then, that the text says it, and what a plan must
// not say.
#include "plan/written.h"

#include <gtest/gtest.h>

#include "assemble/assemble.h"
#include "plan/text.h"
#include "tests/concrete/from_text.h"
#include "tests/plan/changed_text.h"

namespace filigree::plan {
namespace {

using Formats = std::map<std::string, std::string>;

std::string plan_of(const std::string& text, const Formats& formats) {
  return to_string(make_plan(assemble::assemble(concrete::concretized(text, formats), true)));
}

/// The assignment to r, the last one, with its cases.
std::string cases(const std::string& plan) {
  size_t at = plan.find("r(i) = ", plan.find("\n\n"));
  EXPECT_NE(at, std::string::npos) << plan;
  return at == std::string::npos ? plan : plan.substr(at);
}

const Formats rows = {{"r", "sparse"}, {"A", "csr"}, {"B", "csr"}, {"C", "csr"}, {"D", "csr"}};

constexpr const char* of_maxima = "r(i) = max(sum(j, A(i,j)), sum(k, B(i,k))) * max(sum(l, C(i,l)), sum(m, D(i,m)))";

TEST(CasesOf, SayWhatIsLeft) {
  EXPECT_EQ(cases(plan_of("r(i) = sum(j, A(i,j)) * sum(k, B(i,k))", rows)), R"(r(i) = t * t2
          if t, t2
)");
  EXPECT_EQ(cases(plan_of("r(i) = sum(j, A(i,j)) + sum(k, B(i,k))", rows)), R"(r(i) = t + t2
          if any of t, t2
)");
  EXPECT_EQ(cases(plan_of("r(i) = max(sum(j, A(i,j)), sum(k, B(i,k)))", rows)), R"(r(i) = max(t, t2)
          if t, t2
          if t: r(i) = max(t, fill(0.0))
          if t2: r(i) = max(fill(0.0), t2)
)");
}

TEST(CasesOf, GrowWithTheExpression) {
  std::string plan = plan_of(of_maxima, rows);
  EXPECT_EQ(cases(plan), R"(r(i) = max(t, t2) * max(t3, t4)
              step step
                if t, t2: step = max(t, t2)
                if t: step = max(t, fill(0.0))
                if t2: step = max(fill(0.0), t2)
              step step_1
                if t3, t4: step_1 = max(t3, t4)
                if t3: step_1 = max(t3, fill(0.0))
                if t4: step_1 = max(fill(0.0), t4)
              if step, step_1: r(i) = step * step_1
)");
  EXPECT_EQ(to_string(parse(plan)), plan);
}

TEST(CasesOf, ReadBack) {
  for (const char* text :
       {"r(i) = sum(j, A(i,j)) * sum(k, B(i,k))", "r(i) = max_over(j, A(i,j) - 1)", "r(i) = 2*max_over(j, A(i,j))",
        "r(i) = sum(j, A(i,j)) + sum(k, B(i,k)) + C(i,0)", "s = sum(i, sum(j, A(i,j)) * sum(k, B(i,k)))"}) {
    std::string plan = plan_of(text, rows);
    Plan again = parse(plan);
    EXPECT_EQ(to_string(again), plan);
  }
}

TEST(VerifyCases, RefusesOthers) {
  std::string product = plan_of("r(i) = sum(j, A(i,j)) * sum(k, B(i,k))", rows);
  auto error = [&](const std::string& from, const std::string& to) { return error_of(replaced(product, from, to)); };
  const char* lacks = "The plan cannot run: what 'r(i) = t*t2' reads may not have been written: if t, t2: r(i) = t*t2";
  EXPECT_EQ(error("if t, t2", "if t"), lacks);
  EXPECT_EQ(error("if t, t2", "if any of t, t2"), lacks);
  EXPECT_EQ(error("if t, t2", "if t, t2: r(i) = t"), lacks);
  EXPECT_EQ(error("          if t, t2\n", ""), lacks);
  EXPECT_EQ(error("if t, t2", "if t, t2\n          else: nothing"),
            "The plan cannot run: 'r(i) = t*t2' has no other cases than these: if t, t2: r(i) = t*t2");
  EXPECT_EQ(error("first", "first whole"), "The plan cannot run: 't2' is not written as a whole");
  EXPECT_EQ(error("first", "first absorbing t2"), "The plan cannot run: 't2' absorbs nothing that is absent");
  std::string least = plan_of("r(i) = max_over(j, A(i,j) - 1)", rows);
  EXPECT_EQ(error_of(replaced(least, " absorbing t", "")),
            "The plan cannot run: what is absent takes part in the value of 't', which it does not say");
  std::string steps = plan_of(of_maxima, rows);
  EXPECT_EQ(error_of(replaced(steps, "if step, step_1", "if step, step")),
            "The plan cannot run: what 'r(i) = max(t, t2)*max(t3, t4)' reads may not have been written: if step, step: "
            "r(i) = step*step_1");
  EXPECT_EQ(error_of(replaced(steps, "step step\n", "step t\n")),
            "The plan cannot run: 'r(i) = max(t, t2)*max(t3, t4)' is not computed in the steps that it says");
}

TEST(Gaps, AreSaid) {
  std::string gaps = plan_of("A(i,j) = 2*B(i,j)", {{"A", "csr"}, {"B", "dcsr"}});
  EXPECT_NE(gaps.find("filled A by appending, with gaps\n"), std::string::npos) << gaps;
  EXPECT_EQ(to_string(parse(gaps)), gaps);
  EXPECT_EQ(error_of(replaced(gaps, ", with gaps", "")),
            "The plan cannot run: loops do not come by all parents of the nodes of 'A', which it does not say");
  std::string none = plan_of("A(i,j) = 2*B(i,j) + C(i,j)", {{"A", "csr"}, {"B", "csr"}, {"C", "csr"}});
  EXPECT_NE(none.find("filled A by appending\n"), std::string::npos) << none;
}

TEST(KeptWithin, IsTrue) {
  std::string diagonals = plan_of("y(i) = A(i,j)*x(j)", {{"A", "dia"}});
  EXPECT_NE(diagonals.find("loop i [as stored] within j: A.2(d,i) step"), std::string::npos) << diagonals;
  EXPECT_EQ(to_string(parse(diagonals)), diagonals);
  EXPECT_EQ(error_of(replaced(diagonals, " within j", " within d")),
            "The plan cannot run: the bounds of the loop over 'i' do not keep 'd' within its extent");
  EXPECT_EQ(error_of(replaced(diagonals, " within j", "")), "none");
}

}  // namespace
}  // namespace filigree::plan
