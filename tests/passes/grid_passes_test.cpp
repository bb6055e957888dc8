// Passes leave launches as they mean, and as the verifier wants them.
#include <gtest/gtest.h>

#include "passes/eliminate_dead_code.h"
#include "passes/fetch_ahead.h"
#include "ir/print.h"
#include "ir/rewrite.h"
#include "passes/simplify.h"
#include "ir/verify.h"
#include "tests/ir/grids.h"

namespace filigree::passes {

using namespace ir;
namespace {

using namespace ir::testing;

template <class Pass>
std::string after(Pass pass, const std::string& body) {
  FunctionDef function = parse(small_launch(body));
  verify(function);
  FunctionDef done = pass(function);
  verify(done);
  return print(done.body);
}
std::string simplified(const std::string& body) {
  return after([](const FunctionDef& f) { return simplify(f); }, body);
}
std::string eliminated(const std::string& body) {
  return after([](const FunctionDef& f) { return eliminate_dead_code(f); }, body);
}

TEST(GridPasses, SimplifyFoldsInDeviceCode) {
  EXPECT_EQ(simplified("var s: int64 = t\nvar f: bool = true\nvar g: bool = 1 < 2\nif g {\nbarrier block\n}\nlanes f = "
                       "and(2 < 3)\ny[b * 64 + s + 0] = select(f, 1.0, 2.0)"),
            R"(block for b = 0 .. 2 {
  alloc tile[64]
  thread for t = 0 .. 64 {
    var f: bool = true
    barrier block
    lanes f = and(true)
    y[b * 64 + t] = select(f, 1.0, 2.0)
  }
}
)");
}

TEST(GridPasses, SimplifyDropsLaunchesOfNothing) {
  EXPECT_EQ(simplified("if 2 < 1 {\ny[0] = 1.0\n}"), "");
  EXPECT_EQ(simplified("var s: int64 = 1"), "");
}

TEST(GridPasses, BarriersStayWhereTheirLaunchDoes) {
  EXPECT_EQ(eliminated("tile[t] = 1.0\nbarrier block"), "");
  EXPECT_EQ(
      eliminated("var s: int64 = 0\nfor q = 0 .. m {\ntile[t] = 1.0\nbarrier warp\ns = s + 1\n}\ny[b * 64 + t] = 1.0"),
      R"(var m: int64 = n
block for b = 0 .. 2 {
  thread for t = 0 .. 64 {
    for q = 0 .. m {
      barrier warp
    }
    y[b * 64 + t] = 1.0
  }
}
)");
}

TEST(GridPasses, ReductionsNobodyReadsGo) {
  const std::string reduced = "var s: float64 = 0.0\nvar f: bool = false\nlanes s, f = add(z[t]) by t // 3\n";
  EXPECT_EQ(eliminated(reduced + "y[b * 64 + t] = 1.0").find("lanes"), std::string::npos);
  EXPECT_NE(eliminated(reduced + "y[b * 64 + t] = s").find("lanes s, f = add(z[t]) by t // 3"), std::string::npos);
  EXPECT_NE(eliminated(reduced + "if f {\ny[b * 64 + t] = 1.0\n}").find("lanes s, f = add(z[t]) by t // 3"),
            std::string::npos);
}

TEST(GridPasses, CopiesNobodyReadsGo) {
  auto kept = [](const std::string& last) {
    FunctionDef function =
        parse(small_launch("y[b * 64 + t] = 1.0", 2, "alloc d[4]\ncopy d = h[4]\n" + last + "free d"));
    verify(function);
    FunctionDef done = eliminate_dead_code(function);
    verify(done);
    return print(done.body).find("copy d = h[4]") != std::string::npos;
  };
  EXPECT_FALSE(kept(""));
  EXPECT_TRUE(kept("copy y = d[4]\n"));
}

TEST(GridPasses, NothingIsFetchedAheadInDeviceCode) {
  const std::string scatter =
      "for p = int64(k[0]) .. int64(k[1]) {\nvar j: int64 = int64(k[p])\nvar q: int64 = int64(y[j])\ny[j] = y[j] + "
      "1.0\nd[q] = 1.0\n}";
  FunctionDef function = parse(small_launch(scatter));
  EXPECT_EQ(fetch_ahead(function).body, function.body);
}

TEST(GridPasses, ArraysAreRenamedEverywhere) {
  FunctionDef function = parse(small_launch("y[b * 64 + t] = z[t]", 2, "copy y = z[n]"));
  Var other("other", array(ElementType::Float64, MemorySpace::Device));
  Substitution names;
  for (const Var& var : free_variables(function.body)) {
    if (var.name() == "z") names.set(var, other);
  }
  std::string text = print(substitute(function.body, names));
  EXPECT_EQ(text.find("z["), std::string::npos);
  EXPECT_NE(text.find("copy y = other[n]"), std::string::npos);
}

}  // namespace
}  // namespace filigree::passes
