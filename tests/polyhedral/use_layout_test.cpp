// Layouts as formats: what is proven of them.
#include <gtest/gtest.h>

#include "polyhedral/prove.h"
#include "polyhedral/solver.h"
#include "polyhedral/use_layout.h"
#include "support/text.h"
#include "tests/layouts/examples.h"

namespace filigree::polyhedral {
namespace {

/// "located", "rising", "falling, once" and so on, by level.
std::string described(const std::string& name) {
  UsedLayout used = use_layout(layouts::example(name));
  std::vector<std::string> levels;
  for (const Level& level : used.format.levels()) {
    level::Properties p = level.format->properties();
    std::string text = level.format->locate()                    ? "located"
                       : p.ordered == level::Ordered::Increasing ? "rising"
                       : p.ordered == level::Ordered::Decreasing ? "falling"
                                                                 : "unordered";
    levels.push_back(text + (p.unique ? "" : " repeated") + (level.format->search() ? " searched" : ""));
  }
  return join(levels, ", ");
}

TEST(UseLayout, ProvesWhatLoopsRelyOn) {
  if (!is_built_with_solver()) GTEST_SKIP() << "built without Z3";
  EXPECT_EQ(described("sparse_vector"), "rising searched");
  EXPECT_EQ(described("csr"), "located, rising searched");
  EXPECT_EQ(described("dcsr"), "rising searched, rising searched");
  EXPECT_EQ(described("coo_sorted"), "rising repeated searched, rising");
  EXPECT_EQ(described("coo_unsorted"), "unordered repeated, unordered");
  EXPECT_EQ(described("bcsr8u"), "located, rising");
  EXPECT_EQ(described("lower_triangle"), "located, located");
  EXPECT_EQ(described("warp"), "located, rising");
  EXPECT_EQ(described("two_four"), "located, rising");
  EXPECT_EQ(described("sliced_ell"), "located, rising");
  EXPECT_EQ(described("sell_c_sigma"), "unordered, rising");
  EXPECT_EQ(described("jds"), "unordered, rising");
  EXPECT_EQ(described("permuted_rows"), "unordered, rising searched");
  EXPECT_EQ(described("hyb"), "unordered repeated, unordered repeated");
}

/// Positions of a level need not all be nodes: fibres are counted by the entries.
TEST(UseLayout, KnowsHowLongFibresAre) {
  Coordinates entries{{4, 5, 6}, {{0, 0, 0, 2, 2}, {1, 1, 4, 0, 0}, {0, 3, 5, 1, 2}}, layouts::reals({1, 2, 3, 4, 5})};
  for (const char* name : {"csf", "coo3", "morton3"}) {
    UsedLayout used = use_layout(layouts::example(name));
    if (used.format.levels().size() != 3) continue;
    AnyTensor tensor = AnyTensor::pack(entries, used.format);
    const Statistics& statistics = tensor.statistics();
    EXPECT_EQ(statistics.stored, 5) << name;
    EXPECT_EQ(statistics.levels[1].longest_fibre, 3) << name;
    EXPECT_EQ(statistics.levels[2].longest_fibre, 2) << name;
  }
}

TEST(UseLayout, GivesTheSameLayoutTheSameFormatAndRefusesAnotherOfItsName) {
  layouts::Layout csr = layouts::example("csr");
  EXPECT_EQ(use_layout(csr).name, "csr_layout");
  EXPECT_EQ(use_layout(csr).format, use_layout(csr).format);
  layouts::Layout other = csr;
  other.properties.pop_back();
  EXPECT_THROW(use_layout(other), UserError);
}

TEST(Prove, TellsACounterexample) {
  if (!is_built_with_solver()) GTEST_SKIP() << "built without Z3";
  using layouts::Expr, layouts::Formula;
  auto less = [](const Expr& a, const Expr& b) { return Formula::compare(Formula::Kind::Less, a, b); };
  Expr a = Expr::name("a"), b = Expr::name("a", true), zero = Expr::number(0);
  EXPECT_TRUE(prove({{less(zero, a)}, less(zero, a + Expr::number(1))}).proven);
  Proof proof = prove({{less(zero, a), less(zero, b), less(b, Expr::number(2))}, less(a, b)});
  EXPECT_FALSE(proof.proven);
  EXPECT_EQ(proof.counterexample, "a = 1, a' = 1");
}

TEST(Solve, AsksForTheSameProofOnce) {
  if (!is_built_with_solver()) GTEST_SKIP() << "built without Z3";
  const std::string question = "(declare-const x Int)\n(assert (< x x))\n";
  solve(question);
  int before = questions_asked();
  EXPECT_EQ(solve(question).answer, Answer::Unsatisfiable);
  EXPECT_EQ(questions_asked(), before);
}

TEST(Simplify, TellsWhetherASetIsEmpty) {
  if (!is_built_with_solver()) GTEST_SKIP() << "built without isl";
  std::optional<SimplifiedSet> some =
      simplify("[n] -> { [i] : 0 <= i and i < n and i < n + 5 }", "[n] -> { : n >= 0 }");
  ASSERT_TRUE(some);
  EXPECT_EQ(some->text, "[n] -> { [i] : 0 <= i < n }");
  EXPECT_FALSE(some->is_empty);
  EXPECT_TRUE(simplify("[n] -> { [i] : 0 <= i and i < n and n < 0 }", "[n] -> { : n >= 0 }")->is_empty);
}

}  // namespace
}  // namespace filigree::polyhedral
