// C is not the language of grids, and says so rather than write something else.
#include <gtest/gtest.h>

#include <functional>

#include "emit/c_statement.h"
#include "emit/emit_c.h"
#include "support/check.h"
#include "tests/ir/grids.h"

namespace filigree::emit {
namespace {

using namespace ir;
using namespace ir::testing;

std::string refusal(const std::function<void()>& emits) {
  try {
    emits();
  } catch (const InternalError& error) {
    return error.what();
  }
  return "written";
}

TEST(EmitC, HasNoGrids) {
  const std::string why = "internal error in emit: C has no grids, and no memory but the host's\n  while working on: ";
  FunctionDef launch = parse(small_launch("y[b * 64 + t] = 1.0"));
  EXPECT_EQ(refusal([&] { emit_c({{launch}}); }), why + "block for b = 0 .. 2 {");
  Var d("d", array(ElementType::Float64, MemorySpace::Device)), h("h", array(ElementType::Float64)),
      sum("sum", scalar(ElementType::Float64));
  EXPECT_EQ(refusal([&] { c_text(Alloc{d, integer(4)}); }), why + "alloc d[4]");
  EXPECT_EQ(refusal([&] { c_text(Copy{d, h, integer(4)}); }), why + "copy d = h[4]");
  EXPECT_EQ(refusal([&] { c_text(Barrier{BarrierScope::Warp}); }), why + "barrier warp");
  EXPECT_EQ(refusal([&] { c_text(LaneReduce{sum, Operator::Add, sum}); }), why + "lanes sum = add(sum)");
}

}  // namespace
}  // namespace filigree::emit
