#include "autoschedule/cost.h"

#include <gtest/gtest.h>

#include "tests/autoschedule/from_text.h"

namespace filigree::autoschedule {
namespace {

const concrete::Formats sparse = {{"A", "dcsr"}, {"B", "dcsr"}, {"C", "dcsr"}, {"D", "dcsr"}};

/// What the loops of a statement with protocols cost, nothing being paid for or assumed unless `options` say so.
std::string cost_of(const std::string& plan, const std::string& text, const concrete::Formats& formats,
                    CostOptions options = {.sunk_costs = false, .nonempty = false}) {
  Problem p = problem(text, formats);
  return to_string(cost(parse(plan), p, options), universe_of(p, options));
}

const std::string product = "A(i,j) = B(i,k)*C(k,j)";

// P4, figure 3.
TEST(Costs, OfThreeWaysToMultiply) {
  EXPECT_EQ(cost_of("forall(i, forall(j, forall(k, A(a(i),a(j)) += B(s(i),s(k)) * C(s(k),s(j)))))", product, sparse),
            "{[j,i,k] | B(i,_1)...}");
}

}  // namespace
}  // namespace filigree::autoschedule
