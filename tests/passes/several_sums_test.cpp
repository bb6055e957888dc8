#include "passes/several_sums.h"

#include <gtest/gtest.h>

#include "ir/print.h"
#include "ir/verify.h"
#include "tests/ir/kernels.h"

namespace filigree::passes {

using namespace ir;
namespace {

using namespace ir::testing;

const Csr B("B");
const Var y = value_array("y"), x = value_array("x"), count = int_var("count"), i = int_var("i"), p = int_var("p"),
          j = int_var("j"), t("t", scalar(ElementType::Float64));

Expr product(const Expr& column) { return multiply(Load{B.vals, p}, Load{x, column}); }
For fibre(const Stmt& body) {
  return {p, load_index(B.pos, i), load_index(B.pos, add(i, integer(1))), body, LoopKind::Simd};
}

FunctionDef with_loop(const Stmt& loop) {
  Stmt body = block(
      {declare(count, B.rows), Alloc{y, count, true},
       For{i, integer(0), B.rows, block({declare(t, constant(Scalar(ElementType::Float64))), loop, store(y, i, t)})}});
  return {"f",
          {"y", "B", "x"},
          {out_array(y, 0, 0, count), dimension(B.rows, 1, 0), in_array(B.pos, 1, 0), in_array(B.crd, 1, 1),
           in_array(B.vals, 1, 2), in_array(x, 2, 0)},
          body,
          {}};
}

/// What becomes of a loop over a fibre of B; "as it was" if nothing does.
std::string several(const Stmt& loop) {
  FunctionDef function = with_loop(loop);
  verify(function);
  FunctionDef result = several_sums(function);
  verify(result);
  if (result.body == function.body) return "as it was";
  std::string text = print(result.body);
  return text.substr(text.find("t: float64 = 0.0\n") + 17);
}

Stmt adding() { return block({declare(j, load_index(B.crd, p)), assign(t, add(t, product(j)))}); }

TEST(SeveralSums, PlacesThatAreLoadedAreAddedUpFourAtATime) {
  EXPECT_EQ(several(fibre(adding())), R"(  var t_1: float64 = 0.0
  var t_2: float64 = 0.0
  var t_3: float64 = 0.0
  var p: int64 = int64(B2_pos[i])
  var p_end: int64 = int64(B2_pos[i + 1])
  while p + 4 <= p_end {
    var j: int64 = int64(B2_crd[p])
    t = t + B_vals[p] * x[j]
    var j_1: int64 = int64(B2_crd[p + 1])
    t_1 = t_1 + B_vals[p + 1] * x[j_1]
    var j_2: int64 = int64(B2_crd[p + 2])
    t_2 = t_2 + B_vals[p + 2] * x[j_2]
    var j_3: int64 = int64(B2_crd[p + 3])
    t_3 = t_3 + B_vals[p + 3] * x[j_3]
    p = p + 4
  }
  t = t + t_2 + (t_1 + t_3)
  while p < p_end {
    var j: int64 = int64(B2_crd[p])
    t = t + B_vals[p] * x[j]
    p = p + 1
  }
  y[i] = t
}
)");
}

TEST(SeveralSums, FibresOfAllLengthsAreAddedUp) {
  FunctionDef function = several_sums(with_loop(fibre(adding())));
  for (int length = 0; length < 14; length++) {
    std::vector<std::int32_t> pos = {0, length, length}, crd;
    std::vector<double> vals, dense;
    double sum = 0;
    for (int n = 0; n < length; n++) {
      crd.push_back(length - 1 - n);
      vals.push_back(n + 1);
      dense.push_back(n);
      sum += (n + 1) * (length - 1 - n);
    }
    std::vector<TensorView> tensors = {{{2}, {}}, view_of({2}, {&pos, &crd}, &vals), view_of({length}, {}, &dense)};
    ASSERT_EQ(interpret(function, tensors), Status::Ok);
    EXPECT_EQ(values_of(tensors[0].arrays[0]), (std::vector<double>{sum, 0})) << length;
    release(tensors[0]);
  }
}

TEST(SeveralSums, OtherLoopsStay) {
  EXPECT_EQ(several(fibre(assign(t, add(t, product(p))))), "as it was") << "side by side: for registers";
  Expr along = add(load_index(B.pos, i), p);
  EXPECT_EQ(several(fibre(assign(t, add(t, product(along))))), "as it was") << "from a place that stays";
  For serial = fibre(adding());
  serial.loop = LoopKind::Serial;
  EXPECT_EQ(several(serial), "as it was") << "in the order of the numbers";
  EXPECT_EQ(several(fibre(assign(t, product(load_index(B.crd, p))))), "as it was") << "no sum";
  Stmt weighted = assign(t, add(t, multiply(t, Load{x, load_index(B.crd, p)})));
  EXPECT_EQ(several(fibre(weighted)), "as it was") << "needs the sum so far";
  EXPECT_EQ(several(fibre(store(y, load_index(B.crd, p), Load{B.vals, p}))), "as it was") << "writes";
  EXPECT_EQ(several(fibre(if_then(less(p, B.rows), adding()))), "as it was") << "not in all iterations";
}

}  // namespace
}  // namespace filigree::passes
