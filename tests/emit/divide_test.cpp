// Kernels in parts, each a function: what is in which part, and that nothing else changes.
#include "emit/divide.h"

#include <gtest/gtest.h>

#include "emit/c_statement.h"
#include "tests/emit/compiled.h"

namespace filigree::emit {
namespace {

using namespace ir;
using namespace ir::testing;
using namespace emit::testing;

void expect_agreement_in_parts(const FunctionDef& function, const std::vector<TensorView>& arguments) {
  expect_agreement(function, arguments, "cc", 1);  // all that can be is in a part of its own
  expect_agreement(function, arguments, "clang-19", 8);
}

std::string divided_text(const FunctionDef& function, std::size_t largest) {
  std::string text = emit_c({{function}}, {.standalone = false, .largest_function = largest});
  return text.substr(text.find("/* Compilers"));
}

Stmt steps(const Var& count, int number) {
  return block(std::vector<Stmt>(static_cast<std::size_t>(number), increment(count)));
}

TEST(Divide, PartsAreOfModerateSize) {
  Var count = int_var("count"), i = int_var("i");
  Stmt loop = For{i, integer(0), integer(9), steps(count, 20)};
  Division division = divide(block({declare(count, integer(0)), steps(count, 30), loop, steps(count, 5)}), {}, 64);
  std::vector<std::size_t> numbers;
  for (const Part& part : division.parts) numbers.push_back(number_of_statements(part.body));
  EXPECT_EQ(numbers, (std::vector<std::size_t>{16, 15, 21, 5}));
  EXPECT_EQ(division.shared, std::vector<Var>{count});
}

TEST(Divide, WhatIsTooLargeForOnePartIsDividedInside) {
  Var count = int_var("count"), i = int_var("i");
  Stmt loop = For{i, integer(0), integer(9), steps(count, 20)};
  Division division = divide(block({declare(count, integer(0)), loop}), {}, 16);
  EXPECT_EQ(division.parts.size(), 6);
  EXPECT_EQ(c_text(division.parts[0].body), "count = 0;\n");
  EXPECT_EQ(c_text(division.parts[1].body), "count++;\ncount++;\ncount++;\ncount++;\n");
  const Block* left = division.body.as<Block>();
  ASSERT_TRUE(left && left->statements.size() == 2);
  EXPECT_TRUE(left->statements[0].same_as(division.parts[0].place));
  EXPECT_NE(left->statements[1].as<For>(), nullptr);
}

TEST(Divide, WhatLeavesALoopStaysInIt) {
  Var count = int_var("count"), i = int_var("i");
  Stmt leave = if_then(less(integer(3), count), Break{});
  Division division =
      divide(block({declare(count, integer(0)),
                    For{i, integer(0), integer(9), block({increment(count), leave, increment(count)})}}),
             {}, 1);
  for (const Part& part : division.parts) EXPECT_EQ(c_text(part.body).find("break"), std::string::npos);
  EXPECT_NE(c_text(division.body).find("break"), std::string::npos);
}

TEST(Divide, OnlyWhatAPartChangesForOthersIsShared) {
  Var x = value_array("x"), w = value_array("w"), n = int_var("n"), inside = int_var("inside"),
      shared = int_var("shared"), last = int_var("last");
  Stmt body = block({declare(shared, n), declare(inside, shared), Alloc{w, inside},
                     store(w, integer(0), Load{x, shared}), declare(last, shared), Free{w}});
  Division division = divide(body, {last}, 9);  // parts of two statements
  EXPECT_EQ(division.shared, (std::vector<Var>{shared, inside, w, last}));
  ASSERT_EQ(division.parts.size(), 3);
  EXPECT_EQ(division.parts[0].changed, (std::vector<Var>{shared, inside}));
  EXPECT_EQ(division.parts[0].given, std::vector<Var>{n});
  EXPECT_EQ(division.parts[1].changed, std::vector<Var>{w});
  EXPECT_EQ(division.parts[1].given, (std::vector<Var>{inside, x, shared}));
  EXPECT_EQ(division.parts[2].changed, (std::vector<Var>{w, last}));
}

TEST(EmitParts, AgreeWithTheWhole) {
  std::vector<std::int32_t> pos = {0, 2, 2, 4}, crd = {0, 2, 1, 2}, c_pos = {0, 2, 3, 5}, c_crd = {1, 3, 0, 0, 1};
  std::vector<double> vals = {1, 2, 3, 4}, x = {1, 10, 100}, c = {1, 1, 10, 100, 5};
  expect_agreement_in_parts(spmv(), {{{3}, {}}, view_of({3, 3}, {&pos, &crd}, &vals), view_of({3}, {}, &x)});
  std::vector<TensorView> product = {
      {{3, 4}, {}}, view_of({3, 3}, {&pos, &crd}, &vals), view_of({3, 4}, {&c_pos, &c_crd}, &c)};
  expect_agreement_in_parts(scatter_product(), product);
  expect_agreement_in_parts(table_product(), product);
}

TEST(EmitParts, ArraysGrowInThem) {
  std::vector<std::int32_t> b_pos = {0, 3}, b_crd = {1, 4, 7}, c_pos = {0, 4}, c_crd = {0, 4, 8, 9};
  std::vector<double> b = {1, 2, 3}, c = {10, 20, 30, 40};
  expect_agreement_in_parts(vector_add(),
                            {{{10}, {}}, view_of({10}, {&b_pos, &b_crd}, &b), view_of({10}, {&c_pos, &c_crd}, &c)});
}

TEST(EmitParts, HaveParallelLoopsAndAreInsideOfThem) {
  std::vector<std::int32_t> pos = {0}, crd;
  std::vector<double> vals;
  for (std::int32_t row = 0; row < 3; row++) {
    for (std::int32_t n = 0; n < 500; n++) crd.push_back((n * 7919 + row) % 500), vals.push_back(n);
    pos.push_back(static_cast<std::int32_t>(crd.size()));
  }
  expect_agreement_in_parts(sort_rows(), {{{3, 500}, {}}, view_of({3, 500}, {&pos, &crd}, &vals)});
  std::vector<double> x = {1, 2, 3, 4, 5};
  expect_agreement_in_parts(sums_in_pieces(), {{{1}, {}}, view_of({5}, {}, &x)});
  EXPECT_NE(divided_text(sort_rows(), 1).find("sort_rows_i_part1("), std::string::npos);
}

TEST(EmitParts, EndTheKernelEarly) {
  Var y = value_array("y_vals"), n = int_var("n"), extent = int_var("extent");
  Stmt body = block({declare(n, integer(0)), Alloc{y, extent, true},
                     if_then(equal(extent, integer(3)), Return{Status::Ok}), assign(n, extent)});
  FunctionDef function{"early", {"y"}, {out_array(y, 0, 0, n), dimension(extent, 0, 0)}, body, {}};
  expect_agreement_in_parts(function, {{{3}, {}}});
  expect_agreement_in_parts(function, {{{4}, {}}});
}

TEST(EmitParts, ReleaseEverythingWhenTheyFail) {
  Var y = value_array("y_vals"), n = int_var("n"), extent = int_var("extent"), w = index_array("w");
  for (Status status : {Status::DoesNotFit, Status::PatternMismatch}) {
    Stmt body = block({declare(n, extent), Alloc{y, extent, true}, Alloc{w, extent, true},
                       if_then(equal(load_index(w, integer(0)), integer(0)), Return{status}), Free{w}});
    FunctionDef function{"fails", {"y"}, {out_array(y, 0, 0, n), dimension(extent, 0, 0)}, body, {}};
    std::vector<TensorView> tensors = {{{3}, {}}};
    for (std::size_t largest : {1, 4}) {
      Compiled compiled(emit_c({{function}}, {.largest_function = largest}));
      Memory memory;
      EXPECT_EQ(run(compiled.entry("fails"), tensors, {ElementType::Float64}, memory), static_cast<int>(status));
      EXPECT_EQ(memory.blocks, 0);
    }
  }
}

TEST(EmitParts, UsersNamesNeverClashWithTheirs) {
  Var y = value_array("frame"), n = int_var("status"), x = value_array("copy_part1"), m = int_var("copy_frame"),
      i = int_var("leave");
  Stmt body = block({declare(n, m), Alloc{y, n}, For{i, integer(0), n, store(y, i, Load{x, i})}});
  FunctionDef function{
      "copy", {"frame", "status"}, {out_array(y, 0, 0, n), dimension(m, 0, 0), in_array(x, 1, 0)}, body, {}};
  std::vector<double> x_data = {1, 2, 3};
  expect_agreement_in_parts(function, {{{3}, {}}, view_of({3}, {}, &x_data)});
}

TEST(EmitParts, AreFunctionsThatReadLikeKernels) {
  std::string text = divided_text(passes::eliminate_dead_code(passes::simplify(spmv())), 4);
  EXPECT_EQ(text.substr(0, text.find("int spmv(")),
            R"(/* Compilers take time that grows with the square of a function's size, so spmv is in parts. */
/* What the parts of spmv change for each other. */
struct spmv_frame {
  int64_t y_size;
  double *y_vals;
  double sum;
};

static __attribute__((noinline)) void spmv_part1(const filigree_runtime *runtime,
                                                 struct spmv_frame *frame, int64_t B1_size) {
  frame->y_size = B1_size;
}

static __attribute__((noinline)) int spmv_part2(const filigree_runtime *runtime,
                                                struct spmv_frame *frame, int64_t B1_size) {
  int status = 0;

  ALLOC(frame->y_vals, B1_size);

leave:
  return status;

out_of_memory:
  status = 1;
  goto leave;
}

static __attribute__((noinline)) void spmv_part3(const filigree_runtime *runtime,
                                                 struct spmv_frame *frame) {
  frame->sum = 0.0;
}

static __attribute__((noinline)) void spmv_part4(const filigree_runtime *runtime,
                                                 struct spmv_frame *frame,
                                                 const int32_t *restrict B2_pos, int64_t i,
                                                 const double *restrict B_vals,
                                                 const double *restrict x_vals,
                                                 const int32_t *restrict B2_crd) {
  double sum = frame->sum;

  for (int64_t p = B2_pos[i]; p < B2_pos[i + 1]; p++) {
    sum += B_vals[p] * x_vals[B2_crd[p]];
  }

  frame->sum = sum;
}

static __attribute__((noinline)) void spmv_part5(const filigree_runtime *runtime,
                                                 double *restrict y_vals, int64_t i, double sum) {
  y_vals[i] = sum;
}

static int spmv_arrays(const filigree_runtime *runtime,
                       filigree_array *y,
                       int64_t B1_size, const int32_t *restrict B2_pos,
                       const int32_t *restrict B2_crd, const double *restrict B_vals,
                       const double *restrict x_vals) {
  struct spmv_frame frame = {0};
  int status = 0;

  spmv_part1(runtime, &frame, B1_size);
  status = spmv_part2(runtime, &frame, B1_size);
  if (status) goto leave;
  for (int64_t i = 0; i < B1_size; i++) {
    spmv_part3(runtime, &frame);
    spmv_part4(runtime, &frame, B2_pos, i, B_vals, x_vals, B2_crd);
    spmv_part5(runtime, frame.y_vals, i, frame.sum);
  }

leave:
  if (status > 0) {
    FREE(frame.y_vals);
    return status;
  }
  y[0] = (filigree_array){frame.y_vals, frame.y_size};
  return 0;
}

)");
}

TEST(EmitParts, OnlyWhereKernelsAreLarge) {
  for (const FunctionDef& function : {spmv(), vector_add(), scatter_product(), table_product(), sort_rows()}) {
    EXPECT_EQ(emit_c({{function}}).find("_part1"), std::string::npos);
  }
}

}  // namespace
}  // namespace filigree::emit
