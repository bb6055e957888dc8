// Parallel loops in emitted C.
#include <gtest/gtest.h>

#include "tests/emit/compiled.h"

namespace filigree::emit {
namespace {

using namespace ir;
using namespace ir::testing;
using namespace emit::testing;

/// A host that runs every iteration by itself, the last one first.
void run_backwards(void*, std::int64_t count, void (*body)(void*, std::int64_t, std::int64_t), void* closure) {
  for (std::int64_t n = count; n > 0; n--) body(closure, n - 1, n);
}

TEST(EmitParallelLoops, RunAsTheHostLikes) {
  std::vector<double> x = {1, 2, 3, 4, 5};
  for (bool standalone : {true, false}) {
    Compiled compiled(
        emit_c({{passes::eliminate_dead_code(passes::simplify(sums_in_pieces()))}}, {.standalone = standalone}));
    for (std::int64_t threads : {0, 1, 2, 7}) {
      for (auto* host : {&run_backwards, static_cast<decltype(&run_backwards)>(nullptr)}) {
        std::vector<TensorView> expected = {{{1}, {}}, view_of({5}, {}, &x)}, actual = expected;
        ASSERT_EQ(interpret(sums_in_pieces(), expected, {.threads = threads}), Status::Ok);
        Memory memory;
        memory.runtime.threads = threads;
        memory.runtime.parallel_for = host;
        ASSERT_EQ(run(compiled.entry("sums"), actual, {ElementType::Float64}, memory), 0);
        expect_same(actual[0].arrays[0], expected[0].arrays[0]);
        release(actual[0]);
        release(expected[0]);
      }
    }
  }
}

TEST(EmitParallelLoops, EndTheKernelWhenMemoryRunsOut) {
  // Long rows, so that sorting takes memory.
  std::vector<std::int32_t> pos = {0}, crd;
  std::vector<double> vals;
  for (std::int32_t row = 0; row < 3; row++) {
    for (std::int32_t n = 0; n < 500; n++) crd.push_back((n * 7919 + row) % 500), vals.push_back(n);
    pos.push_back(static_cast<std::int32_t>(crd.size()));
  }
  std::vector<TensorView> tensors = {{{3, 500}, {}}, view_of({3, 500}, {&pos, &crd}, &vals)};
  expect_agreement(sort_rows(), tensors);
  expect_agreement(sort_rows(), tensors, "clang-19");
  expect_agreement(sort_rows(), tensors, "cc -fopenmp -Wno-unused");
}

TEST(EmitParallelLoops, AsFunctionsOfTheirOwn) {
  std::string text = emit_c({{passes::eliminate_dead_code(passes::simplify(sums_in_pieces()))}}, {.standalone = false});
  std::string kernel = text.substr(text.find("/* What the loop"));
  EXPECT_EQ(kernel.substr(0, kernel.find("  y[0] = ")), R"(/* What the loop of sums_piece_arrays needs. */
struct sums_piece {
  int64_t x1_size;
  int64_t threads;
  const double *x_vals;
  double *y_vals;
};

static void sums_piece_arrays(int64_t x1_size, int64_t threads, const double *restrict x_vals,
                              double *restrict y_vals, int64_t begin, int64_t end) {
  for (int64_t piece = begin; piece < end; piece++) {
    double sum = 0.0;
    for (int64_t k = x1_size * piece / threads; k < x1_size * (piece + 1) / threads; k++) {
      sum += x_vals[k];
    }
    y_vals[piece] = sum;
  }
}

static void sums_piece(void *closure, int64_t begin, int64_t end) {
  const struct sums_piece *loop = closure;
  sums_piece_arrays(loop->x1_size, loop->threads, loop->x_vals, loop->y_vals, begin, end);
}

/* What the loop of sums_i_arrays needs. */
struct sums_i {
  int64_t i_first;
  double *y_vals;
};

static void sums_i_arrays(int64_t i_first, double *restrict y_vals, int64_t begin, int64_t end) {
  for (int64_t i_number = begin; i_number < end; i_number++) {
    int64_t i = i_first + i_number;
    y_vals[i] += y_vals[i];
  }
}

static void sums_i(void *closure, int64_t begin, int64_t end) {
  const struct sums_i *loop = closure;
  sums_i_arrays(loop->i_first, loop->y_vals, begin, end);
}

static int sums_arrays(const filigree_runtime *runtime,
                       filigree_array *y,
                       int64_t x1_size, const double *restrict x_vals) {
  int64_t threads = runtime->threads > 1 ? runtime->threads : 1;
  double *y_vals = NULL;

  int64_t y_count = threads;
  ALLOC(y_vals, threads);
  {
    struct sums_piece loop = {x1_size, threads, x_vals, y_vals};
    parallel_for(runtime, threads, sums_piece, &loop);
  }
  {
    int64_t i_first = 1;
    struct sums_i loop = {i_first, y_vals};
    int64_t i_count = threads - i_first;
    parallel_for(runtime, i_count, sums_i, &loop);
  }

)");
}

}  // namespace
}  // namespace filigree::emit
