// The numbers of P4's figure 6: how many schedules of least depth there are, and how many of them no other one beats.
// docs/autoscheduling.md has the same table beside the paper's, and the reason for each difference.
#include <chrono>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/autoschedule/from_text.h"

namespace filigree::autoschedule {
namespace {

struct Row {
  std::string name, text;
  concrete::Formats formats;
  size_t all, best;                // full
  size_t simple_all, simple_best;  // restricted (restrict.h)
};

void PrintTo(const Row& row, std::ostream* out) { *out << row.name; }

//                paper: all / best / restricted all / restricted best
//   SpMV             8 /   4 /   4 /  4     the same
//   SpMV2          144 /  28 /  24 / 24     restricted: 20, as a scalar temporary is not read in two ways
//   SpGEMM          96 /  12 /  16 /  4     the same
//   SpGEMM2      20736 / 292 /  32 /  4     the same
//   SpGEMMH     102272 / 204 / 144 /  4     the same
//   SpMTTKRP   3631104 /   ? / 384 / 23     restricted: 352, as a scalar temporary is not read in two ways, and 20
const Row rows[] = {
    {"SpMV", "a(i) = B(i,j)*c(j)", {{"B", "csr"}}, 8, 4, 4, 4},
    {"SpMV2", "a(i) = B(i,j)*C(j,k)*d(k)", {{"B", "csr"}, {"C", "csr"}}, 144, 28, 20, 20},
    {"SpGEMM", "A(i,j) = B(i,k)*C(j,k)", {{"A", "csr"}, {"B", "csr"}, {"C", "csr"}}, 96, 12, 16, 4},
    {"SpGEMM2",
     "A(i,j) = B(i,k)*C(k,l)*D(j,l)",
     {{"A", "csr"}, {"B", "csr"}, {"C", "csr"}, {"D", "csr"}},
     20736,
     292,
     32,
     4},
    {"SpGEMMH",
     "A(i,j) = B(i,k)*C(j,k)*D(j,k)",
     {{"A", "csr"}, {"B", "csr"}, {"C", "csr"}, {"D", "csr"}},
     102272,
     204,
     144,
     4},
};
const Row mttkrp = {"SpMTTKRP",
                    "A(i,j) = B(i,k,l)*C(j,k)*D(j,l)",
                    {{"A", "csr"}, {"B", "dss"}, {"C", "csr"}, {"D", "csr"}},
                    3631104,
                    30,
                    352,
                    20};

Frontier timed(const Row& row, bool simple) {
  FrontierOptions options;
  options.only_simple = simple;
  auto start = std::chrono::steady_clock::now();
  Frontier found = frontier(row.text, row.formats, options);
  std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - start;
  fmt::print("{}{}: {} statements, {} schedules, {} not dominated, of {} costs; {:.3g} ms, {:.3g} us each\n", row.name,
             simple ? " (restricted)" : "", found.statements, found.candidates, found.size(), found.classes.size(),
             taken.count(), 1000 * taken.count() / static_cast<double>(found.candidates));
  return found;
}

void check_full(const Row& row) {
  Frontier found = timed(row, false);
  EXPECT_EQ(found.candidates, row.all);
  EXPECT_EQ(found.size(), row.best);
}

void check_simple(const Row& row) {
  Frontier found = timed(row, true);
  EXPECT_EQ(found.candidates, row.simple_all);
  EXPECT_EQ(found.size(), row.simple_best);
}

class Figure6 : public testing::TestWithParam<Row> {};

TEST_P(Figure6, HasAsManySchedules) { check_full(GetParam()); }
TEST_P(Figure6, HasAsManySimpleSchedules) { check_simple(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Kernels, Figure6, testing::ValuesIn(rows), [](const auto& info) { return info.param.name; });

TEST(Figure6Mttkrp, HasAsManySimpleSchedules) { check_simple(mttkrp); }

TEST(Figure6Options, DecideWhatIsBeaten) {
  const Row& row = rows[3];
  auto best = [&](CostOptions costs) {
    FrontierOptions options;
    options.costs = costs;
    return frontier(row.text, row.formats, options).size();
  };
  EXPECT_EQ(best({.unwritten_annihilate = true, .temporaries_know_loops = true}), 8u);
  EXPECT_NE(best({.sunk_costs = false}), row.best);
}

// Takes minutes: scripts/campaign.sh runs it, with --gtest_also_run_disabled_tests.
TEST(Figure6Mttkrp, DISABLED_HasAsManySchedules) { check_full(mttkrp); }

}  // namespace
}  // namespace filigree::autoschedule
