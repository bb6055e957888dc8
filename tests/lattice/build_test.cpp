// The lattices of textbooks.
#include "lattice/lattice.h"

#include <gtest/gtest.h>

#include "tests/concrete/from_text.h"

namespace filigree::lattice {
namespace {

using concrete::Formats;

/// The lattice of the outermost loop, a line a point.
std::string lattice_of(const std::string& text, const Formats& formats) {
  concrete::Program program = concrete::concretized(text, formats);
  const concrete::Forall& loop = *program.statement.as<concrete::Forall>();
  std::string lines = to_string(build_lattice(loop, {}));
  return lines.substr(lines.find('\n') + 1);
}

Lattice built(const std::string& text, const Formats& formats) {
  concrete::Program program = concrete::concretized(text, formats);
  const concrete::Forall& loop = *program.statement.as<concrete::Forall>();
  return build_lattice(loop, {});
}

const Formats sparse = {{"a", "s"}, {"b", "s"}, {"c", "s"}, {"d", "s"}};

TEST(BuildLattice, UnionKeepsBothTails) {
  EXPECT_EQ(lattice_of("a(i) = b(i) + c(i)", sparse),
            "  {b1, c1}: a(i) = b(i) + c(i)\n  {b1}: a(i) = b(i)\n  {c1}: a(i) = c(i)\n");
}

TEST(BuildLattice, IntersectionHasOnePoint) {
  EXPECT_EQ(lattice_of("a(i) = b(i)*c(i)", sparse), "  {b1, c1}: a(i) = b(i)*c(i)\n");
}

TEST(BuildLattice, LogicIsLikeArithmetic) {
  EXPECT_EQ(lattice_of("a(i) = b(i) and c(i)", sparse), "  {b1, c1}: a(i) = b(i) and c(i)\n");
  EXPECT_EQ(lattice_of("a(i) = b(i) > 0 or c(i) > 0", sparse),
            "  {b1, c1}: a(i) = b(i) > 0 or c(i) > 0\n  {b1}: a(i) = b(i) > 0\n  {c1}: a(i) = c(i) > 0\n");
}

TEST(BuildLattice, KnownConditionsPickBranches) {
  EXPECT_EQ(lattice_of("a(i) = select(b(i), c(i), d(i))", sparse),
            "  {b1, c1, d1}: a(i) = select(b(i), c(i), d(i))\n  {b1, c1}: a(i) = select(b(i), c(i), 0)\n"
            "  {b1, d1}: a(i) = select(b(i), 0, d(i))\n  {d1}: a(i) = d(i)\n");
  EXPECT_EQ(lattice_of("a(i) = select(b(i) > 1, c(i), 0)", {{"a", "s"}, {"b", "d"}, {"c", "s"}}),
            "  {c1}: a(i) = select(b(i) > 1, c(i), 0)\n");
}

TEST(BuildLattice, CountsPointsThatAddAConstantToAScalar) {
  EXPECT_EQ(lattice_of("x = sum(i, b(i) + 2)", {{"b", "s"}}), "  {b1}: x += b(i) + 2\n  skipped: x += 2.0\n");
}

TEST(BuildLattice, DropsPointsThatDoNothing) {
  EXPECT_EQ(lattice_of("a(i) = b(i)*c(i) + d(i)", sparse),
            "  {b1, c1, d1}: a(i) = b(i)*c(i) + d(i)\n  {b1, c1}: a(i) = b(i)*c(i)\n  {d1}: a(i) = d(i)\n");
}

TEST(BuildLattice, LeavesOutLevelsThatAreAlwaysFound) {
  EXPECT_EQ(lattice_of("a(i) = b(i)*c(i)", {{"b", "s"}}), "  {b1}: a(i) = b(i)*c(i)\n");
}

TEST(BuildLattice, RunsOverTheUniverseUnderADenseTerm) {
  EXPECT_EQ(lattice_of("a(i) = b(i) + c(i)", {{"b", "s"}}), "  {b1}: a(i) = b(i) + c(i)\n  universe: a(i) = c(i)\n");
  EXPECT_TRUE(built("a(i) = b(i) + c(i)", {{"b", "s"}}).has_universe());
}

TEST(BuildLattice, RunsOverTheUniverseIfADeeperOperandHasWork) {
  EXPECT_EQ(lattice_of("A(i,j) = b(i) + c(j)", {{"b", "s"}, {"c", "s"}}),
            "  {b1}: forall(j, A(i,j) = b(i) + c(j))\n  universe: forall(j, A(i,j) = c(j))\n");
}

TEST(BuildLattice, NegatesWhatIsOnlySubtracted) {
  EXPECT_EQ(lattice_of("a(i) = b(i) - c(i)", sparse),
            "  {b1, c1}: a(i) = b(i) - c(i)\n  {b1}: a(i) = b(i)\n  {c1}: a(i) = -c(i)\n");
}

TEST(BuildLattice, PutsTheFillWhereOperatorsNeedIt) {
  EXPECT_EQ(lattice_of("a(i) = max(b(i), c(i))", sparse),
            "  {b1, c1}: a(i) = max(b(i), c(i))\n  {b1}: a(i) = max(b(i), 0)\n  {c1}: a(i) = max(0, c(i))\n");
}

TEST(BuildLattice, TakesTwoUsesOfOneOperandAsOne) {
  EXPECT_EQ(built("a(i) = b(i)*b(i) + b(i)", sparse).operands.size(), 1u);
  EXPECT_EQ(built("a(i) = b(i)*b(i) + b(i)", sparse).points.size(), 1u);
}

TEST(BuildLattice, OrdersPointsFromManyOperandsToFew) {
  Lattice lattice = built("a(i) = b(i) + c(i) + d(i)", sparse);
  EXPECT_EQ(lattice.points.size(), 7u);
  for (size_t n = 1; n < lattice.points.size(); n++) {
    EXPECT_GE(__builtin_popcount(lattice.points[n - 1].present), __builtin_popcount(lattice.points[n].present));
  }
}

TEST(BuildLattice, WalksALevelOnlyUnderItsParents) {
  concrete::Program program = concrete::concretized("A(i,j) = B(i,j)", {{"B", "csr"}});
  const concrete::Forall& outer = *program.statement.as<concrete::Forall>();
  const concrete::Forall& inner = *outer.body.as<concrete::Forall>();
  EXPECT_TRUE(build_lattice(outer, {}).operands.empty());
  EXPECT_EQ(build_lattice(inner, {outer.var}).operands.size(), 1u);
}

TEST(DescribeLattices, ShowsEveryLoopUnderItsParents) {
  concrete::Program program = concrete::concretized("A(i,j) = B(i,j)", {{"B", "csr"}});
  EXPECT_EQ(describe_lattices(program),
            "forall i\n  universe: forall(j, A(i,j) = B(i,j))\n  forall j\n    {B2}: A(i,j) = B(i,j)\n");
}

}  // namespace
}  // namespace filigree::lattice
