#include "autoschedule/choose.h"

#include <gtest/gtest.h>

#include "autoschedule/describe.h"
#include "tests/autoschedule/from_text.h"

namespace filigree::autoschedule {
namespace {

const concrete::Formats csr = {{"A", "csr"}, {"B", "csr"}, {"C", "csr"}, {"D", "csr"}};

TEST(Estimate, CountsTasksOfQueries) {
  Problem p = problem("A(i,j) = B(i,k)*C(k,j)", csr);
  Universe universe = universe_of(p);
  InputSizes sizes{{{"i", 100}, {"j", 100}, {"k", 100}}, {{"B", 500}, {"C", 200}}};
  auto tasks = [&](const std::string& plan) {
    return estimate(cost(parse(plan), p, {.sunk_costs = false}), universe, sizes);
  };
  // Rows of B, entries of B, and products: 100 rows with 5 entries each on average, and 500 * 2 products.
  EXPECT_NEAR(tasks("forall(i, forall(k, forall(j, A(a(i),i(j)) += B(s(i),s(k)) * C(l(k),s(j)))))"), 500 + 1000, 1);
  EXPECT_NEAR(tasks("forall(i, forall(j, A(a(i),a(j)) = B(l(i),l(j))))"), 10000, 1e-6);
}

TEST(Estimate, KnowsHowOftenThereIsOne) {
  Problem p = problem("y(i) = B(i,j)*x(j)", csr);
  Universe universe = universe_of(p);
  InputSizes few{{{"i", 1000}, {"j", 1000}}, {{"B", 1}}}, many{{{"i", 1000}, {"j", 1000}}, {{"B", 100000}}};
  Query row{1, {universe.sunk[0].atoms[0]}};
  EXPECT_NEAR(estimate(row, universe, few), 1, 0.01);
  EXPECT_NEAR(estimate(row, universe, many), 1000, 0.01);
}

TEST(Choose, FollowsTheSizes) {
  // Which product is made first depends on which matrix is nearly empty.
  Problem p = problem("A(i,j) = B(i,k)*C(k,l)*D(j,l)", csr);
  Frontier f = std::get<Frontier>(find_frontier(p));
  InputSizes sizes{{{"i", 1000}, {"j", 1000}, {"k", 1000}, {"l", 1000}}, {{"B", 50000}, {"C", 50000}, {"D", 50000}}};
  auto first = [&](const std::string& nearly_empty) {
    InputSizes now = sizes;
    now.stored[nearly_empty] = 10;
    std::set<std::string> tensors;
    for_each_assign(choose(f, p, now)->candidate, [&](const Assign& assign, const auto&) {
      for (const Access& access : accesses(assign.rhs)) {
        if (assign.lhs.tensor == "w") tensors.insert(access.tensor);
      }
    });
    return tensors;
  };
  EXPECT_EQ(first("B"), (std::set<std::string>{"B", "C"}));
  EXPECT_EQ(first("D"), (std::set<std::string>{"C", "D"}));
}

TEST(Choose, TakesTheCandidateThatCopiesLeast) {
  Problem p = problem("a(i) = B(i,j)*c(j)", csr);
  Frontier f = std::get<Frontier>(find_frontier(p));
  std::optional<Choice> choice = choose(f, p, {{{"i", 10}, {"j", 10}}, {{"B", 20}}});
  ASSERT_TRUE(choice);
  EXPECT_EQ(choice->burden.copied, 0);
  EXPECT_EQ(to_string(choice->candidate).substr(0, 19), "forall(i, forall(j,");
}

TEST(Describe, ShowsCostsAndWhatIsChosen) {
  Problem p = problem("a(i) = B(i,j)*c(j)", csr);
  Frontier f = std::get<Frontier>(find_frontier(p));
  std::optional<Choice> choice = choose(f, p, {{{"i", 10}, {"j", 10}}, {{"B", 20}}});
  EXPECT_EQ(describe(f, p, choice),
            "the frontier has 4 of 8 candidates, with 1 cost\n"
            "cost 1: 4 candidates, about 40 tasks\n"
            "  {[i]} + {[j]} + {[i,j] | B(i,j)}\n"
            "  forall(i, forall(j, a(a(i)) += B(l(i),s(j)) * c(l(j))))\n"
            "the candidate that is shown for cost 1 takes the fewest tasks: it copies 0 components first, and has 0 "
            "temporaries\n");
  std::string json = to_json(f, p, choice);
  EXPECT_NE(json.find("\"cost\": [\"{[i]}\", \"{[j]}\", \"{[i,j] | B(i,j)}\"]"), std::string::npos) << json;
  EXPECT_NE(json.find("\"chosen\": {\"class\": 0"), std::string::npos) << json;
}

}  // namespace
}  // namespace filigree::autoschedule
