#include "autoschedule/cost.h"

#include <gtest/gtest.h>

#include "tests/autoschedule/from_text.h"

namespace filigree::autoschedule {
namespace {

const concrete::Formats sparse = {{"A", "dcsr"}, {"B", "dcsr"}, {"C", "dcsr"}, {"D", "dcsr"}};
const std::string product = "A(i,j) = B(i,k)*C(k,j)";
const std::string inner = "forall(i, forall(j, forall(k, A(a(i),a(j)) += B(s(i),s(k)) * C(s(k),s(j)))))";
const std::string rows = "forall(i, forall(k, forall(j, A(a(i),i(j)) += B(s(i),s(k)) * C(s(k),s(j)))))";
const std::string located = "forall(i, forall(k, forall(j, A(a(i),i(j)) += B(s(i),s(k)) * C(l(k),s(j)))))";
const std::string outer = "forall(k, forall(i, forall(j, A(i(i),i(j)) += B(s(i),s(k)) * C(s(k),s(j)))))";

constexpr CostOptions bare = {.sunk_costs = false, .nonempty = false};

/// What a statement with protocols costs; unless `options` say so, nothing is paid for or assumed.
std::string cost_of(const std::string& plan, const std::string& text, const concrete::Formats& formats,
                    CostOptions options = bare) {
  Problem p = problem(text, formats);
  return to_string(cost(parse(plan), p, options), universe_of(p, options));
}

bool beats(const std::string& a, const std::string& b, const std::string& text, const concrete::Formats& formats,
           CostOptions options) {
  Problem p = problem(text, formats);
  Universe universe = universe_of(p, options);
  TaskSet first = cost(parse(a), p, options), second = cost(parse(b), p, options);
  return contains(second, first, universe) && !contains(first, second, universe);
}

// P4, figure 3: what is contained in another set is left out.
TEST(Costs, OfThreeWaysToMultiply) {
  EXPECT_EQ(cost_of(inner, product, sparse),
            "{[i] | B(i,_1)} + {[i,j,k] | B(i,k) and C(_1,j)} + {[i,j,k] | B(i,_1) and C(k,j)}");
  EXPECT_EQ(cost_of(rows, product, sparse),
            "{[i,k] | B(i,k)} + {[i,k] | B(i,_1) and C(k,_2)} + {[i,j,k] | B(i,k) and C(k,j)}");
  EXPECT_EQ(cost_of(outer, product, sparse), "{[k] | B(_1,k)} + {[k] | C(k,_1)} + {[i,j,k] | B(i,k) and C(k,j)}");
}

// P4, section 6.2: where C is empty, rows of B are still walked, which was paid for when B was read.
TEST(Costs, CountWhatIsNotPaidYet) {
  EXPECT_TRUE(beats(outer, rows, product, sparse, {.sunk_costs = false}));
  EXPECT_FALSE(beats(outer, located, product, sparse, {}));
  EXPECT_FALSE(beats(located, outer, product, sparse, {}));
  EXPECT_TRUE(beats(outer, inner, product, sparse, {}));
  EXPECT_TRUE(beats(located, rows, product, sparse, {}));
}

// P4, figure 2: only the fused one is limited to what D stores.
TEST(Costs, OfSampledProducts) {
  const std::string text = "A(i,j) = D(i,j)*P(i,k)*Q(k,j)";
  const concrete::Formats formats = {{"A", "dcsr"}, {"D", "dcsr"}};
  EXPECT_EQ(cost_of("forall(i, forall(j, forall(k, A(a(i),a(j)) += D(s(i),s(j)) * P(l(i),l(k)) * Q(l(k),l(j)))))", text,
                    formats),
            "{[i,j,k] | D(i,j)}");
  EXPECT_EQ(cost_of("where(forall(i, forall(j, A(a(i),a(j)) = D(s(i),s(j)) * w(l(i),l(j)))), forall(i, forall(j, "
                    "forall(k, w(a(i),a(j)) += P(l(i),l(k)) * Q(l(k),l(j))))))",
                    text, formats),
            "{[i,j,k]}");
}

TEST(Costs, OfSumsHaveACaseForEachOperand) {
  EXPECT_EQ(
      cost_of("forall(i, forall(j, A(a(i),a(j)) = B(s(i),s(j)) + C(s(i),s(j))))", "A(i,j) = B(i,j) + C(i,j)", sparse),
      "{[i,j] | B(i,j)} + {[i,j] | C(i,j)}");
  EXPECT_EQ(cost_of("forall(i, forall(j, A(a(i),a(j)) = (B(s(i),s(j)) + C(s(i),s(j))) * D(s(i),s(j))))",
                    "A(i,j) = (B(i,j) + C(i,j))*D(i,j)", sparse),
            "{[i] | B(i,_1)} + {[i] | C(i,_1)} + {[i] | D(i,_1)} + {[i,j] | B(i,j) and D(i,_1)} + {[i,j] | B(i,_1) and "
            "D(i,j)} + {[i,j] | C(i,j) and D(i,_1)} + {[i,j] | C(i,_1) and D(i,j)}");
}

TEST(Costs, FollowFromFillsAndOperators) {
  // Where nothing is stored, exp gives 1: every coordinate has work.
  EXPECT_EQ(cost_of("forall(i, forall(j, A(a(i),a(j)) = exp(B(s(i),s(j)))))", "A(i,j) = exp(B(i,j))", sparse),
            "{[i,j] | B(i,j)}");
  EXPECT_EQ(
      cost_of("forall(i, forall(j, A(a(i),a(j)) = max(B(s(i),s(j)), x(l(i)))))", "A(i,j) = max(B(i,j), x(i))", sparse),
      "{[i,j]}");
}

TEST(Costs, OfTemporariesFollowTheirPatterns) {
  const std::string text = "A(i,j) = B(i,j)*C(i,j)*D(i,j)";
  EXPECT_EQ(cost_of("where(forall(i, forall(j, A(a(i),a(j)) = w(s(i),s(j)) * D(l(i),l(j)))), forall(i, forall(j, "
                    "w(a(i),a(j)) = B(s(i),s(j)) * C(s(i),s(j)))))",
                    text, sparse),
            "{[i] | B(i,_1)} + {[i] | C(i,_1)} + {[i,j] | B(i,j) and C(i,_1)} + {[i,j] | B(i,_1) and C(i,j)}");
}

TEST(Costs, MayKnowMoreAboutTemporaries) {
  const std::string text = "A(i,j) = B(i,k)*C(k,l)*D(j,l)";
  const std::string plan =
      "forall(i, where(forall(l, forall(j, A(a(i),i(j)) += w(s(l)) * D(s(j),l(l)))), forall(k, forall(l, w(i(l)) += "
      "B(s(i),s(k)) * C(l(k),s(l))))))";
  CostOptions knowing = bare;
  knowing.temporaries_know_loops = true;
  EXPECT_NE(cost_of(plan, text, sparse, knowing).find("{[i,j,l] | B(i,_1) and C(_1,l) and D(j,l)}"), std::string::npos)
      << cost_of(plan, text, sparse, knowing);
  EXPECT_EQ(cost_of(plan, text, sparse).find("{[i,j,l] | B(i,_1) and C(_1,l) and D(j,l)}"), std::string::npos)
      << cost_of(plan, text, sparse);
}

}  // namespace
}  // namespace filigree::autoschedule
