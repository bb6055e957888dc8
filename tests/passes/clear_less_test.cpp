#include "passes/clear_less.h"

#include <gtest/gtest.h>

#include "ir/print.h"
#include "ir/verify.h"
#include "tests/ir/kernels.h"

namespace filigree::passes {

using namespace ir;
namespace {

using namespace ir::testing;

const Var n = int_var("n"), i = int_var("i"), j = int_var("j"), q = int_var("q"), count = int_var("count"),
          other = int_var("other"), y = value_array("y");
const Expr one = constant(Scalar::of(ElementType::Float64, 1.0)), none = constant(Scalar(ElementType::Float64));

/// What is left of memory that is cleared and of a loop that comes after it.
std::string cleared(const Stmt& clear, const Stmt& loop) {
  Stmt body = block({declare(count, n), declare(other, integer(3)), clear, loop});
  FunctionDef function{"f", {"y"}, {out_array(y, 0, 0, count), dimension(n, 0, 0)}, body, {}};
  verify(function);
  FunctionDef result = clear_less(function);
  verify(result);
  if (result.body == function.body) return "as it was";
  std::string text = print(result.body);
  return text.substr(text.find("other: int64 = 3\n") + 17);
}

const Stmt zeroed = Alloc{y, n, true};
Stmt over_all(const Stmt& body, LoopKind kind = LoopKind::Serial) { return For{i, integer(0), n, body, kind}; }

TEST(ClearLess, WhatIsWrittenInAnyCase) {
  EXPECT_EQ(cleared(zeroed, over_all(store(y, i, one))), R"(alloc y[n]
for i = 0 .. n {
  y[i] = 1.0
}
)");
  Stmt by_loop = block({Alloc{y, n}, For{q, integer(0), n, store(y, q, none)}});
  EXPECT_EQ(cleared(by_loop, over_all(store(y, i, one), LoopKind::Parallel)), R"(alloc y[n]
parallel for i = 0 .. n {
  y[i] = 1.0
}
)");
  Stmt inner = For{j, integer(0), n, if_then(less(i, j), Break{})};
  EXPECT_NE(cleared(zeroed, over_all(block({inner, store(y, i, one)}))), "as it was") << "an inner loop ends early";
}

TEST(ClearLess, WhatMayBeLeftOutStaysCleared) {
  EXPECT_EQ(cleared(zeroed, over_all(if_then(less(i, other), store(y, i, one)))), "as it was");
  EXPECT_EQ(cleared(zeroed, over_all(store(y, i, add(Load{y, i}, one)))), "as it was") << "added to what is there";
  EXPECT_EQ(cleared(zeroed, over_all(block({if_then(less(i, other), Continue{}), store(y, i, one)}))), "as it was");
  EXPECT_EQ(cleared(zeroed, over_all(block({if_then(less(other, i), Break{}), store(y, i, one)}))), "as it was");
  EXPECT_EQ(cleared(zeroed, For{i, integer(0), other, store(y, i, one)}), "as it was") << "only some elements";
  EXPECT_EQ(cleared(zeroed, For{i, integer(1), n, store(y, i, one)}), "as it was") << "all but the first";
  EXPECT_EQ(cleared(zeroed, over_all(store(y, integer(0), one))), "as it was") << "one element";
  Stmt first_added = block({store(y, integer(0), add(Load{y, integer(0)}, one)), over_all(store(y, i, one))});
  EXPECT_EQ(cleared(zeroed, first_added), "as it was") << "read before";
}

}  // namespace
}  // namespace filigree::passes
