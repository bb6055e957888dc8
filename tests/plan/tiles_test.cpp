// Which pieces run apart from their tail, what iterations share, and where results are cleared: that the plan says it,
// that its text reads back, and what it must not say.
#include "plan/tiles.h"

#include <gtest/gtest.h>

#include "assemble/assemble.h"
#include "plan/text.h"
#include "schedule/schedule.h"
#include "tests/concrete/from_text.h"

namespace filigree::plan {
namespace {

using Formats = std::map<std::string, std::string>;

Plan plan_of(const std::string& text, const Formats& formats, const std::string& schedule) {
  concrete::Program program = concrete::concretized(text, formats);
  if (!schedule.empty()) program = schedule::apply_schedule(schedule::parse(schedule, "-s"), program);
  return make_plan(assemble::assemble(program, true), {Mode::Grow, true, false});
}

/// Of which loops do full pieces come first?
std::string apart(const std::string& text, const Formats& formats, const std::string& schedule) {
  Plan plan = plan_of(text, formats, schedule);
  EXPECT_TRUE(parse(to_string(plan)) == plan) << to_string(plan);
  std::string names;
  for_each(plan.root.stmt, [&](const Stmt& stmt) {
    const Pieces* pieces = stmt.as<Pieces>();
    if (pieces && pieces->full_first) names += (names.empty() ? "" : " ") + pieces->cut.var.name();
  });
  return names;
}

TEST(FullFirst, IsForLoopsThatAreUnrolledOrInVectorsOrBounded) {
  const char* copy = "a(i) = b(i)*2";
  EXPECT_EQ(apart(copy, {}, "split(i, i0, i1, 4)"), "");
  EXPECT_EQ(apart(copy, {}, "split(i, i0, i1, 4), unroll(i1, 4)"), "i0");
  EXPECT_EQ(apart(copy, {}, "split(i, i0, i1, 4), unroll(i0, 4)"), "");
  EXPECT_EQ(apart(copy, {}, "split(i, i0, i1, 4), vectorize(i1)"), "i0");
  EXPECT_EQ(apart(copy, {}, "split(i, i0, i1, 4), bound(i1, exact, 4)"), "i0");
  EXPECT_EQ(apart(copy, {}, "split(i, i0, i1, 4), parallelize(i0, cpu, none), vectorize(i1)"), "i0");
}

TEST(FullFirst, IsNotForPiecesThatAreAllFull) {
  const char* copy = "a(i) = b(i)*2";
  EXPECT_EQ(apart(copy, {}, "bound(i, divisible, 8), split(i, i0, i1, 4), unroll(i1, 4)"), "");
  EXPECT_EQ(apart(copy, {}, "bound(i, divisible, 8), split(i, i0, i1, 8), split(i1, i2, i3, 4), unroll(i3, 4)"), "");
  EXPECT_EQ(apart(copy, {}, "bound(i, exact, 8), split(i, i0, i1, 4), unroll(i1, 4)"), "");
  EXPECT_EQ(apart(copy, {}, "bound(i, exact, 9), split(i, i0, i1, 4), unroll(i1, 4)"), "i0");
}

TEST(FullFirst, IsForTheLoopThatDecidesTheSize) {
  const char* copy = "a(i) = b(i)*2";
  EXPECT_EQ(apart(copy, {}, "split(i, i0, i1, 8), split(i1, i2, i3, 4), unroll(i3, 4)"), "i2");
  EXPECT_EQ(apart(copy, {}, "split(i, i0, i1, 8), split(i1, i2, i3, 4), unroll(i2, 2)"), "i0");
  EXPECT_EQ(apart(copy, {}, "split(i, i0, i1, 8), split(i1, i2, i3, up, 4), unroll(i3, 2)"), "i0");
  EXPECT_EQ(apart(copy, {}, "split(i, i0, i1, up, 4), unroll(i1, 2)"), "");
  EXPECT_EQ(apart(copy, {}, "bound(i, exact, 18), split(i, i0, i1, up, 4), unroll(i1, 5)"), "i0");
  // Loops in the other order: numbers inside of pieces, and pieces inside.
  EXPECT_NE(apart(copy, {}, "split(i, i0, i1, up, 4), reorder(i1, i0), unroll(i0, 4)"), "");
  EXPECT_EQ(apart(copy, {}, "split(i, i0, i1, 4), reorder(i1, i0), unroll(i0, 4)"), "");
}

TEST(FullFirst, NeedsALoopWithAsManyIterationsAsPoints) {
  const char* spmv = "y(i) = A(i,j)*x(j)";
  Formats csr = {{"A", "csr"}};
  EXPECT_EQ(apart(spmv, csr, "split(j, j0, j1, 4), vectorize(j1)"), "");
  EXPECT_EQ(apart(spmv, csr, "pos(j, p, A), split(p, p0, p1, 4), vectorize(p1)"), "p0");
  EXPECT_EQ(apart(spmv, csr, "collapse(i, j, f), pos(f, p, A), split(p, p0, p1, 4), unroll(p1, 4)"), "p0");
  EXPECT_EQ(apart(spmv, csr, "collapse(i, j, f), pos(f, p, A), split(p, p0, p1, 4)"), "");
}

TEST(FullFirst, DoesNotRepeatCodeWithoutEnd) {
  std::string schedule, order, names, inner;
  for (const char* var : {"i", "j", "k", "l"}) {
    std::string v = var;
    schedule += "split(" + v + ", " + v + "0, " + v + "1, 4), unroll(" + v + "1, 4), ";
    order += v + "0, ";
    inner += (inner.empty() ? "" : ", ") + v + "1";
  }
  std::string all = apart("a(i,j,k,l) = b(i,j,k,l)*2", {}, schedule + "reorder(" + order + inner + ")");
  EXPECT_EQ(all, "j0 k0 l0");
}

std::string error_of(std::string text, const std::string& from, const std::string& to) {
  size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from << " in\n" << text;
  if (at != std::string::npos) text.replace(at, from.size(), to);
  try {
    parse(text);
    return "none";
  } catch (const UserError& error) {
    return error.message();
  }
}

TEST(FullFirst, IsRefusedWherePiecesHaveNoSize) {
  std::string plan = to_string(plan_of("a(i) = b(i)*2", {}, "split(i, i0, i1, up, 4)"));
  EXPECT_EQ(error_of(plan, "pieces i0", "pieces i0 full first"),
            "The plan cannot run: full pieces of 'i0' come first, and have no size");
}

TEST(SharedResults, AreNamedByTheLoopThatSharesThem) {
  std::string plan =
      to_string(plan_of("y(j) = A(i,j)*x(i)", {{"A", "csr"}}, "reorder(i, j), parallelize(i, cpu, atomics)"));
  EXPECT_NE(plan.find(" sharing y by +"), std::string::npos) << plan;
  EXPECT_EQ(error_of(plan, " sharing y by +", ""),
            "The plan cannot run: iterations of the loop over 'i' share 'y', which it does not say");
  EXPECT_EQ(error_of(plan, " sharing y by +", " sharing y by *"),
            "The plan cannot run: iterations of the loop over 'i' share 'y', which it does not say");
  EXPECT_EQ(to_string(plan_of("y(i) = A(i,j)*x(j)", {{"A", "csr"}}, "parallelize(i, cpu, none)")).find("sharing"),
            std::string::npos);
}

TEST(Clearing, IsInTheLoopThatWritesAllOfTheResult) {
  Formats formats = {{"B", "csr"}, {"C", "csr"}};
  std::string plan = to_string(plan_of("A(i,j) = B(i,k)*C(k,j)", formats, ""));
  EXPECT_NE(plan.find("filled A by inserting, cleared in i\n"), std::string::npos) << plan;
  EXPECT_EQ(error_of(plan, "cleared in i", "cleared in k"),
            "The plan cannot run: 'A' is cleared in a loop that does not write all of it");
  std::string pieces = to_string(plan_of("A(i,j) = B(i,k)*C(k,j)", formats, "split(i, i0, i1, 4)"));
  EXPECT_EQ(error_of(pieces, "filled A by inserting", "filled A by inserting, cleared in i"),
            "The plan cannot run: 'A' is cleared in a loop that does not write all of it");
  Formats symmetric = {{"B", "symmetric"}};
  EXPECT_EQ(to_string(plan_of("A(i,j) = B(i,k)*C(k,j)", symmetric, "")).find("cleared in"), std::string::npos);
}

}  // namespace
}  // namespace filigree::plan
