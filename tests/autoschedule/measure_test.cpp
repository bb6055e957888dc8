#include "autoschedule/measure.h"

#include <gtest/gtest.h>

#include "tests/concrete/from_text.h"

namespace filigree::autoschedule {
namespace {

std::optional<Measure> measured(const std::string& text, const concrete::Formats& formats, std::int64_t extent,
                                std::map<std::string, double> stored) {
  notation::Statement statement = concrete::statement(text, formats);
  KnownInputs inputs{{}, std::move(stored)};
  for (const IndexVar& var : notation::index_vars(statement)) inputs.extents[var] = extent;
  return measure(concrete::concretize(statement), inputs);
}

TEST(Measure, CountsIterations) {
  // Rows and entries.
  EXPECT_NEAR(measured("y(i) = B(i,j)*x(j)", {{"B", "csr"}}, 1000, {{"B", 5000}, {"x", 1000}})->tasks, 6000, 1);
  // Entries of B, and for each five of C.
  EXPECT_NEAR(
      measured("y(i) = B(i,j)*C(j,k)*d(k)", {{"B", "csr"}, {"C", "csr"}}, 1000, {{"B", 5000}, {"C", 5000}, {"d", 1000}})
          ->tasks,
      1000 + 5000 + 25000, 100);
}

TEST(Measure, LeavesOutWhatEndsEarly) {
  // Rows of B that meet nothing are not walked.
  double both = measured("s = B(i,j)*C(i,j)", {{"B", "csr"}, {"C", "csr"}}, 1000, {{"B", 50000}, {"C", 50000}})->tasks;
  double few = measured("s = B(i,j)*C(i,j)", {{"B", "csr"}, {"C", "csr"}}, 1000, {{"B", 50000}, {"C", 10}})->tasks;
  EXPECT_GT(both, 90000);
  EXPECT_LT(few, 3000);
}

TEST(Measure, WeighsLanesLessAndTablesMore) {
  Measure dense = *measured("A(i,j) = P(i,k)*Q(k,j)", {}, 100, {{"P", 10000}, {"Q", 10000}});
  EXPECT_LT(dense.work, 0.3 * dense.tasks);
  Measure rows =
      *measured("A(i,j) = B(i,k)*C(k,j)", {{"A", "csr"}, {"B", "csr"}, {"C", "csr"}}, 1000, {{"B", 5000}, {"C", 5000}});
  EXPECT_GT(rows.work, 1.5 * rows.tasks);
}

TEST(Measure, SaysNothingOfWhatItDoesNotKnow) {
  EXPECT_FALSE(measured("y(i) = x(i+1)", {}, 10, {{"x", 11}}));
  EXPECT_FALSE(measured("y(i) = B(i,j)*x(j)", {{"B", "bcsr(2,2)"}}, 10, {{"B", 20}, {"x", 10}}));
}

TEST(Measure, SaysNothingOfWhatTakesLongToTell) {
  std::string sum = "y(i) = t0(i)";
  concrete::Formats formats;
  for (int n = 0; n < 40; n++) {
    if (n > 0) sum += " + t" + std::to_string(n) + "(i)";
    formats["t" + std::to_string(n)] = "sparse";
  }
  EXPECT_FALSE(measured(sum, formats, 10, {{"t0", 3}}));
}

}  // namespace
}  // namespace filigree::autoschedule
