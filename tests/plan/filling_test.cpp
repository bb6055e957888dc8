// How tensors are filled and loops are cut: what is decided, that the text says it, and what a plan must not say.
#include "plan/fillings.h"

#include <gtest/gtest.h>

#include "assemble/assemble.h"
#include "plan/division.h"
#include "plan/text.h"
#include "support/text.h"
#include "tests/concrete/from_text.h"
#include "tests/plan/changed_text.h"

namespace filigree::plan {
namespace {

using Formats = std::map<std::string, std::string>;

Plan plan_of(const std::string& text, const Formats& formats, const Purpose& purpose = {}) {
  bool two_passes = purpose.mode == Mode::Grow || purpose.mode == Mode::Pattern;
  return make_plan(assemble::assemble(concrete::concretized(text, formats), two_passes), purpose);
}

/// The lines that say how tensors are filled.
std::vector<std::string> filled(const Plan& plan) {
  std::vector<std::string> lines;
  for (const std::string& line : split(to_string(plan), '\n')) {
    if (line.rfind("filled ", 0) == 0) lines.push_back(line.substr(7));
  }
  return lines;
}

using Lines = std::vector<std::string>;

TEST(ChooseFillings, FollowsFromLevelsAndLoops) {
  EXPECT_EQ(filled(plan_of("y(i) = A(i,j)*x(j)", {{"A", "csr"}})), Lines{"y by inserting"});
  EXPECT_EQ(filled(plan_of("A(i,j) = B(i,k)*C(k,j)", {{"A", "csr"}, {"B", "csr"}, {"C", "csr"}})),
            (Lines{"A by appending", "w by inserting"}));
  EXPECT_EQ(filled(plan_of("A(i,j) = B(i,j)*C(i,j)", {{"A", "csr"}, {"B", "csr"}})), Lines{"A as B(i,j) to level 2"});
  EXPECT_EQ(filled(plan_of("A(i,j) = B(i,j)", {{"A", "csr"}, {"B", "csc"}})),
            Lines{"A by placing, counted through B.2(j,i)"});
  EXPECT_EQ(filled(plan_of("A(i,j) = B(i,j)", {{"A", "ell"}, {"B", "csr"}})), Lines{"A in slots within i"});
  EXPECT_EQ(filled(plan_of("A(i,j) = B(i,j)", {{"A", "bcsr(2,2)"}, {"B", "csr"}})),
            (Lines{"A index first through w", "w by inserting"}));
  EXPECT_EQ(filled(plan_of("A(i,j) = B(i,j)", {{"A", "bcsr(2,2)"}, {"B", "csr"}}, {Mode::Values})),
            (Lines{"A by appending", "w by inserting"}));
}

TEST(ChooseFillings, PlacesInPiecesWhereThereAreThreads) {
  Plan sorted = plan_of("A(i,j) = B(i,j)", {{"A", "csr"}, {"B", "csc"}}, {Mode::Grow, true});
  EXPECT_NE(to_string(sorted).find("loop j in pieces by B.2(j,i) over universe"), std::string::npos)
      << to_string(sorted);
  EXPECT_TRUE(uses_threads(sorted));
  concrete::Program pairs =
      concrete::concretize(concrete::statement("A(i,j) = B(i,j)", {{"A", "csr"}, {"B", "coo"}}), true);
  Plan in_order = make_plan(assemble::assemble(pairs), {Mode::Grow, true});
  EXPECT_EQ(filled(in_order), Lines{"A by placing, in pieces, in order of B.1(i)"});
  EXPECT_FALSE(uses_threads(plan_of("A(i,j) = B(i,j)", {{"A", "csr"}, {"B", "csc"}})));
}

TEST(ChooseFillings, ReadsBack) {
  const std::vector<std::pair<Formats, Purpose>> plans = {
      {{{"A", "csr"}, {"B", "csc"}}, {Mode::Grow, true}},     {{{"A", "csr"}, {"B", "coo"}}, {Mode::Pattern, true}},
      {{{"A", "ell"}, {"B", "csr"}}, {Mode::Grow}},           {{{"A", "bcsr(2,2)"}, {"B", "csr"}}, {Mode::Grow}},
      {{{"A", "dcsr"}, {"B", "csc"}}, {Mode::Values, false}}, {{{"A", "csr"}, {"B", "dcsr"}}, {Mode::Fill, true, true}},
  };
  for (const auto& [formats, purpose] : plans) {
    Plan plan = plan_of("A(i,j) = B(i,j)", formats, purpose);
    Plan again = parse(to_string(plan));
    EXPECT_EQ(to_string(again), to_string(plan));
    EXPECT_TRUE(again == plan) << to_string(plan);
    EXPECT_EQ(again.mode, purpose.mode);
    EXPECT_EQ(again.fillings.size(), plan.fillings.size());
  }
}

TEST(VerifyFillings, RefusesWhatCannotBe) {
  std::string product = to_string(plan_of("A(i,j) = B(i,k)*C(k,j)", {{"A", "csr"}, {"B", "csr"}, {"C", "csr"}}));
  auto error = [&](const std::string& from, const std::string& to) { return error_of(replaced(product, from, to)); };
  EXPECT_EQ(error("filled A by appending\n", ""), "The plan cannot run: nothing says how 'A' is filled");
  EXPECT_EQ(error("filled A by appending", "filled A by inserting"),
            "The plan cannot run: a level of 'A' cannot be inserted into");
  EXPECT_EQ(error("filled w by inserting", "filled w by appending"),
            "The plan cannot run: no level of 'w' is appended to");
  EXPECT_EQ(error("filled A by appending", "filled A by placing"), "none") << "rows come from a workspace, twice";
  EXPECT_EQ(error("filled A by appending", "filled A as B(i,k) to level 2"),
            "The plan cannot run: 'A' has not the pattern of 'B' in so many levels");
  EXPECT_EQ(error("filled A by appending", "filled A by appending in pieces of i"),
            "The plan cannot run: 'A' is made in pieces of a loop that is not in pieces");
  EXPECT_EQ(error("filled A by appending", "filled A index first through w"),
            "The plan cannot run: the index of 'A' cannot be there before its values");
  EXPECT_EQ(error("loop j: C.2(k,j)", "loop j in pieces by B.2(i,k): C.2(k,j)"),
            "The plan cannot run: pieces of the loop over 'j' are measured by what is not below it");
  EXPECT_EQ(
      error("filled w by inserting", "filled w"),
      "How it is filled should stand here: by inserting, by appending, by joining, by placing, index first through, in "
      "slots within or as");
  std::string placed = to_string(plan_of("A(i,j) = B(i,j)", {{"A", "csr"}, {"B", "csc"}}));
  EXPECT_EQ(error_of(replaced(placed, "\ntensor", "\nmode values\ntensor")),
            "The plan cannot run: 'A' is placed where its index is not made");
  std::string pairs = to_string(plan_of("A(i,j) = B(j,i)", {{"A", "csr"}, {"B", "coo"}}));
  EXPECT_EQ(error_of(replaced(pairs, "by placing", "by placing, counted through B.2(j,i)")),
            "The plan cannot run: counting nodes of 'A' needs more than one level");
  EXPECT_EQ(error_of(replaced(pairs, "by placing", "by placing, in order of B.1(j)")),
            "The plan cannot run: not every iteration places one node of 'A' behind the others");
}

TEST(VerifyFillings, SiblingsJoinAsAWhole) {
  const Formats all_dok = {{"A", "dok"}, {"B", "dok"}, {"C", "dok"}};
  std::string sum = to_string(plan_of("A(i,j) = B(i,j) + C(i,j)", all_dok));
  auto error = [&](const std::string& from, const std::string& to) { return error_of(replaced(sum, from, to)); };
  EXPECT_EQ(error("filled w by joining", "filled w by inserting"),
            "The plan cannot run: a level of 'w' cannot be inserted into");
  EXPECT_EQ(error("w(j) += B(i,j)", "w(j) += 2.0 * B(i,j)"),
            "The plan cannot run: 'w' is joined by something else than all children of a node");
  EXPECT_EQ(error("A(i,j) = w(j) by levels", "A(i,j) = w(j)"),
            "The plan cannot run: 'w' does not go as a whole to where it is read");
  std::string product = to_string(plan_of("A(i,j) = B(i,k)*C(k,j)", {{"A", "csr"}, {"B", "csr"}, {"C", "csr"}}));
  EXPECT_EQ(error_of(replaced(product, "filled w by inserting", "filled w by joining")),
            "The plan cannot run: nodes cannot join those of 'w'");
}

TEST(VerifyFillings, CoordinatesAreCollectedForALevelThatIsArranged) {
  std::string sum = to_string(plan_of("A(i,j) = B(i,j) + C(i,j)", {{"A", "hash"}, {"B", "hash"}, {"C", "hash"}}));
  EXPECT_NE(sum.find("loop i collected: B.1(i) locate, C.1(i) locate"), std::string::npos) << sum;
  EXPECT_EQ(to_string(parse(sum)), sum);
  std::string rows = to_string(plan_of("A(i,j) = B(i,j) + C(i,j)", {{"A", "csr"}, {"B", "hash"}, {"C", "hash"}}));
  EXPECT_EQ(
      error_of(replaced(rows, "loop i over universe", "loop i collected")),
      "The plan cannot run: coordinates are collected in the loop over 'i', which fills no level that is arranged "
      "first");
}

TEST(OneLoop, FollowsFromLatticeAndStrategy) {
  EXPECT_TRUE(is_one_loop(plan_of("y(i) = A(i,j)*x(j)", {{"A", "csr"}}).root.stmt));
  EXPECT_TRUE(is_one_loop(plan_of("a(i) = 2*b(i)", {{"a", "sparse"}, {"b", "sparse"}}).root.stmt));
  EXPECT_FALSE(is_one_loop(plan_of("a(i) = b(i) + c(i)", {{"b", "sparse"}, {"c", "sparse"}}).root.stmt));
  EXPECT_FALSE(is_one_loop(plan_of("A(i,j) = 2*B(i,j)", {{"A", "csr"}, {"B", "coo"}}).root.stmt));
}

TEST(MeasuredBy, NamesTheLevelBelowTheLoop) {
  auto level = [](const std::string& text, const Formats& formats) {
    Plan plan = plan_of(text, formats);
    std::optional<lattice::Operand> found = measured_by(plan.root.stmt, plan.program);
    return found ? found->tensor.name() + std::to_string(found->level + 1) : "none";
  };
  EXPECT_EQ(level("y(i) = A(i,j)*x(j)", {{"A", "csr"}}), "A2");
  EXPECT_EQ(level("y(i) = A(i,j)*x(j)", {{"A", "dcsr"}}), "A2");
  EXPECT_EQ(level("y(i) = A(i,j)*x(j)", {{"A", "dense"}}), "none");
  EXPECT_EQ(level("y(i) = A(i,j)*x(j)*z(i)", {{"A", "csr"}, {"z", "sparse"}}), "none");
}

}  // namespace
}  // namespace filigree::plan
