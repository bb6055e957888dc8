#include "passes/strips.h"

#include <gtest/gtest.h>

#include "ir/print.h"
#include "ir/verify.h"
#include "tests/ir/kernels.h"

namespace filigree::passes {

using namespace ir;
namespace {

using namespace ir::testing;

const Var rows = int_var("rows"), columns = int_var("columns"), offsets = index_array("offsets"), x = value_array("x"),
          y = value_array("y"), count = int_var("count"), diagonals = int_var("diagonals"), p = int_var("p"),
          d = int_var("d"), i = int_var("i");

Stmt add_to(const Expr& at, const Expr& value) { return store(y, at, add(Load{y, at}, value)); }
const Expr begin = max(integer(0), subtract(integer(0), d)), end = min(rows, subtract(columns, d));

/// Over diagonals, each a part of the rows.
Stmt over_diagonals(const Stmt& inside, const Expr& from = begin, const Expr& to = end) {
  return For{p, integer(0), diagonals, block({declare(d, load_index(offsets, p)), For{i, from, to, inside}})};
}

/// In a function that adds to y(rows).
FunctionDef adding(const Stmt& loop) {
  return {"f",
          {"y", "A", "x"},
          {out_array(y, 0, 0, count), dimension(rows, 0, 0), dimension(diagonals, 1, 0), in_array(offsets, 1, 0),
           dimension(columns, 2, 0), in_array(x, 2, 0)},
          block({declare(count, rows), Alloc{y, count, true}, loop}),
          {}};
}

std::string in_strips(const Stmt& loop) {
  FunctionDef function = adding(loop);
  verify(function);
  FunctionDef result = strips(function);
  verify(result);
  if (result.body == function.body) return "as it was";
  std::string text = print(result.body);
  return text.substr(text.find("if "));
}

Stmt sum_of_neighbours() { return over_diagonals(add_to(i, Load{x, add(d, i)})); }

TEST(Strips, AllLoopsGoThroughAStripBeforeTheNext) {
  std::string text = in_strips(sum_of_neighbours());
  EXPECT_EQ(text.substr(0, text.find("} else {")), R"(if diagonals <= 64 {
  for strip = 0 .. (max(0, rows) + 2047) // 2048 {
    var i_first: int64 = strip * 2048
    for p = 0 .. diagonals {
      var d: int64 = int64(offsets[p])
      for i = max(max(0, 0 - d), i_first) .. min(min(rows, columns - d), i_first + 2048) {
        y[i] = y[i] + x[d + i]
      }
    }
  }
)");
}

TEST(Strips, SumsAreTheSame) {
  FunctionDef usual = adding(sum_of_neighbours()), function = strips(usual);
  std::vector<std::int32_t> at = {-5000, -2049, -2048, -1, 0, 1, 2047, 4095, 4100};
  for (std::int64_t size : {0, 1, 2047, 2048, 2049, 4100, 6145}) {
    for (std::int64_t width : {1, 2048, 4101}) {
      std::vector<double> vector(static_cast<size_t>(width));
      for (size_t n = 0; n < vector.size(); n++) vector[n] = static_cast<double>(n + 1);
      auto run = [&](const FunctionDef& f) {
        std::vector<TensorView> tensors = {{{size}, {}},
                                           view_of({static_cast<std::int64_t>(at.size())}, {&at}, nullptr),
                                           view_of({width}, {}, &vector)};
        EXPECT_EQ(interpret(f, tensors), Status::Ok);
        std::vector<double> out = values_of(tensors[0].arrays[0]);
        release(tensors[0]);
        return out;
      };
      EXPECT_EQ(run(function), run(usual)) << size << " rows, " << width << " columns";
    }
  }
}

TEST(Strips, OtherLoopsStay) {
  Expr value = Load{x, add(d, i)};
  EXPECT_EQ(in_strips(over_diagonals(add_to(i, value), integer(0), rows)), "as it was") << "all rows each time";
  EXPECT_EQ(in_strips(over_diagonals(add_to(i, value), begin, subtract(columns, d))), "as it was")
      << "nobody knows where all of them end";
  EXPECT_EQ(in_strips(over_diagonals(add_to(add(d, i), value))), "as it was") << "other elements each time";
  EXPECT_EQ(in_strips(over_diagonals(store(y, i, add(Load{y, i}, Load{y, add(d, i)})))), "as it was")
      << "elements depend on each other";
}

}  // namespace
}  // namespace filigree::passes
