// The interpreter's grid on whole kernels: the results are those of plain loops, for any size of the grid.
#include <gtest/gtest.h>

#include <random>

#include "passes/eliminate_dead_code.h"
#include "ir/interpret.h"
#include "ir/print.h"
#include "passes/simplify.h"
#include "ir/verify.h"
#include "tests/ir/grids.h"
#include "tests/ir/kernels.h"

namespace filigree::passes {

using namespace ir;
namespace {

using namespace ir::testing;

struct Matrix {
  std::vector<std::int32_t> pos = {0}, crd;
  std::vector<double> vals;
};

/// Rows of all lengths: empty ones, and one that holds a third of all entries.
Matrix random_matrix(int rows, int columns, std::mt19937& random) {
  Matrix made;
  for (int i = 0; i < rows; i++) {
    unsigned length = i == rows / 2 ? static_cast<unsigned>(columns) : random() % 6;
    for (int j = 0; j < columns; j++) {
      if (random() % static_cast<unsigned>(columns) >= length) continue;
      made.crd.push_back(j);
      made.vals.push_back(static_cast<double>(random() % 9) - 4);
    }
    made.pos.push_back(static_cast<std::int32_t>(made.crd.size()));
  }
  return made;
}

std::vector<double> random_vector(std::size_t size, std::mt19937& random) {
  std::vector<double> made(size);
  for (double& value : made) value = static_cast<double>(random() % 9) - 4;
  return made;
}

/// What the function computes; so do the function read back from its text, and shorter ones.
std::vector<double> result_of(const std::string& text, std::vector<TensorView> tensors) {
  FunctionDef function = parse(text);
  verify(function);
  std::optional<std::vector<double>> result;
  for (const FunctionDef& same :
       {function, parse(print(function)), simplify(function), eliminate_dead_code(simplify(function))}) {
    verify(same);
    EXPECT_EQ(interpret(same, tensors), Status::Ok);
    std::vector<double> found = values_of(tensors[0].arrays[0]);
    release(tensors[0]);
    EXPECT_EQ(found, result.value_or(found));
    result = found;
  }
  return *result;
}

TEST(Grid, SparseMatrixTimesVectorByRowsAndByEntries) {
  std::mt19937 random(1);
  for (int rows : {1, 7, 70, 200}) {
    Matrix b = random_matrix(rows, 90, random);
    std::vector<double> x = random_vector(90, random), expected(static_cast<std::size_t>(rows), 0.0);
    for (std::size_t i = 0; i < expected.size(); i++) {
      for (auto p = static_cast<std::size_t>(b.pos[i]); p < static_cast<std::size_t>(b.pos[i + 1]); p++)
        expected[i] += b.vals[p] * x[static_cast<std::size_t>(b.crd[p])];
    }
    std::vector<TensorView> tensors = {
        {{rows}, {}}, view_of({rows, 90}, {&b.pos, &b.crd}, &b.vals), view_of({90}, {}, &x)};
    for (int threads : {1, 32, 45, 128}) {
      EXPECT_EQ(result_of(with_numbers(spmv_by_rows, {{"THREADS", threads}}), tensors), expected)
          << rows << " rows, " << threads << " threads";
    }
    for (int warps : {1, 3}) {
      for (int turns : {1, 2, 5}) {
        EXPECT_EQ(result_of(with_numbers(spmv_by_entries, {{"WARPS", warps}, {"TURNS", turns}}), tensors), expected)
            << rows << " rows, " << warps << " warps, " << turns << " turns";
      }
    }
  }
}

TEST(Grid, SumsThroughSharedMemoryAndLanes) {
  std::mt19937 random(2);
  for (std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{33}, std::size_t{1000}}) {
    std::vector<double> x = random_vector(size, random);
    double expected = 0;
    for (double value : x) expected += value;
    std::vector<TensorView> tensors = {{{}, {}}, view_of({static_cast<std::int64_t>(size)}, {}, &x)};
    for (int blocks : {1, 2, 7}) {
      for (int threads : {1, 2, 64, 256}) {
        EXPECT_EQ(result_of(with_numbers(sum_in_blocks, {{"BLOCKS", blocks}, {"THREADS", threads}}), tensors),
                  std::vector<double>{expected});
      }
      for (int warps : {1, 2, 8}) {
        EXPECT_EQ(result_of(with_numbers(sum_in_warps, {{"BLOCKS", blocks}, {"WARPS", warps}}), tensors),
                  std::vector<double>{expected});
      }
    }
  }
}

TEST(Grid, ProductInTiles) {
  std::mt19937 random(3);
  for (auto [rows, inner, columns] :
       {std::array{1, 1, 1}, std::array{4, 4, 4}, std::array{5, 9, 7}, std::array{16, 3, 20}, std::array{3, 0, 2}}) {
    std::vector<double> b = random_vector(static_cast<std::size_t>(rows * inner), random),
                        c = random_vector(static_cast<std::size_t>(inner * columns), random);
    std::vector<double> expected(static_cast<std::size_t>(rows * columns), 0.0);
    for (int i = 0; i < rows; i++) {
      for (int k = 0; k < inner; k++) {
        for (int j = 0; j < columns; j++)
          expected[static_cast<std::size_t>(i * columns + j)] += b[static_cast<std::size_t>(i * inner + k)] *
                                                                 c[static_cast<std::size_t>(k * columns + j)];
      }
    }
    std::vector<TensorView> tensors = {
        {{rows, columns}, {}}, view_of({rows, inner}, {}, &b), view_of({inner, columns}, {}, &c)};
    for (int side : {1, 2, 4, 8}) {
      EXPECT_EQ(result_of(with_numbers(tiled_product, {{"SIDE", side}, {"AREA", side * side}}), tensors), expected)
          << rows << " x " << inner << " x " << columns << ", side " << side;
    }
  }
}

/// What `y`, of 128 elements that begin as 0, 1, 2, ..., holds after a small launch.
std::vector<double> after_launch(const std::string& body) {
  FunctionDef function = parse(small_launch(body));
  verify(function);
  std::vector<double> y(128), z(128, 1), h(128, 1);
  std::vector<std::int32_t> k(128);
  for (int n = 0; n < 128; n++) y[static_cast<std::size_t>(n)] = n;
  TensorView operands = view_of({}, {}, &z);
  operands.arrays.push_back(view_of({}, {}, &h).arrays[0]);
  operands.arrays.push_back(view_of({}, {&k}, nullptr).arrays[0]);
  std::vector<TensorView> tensors = {view_of({}, {}, &y), operands};
  EXPECT_EQ(interpret(function, tensors), Status::Ok);
  return y;
}

TEST(Grid, LanesCombineInSegmentsOfEqualKeysThatFollowEachOther) {
  // Keys 0 0 0 1 1 1 0 0 0 1 1 1 ...: segments of three, the last of each warp one of two.
  std::vector<double> y = after_launch(R"(
      var sum: int64 = -1
      var first: bool = false
      lanes sum, first = add(t) by t % 32 // 3 % 2
      y[b * 64 + t] = float64(sum)
      if first {
        y[b * 64 + t] = float64(sum) + 1000.0
      })");
  for (int n = 0; n < 128; n++) {
    int t = n % 64, lane = t % 32;
    int sum = lane == 30 ? 2 * t + 1 : 3 * t + 3;
    EXPECT_EQ(y[static_cast<std::size_t>(n)], lane % 3 == 0 ? 1000 + sum : -1) << n;
  }
}

TEST(Grid, AllLanesGetWhatTheyCombineTo) {
  std::vector<double> y = after_launch(R"(
      var most: int64 = 0
      lanes most = max(t * 7 % 32)
      var all: bool = false
      lanes all = and(t < 63)
      y[b * 64 + t] = float64(most) + select(all, 100.0, 200.0))");
  for (int n = 0; n < 128; n++) EXPECT_EQ(y[static_cast<std::size_t>(n)], n % 64 < 32 ? 131 : 231) << n;
}

TEST(Grid, ThreadsOfABlockExchangeAroundBarriers) {
  std::vector<double> y = after_launch(R"(
      var own: float64 = y[b * 64 + t]
      barrier block
      y[b * 64 + 63 - t] = own
      barrier block
      if t >= 32 {
        continue
      }
      y[b * 64 + t] = y[b * 64 + t] + y[b * 64 + 32 + t])");
  for (int n = 0; n < 128; n++) {
    int b = n / 64 * 64, t = n % 64;
    EXPECT_EQ(y[static_cast<std::size_t>(n)], t < 32 ? 2 * b + 63 - t + 31 - t : b + 63 - t) << n;
  }
}

TEST(Grid, LanesOfAWarpExchangeAroundItsBarriers) {
  std::vector<double> y = after_launch(R"(
      for turn = 0 .. 3 {
        var own: float64 = y[b * 64 + t]
        barrier warp
        y[b * 64 + t // 32 * 32 + (t + 1) % 32] = own
        barrier warp
      })");
  for (int n = 0; n < 128; n++) EXPECT_EQ(y[static_cast<std::size_t>(n)], n / 32 * 32 + (n % 32 + 29) % 32) << n;
}

TEST(Grid, ScalarsAreTheThreadsOwn) {
  std::vector<double> y = after_launch(R"(
      var own: int64 = m
      for turn = 0 .. t {
        own = own + turn
      }
      barrier block
      y[b * 64 + t] = float64(own))");
  for (int n = 0; n < 128; n++) EXPECT_EQ(y[static_cast<std::size_t>(n)], 128 + n % 64 * (n % 64 - 1) / 2) << n;
}

}  // namespace
}  // namespace filigree::passes
