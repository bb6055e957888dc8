#include "passes/whole_blocks.h"

#include <gtest/gtest.h>

#include "ir/print.h"
#include "ir/verify.h"
#include "tests/ir/kernels.h"

namespace filigree::passes {

using namespace ir;
namespace {

using namespace ir::testing;

const Var rows = int_var("rows"), columns = int_var("columns"), x = value_array("x"), y = value_array("y"),
          count = int_var("count"), ib = int_var("ib"), jb = int_var("jb"), ii = int_var("ii"), ji = int_var("ji"),
          i = int_var("i"), j = int_var("j");

/// With a loop over blocks around it, in a function that adds to y(rows).
FunctionDef with_blocks(const Stmt& loop) {
  Expr blocks = quotient(add(rows, integer(3)), integer(4));
  Stmt body = block(
      {declare(count, rows), Alloc{y, count, true}, For{ib, integer(0), blocks, For{jb, integer(0), blocks, loop}}});
  return {"f",
          {"y", "x"},
          {out_array(y, 0, 0, count), dimension(rows, 0, 0), dimension(columns, 1, 0), in_array(x, 1, 0)},
          body,
          {}};
}

std::string whole(const Stmt& loop) {
  FunctionDef function = with_blocks(loop);
  verify(function);
  FunctionDef result = whole_blocks(function);
  verify(result);
  if (result.body == function.body) return "as it was";
  std::string text = print(result.body);
  text = text.substr(text.find("  for jb = "));
  return text.substr(text.find('\n') + 1);
}

/// Over the places of a block, those of rows within the dimension.
Stmt over_places(const Expr& base, const Stmt& inside, int places = 4) {
  return For{ii, integer(0), integer(places), block({declare(i, add(base, ii)), if_then(less(i, rows), inside)})};
}
Stmt add_to_row(const Expr& value) { return store(y, i, add(Load{y, i}, value)); }
const Expr one = constant(Scalar::of(ElementType::Float64, 1.0));
const Expr row_base = multiply(integer(4), ib);

Stmt matrix_block() {
  Expr column_base = multiply(integer(4), jb);
  return over_places(row_base,
                     For{ji, integer(0), integer(4),
                         block({declare(j, add(column_base, ji)), if_then(less(j, columns), add_to_row(Load{x, j}))})});
}

TEST(WholeBlocks, OneQuestionForLoopsInsideOfEachOther) {
  std::string text = whole(matrix_block());
  EXPECT_EQ(text.substr(0, text.find("} else {")), R"(    if 4 * ib + 3 < rows and 4 * jb + 3 < columns {
      for ii = 0 .. 4 {
        var i: int64 = 4 * ib + ii
        for ji = 0 .. 4 {
          var j: int64 = 4 * jb + ji
          y[i] = y[i] + x[j]
        }
      }
    )");
  EXPECT_NE(text.find("if i < rows {"), std::string::npos) << "the last block asks at each place";
}

TEST(WholeBlocks, SumsAreThoseOfAllPlaces) {
  FunctionDef function = whole_blocks(with_blocks(matrix_block()));
  for (std::int64_t size = 1; size < 13; size++) {
    std::vector<double> vector(static_cast<size_t>(size)), expected(static_cast<size_t>(size));
    double sum = 0;
    for (std::int64_t n = 0; n < size; n++) sum += vector[static_cast<size_t>(n)] = static_cast<double>(n + 1);
    for (double& row : expected) row = sum;
    std::vector<TensorView> tensors = {{{size}, {}}, view_of({size}, {}, &vector)};
    ASSERT_EQ(interpret(function, tensors), Status::Ok);
    EXPECT_EQ(values_of(tensors[0].arrays[0]), expected) << size;
    release(tensors[0]);
  }
}

TEST(WholeBlocks, OtherLoopsStay) {
  EXPECT_EQ(whole(over_places(multiply(integer(4), multiply(ii, ib)), add_to_row(one))), "as it was")
      << "no block: where it begins depends on the place";
  EXPECT_EQ(whole(over_places(row_base, add_to_row(one), 1)), "as it was") << "one place";
  EXPECT_EQ(whole(over_places(row_base, add_to_row(one), 1000)), "as it was") << "many places";
  Stmt long_loop =
      For{ii, integer(0), rows, block({declare(i, add(row_base, ii)), if_then(less(i, rows), add_to_row(one))})};
  EXPECT_EQ(whole(long_loop), "as it was") << "as many places as there are rows";
  Stmt either_way =
      For{ii, integer(0), integer(4),
          block({declare(i, add(row_base, ii)), if_then(less(i, rows), add_to_row(one), store(y, ib, one))})};
  EXPECT_EQ(whole(either_way), "as it was") << "something is done beyond the dimension";
}

}  // namespace
}  // namespace filigree::passes
