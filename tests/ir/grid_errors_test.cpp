// What the interpreter says about launches and parallel loops that break the rules.
#include <gtest/gtest.h>

#include "ir/interpret.h"
#include "ir/verify.h"
#include "tests/ir/grids.h"
#include "tests/ir/kernels.h"

namespace filigree::ir {
namespace {

using namespace testing;

/// What the interpreter says; `y` and `z` have 128 elements each.
std::string error_of(const FunctionDef& function) {
  std::vector<double> y(128), z(128, 1), h(4, 1);
  std::vector<std::int32_t> k(128);
  TensorView operands = view_of({}, {}, &z);
  operands.arrays.push_back(view_of({}, {}, &h).arrays[0]);
  operands.arrays.push_back(view_of({}, {&k}, nullptr).arrays[0]);
  std::vector<TensorView> tensors = {view_of({}, {}, &y), operands};
  try {
    interpret(function, tensors);
  } catch (const InterpreterError& error) {
    return error.what();
  }
  return "";
}

std::string launch_error(const std::string& body, const std::string& after = "") {
  FunctionDef function = parse(small_launch(body, 2, after));
  verify(function);
  return error_of(function);
}

/// The verifier would refuse it; the interpreter notices too.
std::string unverified_error(const std::string& body) {
  FunctionDef function = parse(small_launch(body));
  EXPECT_THROW(verify(function), std::logic_error);
  return error_of(function);
}

TEST(GridErrors, TwoThreadsStoreOneElement) {
  EXPECT_EQ(launch_error("y[0] = 1.0"),
            "race: a store of 'y' at 0 beside a store by block 0, warp 0, lane 0 in 'f', block 0, warp 0, lane 1: y[0] "
            "= 1.0");
  EXPECT_EQ(launch_error("y[t] = 1.0"),
            "race: a store of 'y' at 0 beside a store by block 0, warp 0, lane 0 in 'f', block 1, warp 0, lane 0: y[t] "
            "= 1.0");
  EXPECT_EQ(launch_error("y[b * 64 + t // 2] = 1.0"),
            "race: a store of 'y' at 0 beside a store by block 0, warp 0, lane 0 in 'f', block 0, warp 0, lane 1: y[b "
            "* 64 + t // 2] = 1.0");
  EXPECT_EQ(launch_error("y[b * 64 + t] = 1.0"), "");
}

TEST(GridErrors, OneLoadsWhatAnotherStores) {
  EXPECT_EQ(launch_error("y[b * 64 + t] = y[b * 64 + 63 - t]"),
            "race: a load of 'y' at 31 beside a store by block 0, warp 0, lane 31 in 'f', block 0, warp 1, lane 0: y[b "
            "* 64 + t] = y[b * 64 + 63 - t]");
  EXPECT_EQ(launch_error("if t == 40 {\ny[0] = z[0] + y[1]\n}\nif t == 50 {\ny[1] = 2.0\n}"),
            "race: a store of 'y' at 1 beside a load by block 0, warp 1, lane 8 in 'f', block 0, warp 1, lane 18: y[1] "
            "= 2.0");
}

TEST(GridErrors, ABarrierIsMissing) {
  const std::string fill = "tile[t] = z[t]\n", use = "y[b * 64 + t] = tile[63 - t]";
  EXPECT_EQ(launch_error(fill + "barrier block\n" + use), "");
  EXPECT_EQ(launch_error(fill + use),
            "race: a store of 'tile' at 32 beside a load by block 0, warp 0, lane 31 in 'f', block 0, warp 1, lane 0: "
            "tile[t] = z[t]");
  EXPECT_EQ(launch_error(fill + "barrier warp\n" + use),
            "race: a load of 'tile' at 63 beside a store by block 0, warp 1, lane 31 in 'f', block 0, warp 0, lane 0: "
            "y[b * 64 + t] = tile[63 - t]");
  // Between the turns of a loop: a thread fills the next tile while another still reads this one.
  std::string turns = "for turn = 0 .. 2 {\n" + fill + "barrier block\n" + use + "\n";
  EXPECT_EQ(launch_error(turns + "barrier block\n}"), "");
  EXPECT_EQ(launch_error(turns + "}"),
            "race: a load of 'tile' at 31 beside a store by block 0, warp 0, lane 31 in 'f', block 0, warp 1, lane 0: "
            "y[b * 64 + t] = tile[63 - t]");
}

TEST(GridErrors, ABarrierOfAWarpIsMissing) {
  const std::string fill = "tile[t] = z[t]\n", use = "y[b * 64 + t] = tile[t // 32 * 32 + (t + 31) % 32]";
  EXPECT_EQ(launch_error(fill + "barrier warp\n" + use), "");
  EXPECT_EQ(launch_error(fill + "var s: float64 = 0.0\nlanes s = add(1.0)\n" + use),
            "race: a load of 'tile' at 31 beside a store by block 0, warp 0, lane 31 in 'f', block 0, warp 0, lane 0: "
            "y[b * 64 + t] = tile[t // 32 * 32 + (t + 31) % 32]");
}

TEST(GridErrors, BarriersDoNotOrderBlocks) {
  EXPECT_EQ(launch_error("if b == 0 {\ny[t] = 1.0\n}\nbarrier block\nif b == 1 {\ny[64 + t] = y[t]\n}"),
            "race: a load of 'y' at 0 beside a store by block 0, warp 0, lane 0 in 'f', block 1, warp 0, lane 0: y[64 "
            "+ t] = y[t]");
}

TEST(GridErrors, LaunchesFollowEachOther) {
  std::string next = "block for c = 0 .. 2 {\nthread for u = 0 .. 64 {\ny[(1 - c) * 64 + u] = 2.0\n}\n}";
  EXPECT_EQ(launch_error("y[b * 64 + t] = 1.0", next), "");
}

TEST(GridErrors, AtomicStoresRaceWithTheOthers) {
  const std::string add = "atomic y[0] = y[0] + 1.0\n";
  EXPECT_EQ(launch_error(add), "");
  EXPECT_EQ(launch_error(add + "y[b * 64 + t] = z[0]"),
            "race: an atomic store of 'y' at 0 beside a store by block 0, warp 0, lane 0 in 'f', block 0, warp 0, lane "
            "1: atomic y[0] = y[0] + 1.0");
  EXPECT_EQ(launch_error("if t > 3 {\n" + add + "}\nif t == 5 {\ny[t] = y[0]\n}"),
            "race: a load of 'y' at 0 beside an atomic store by block 0, warp 0, lane 4 in 'f', block 0, warp 0, lane "
            "5: y[t] = y[0]");
  EXPECT_EQ(
      launch_error("atomic y[0] = y[0] + y[1]\nif t == 9 {\ny[1] = 1.0\n}"),
      "race: a store of 'y' at 1 beside a load by block 0, warp 0, lane 0 in 'f', block 0, warp 0, lane 9: y[1] = 1.0");
}

TEST(GridErrors, ThreadsDoNotComeToABarrier) {
  EXPECT_EQ(unverified_error("if t != 3 {\nbarrier block\n}"),
            "divergence: block 0, warp 0, lane 3 has ended and does not come here in 'f', block 0, warp 0, lane 0: "
            "barrier block");
  EXPECT_EQ(unverified_error("if t < 32 {\nbarrier block\n} else {\nbarrier block\n}"),
            "divergence: block 0, warp 1, lane 0 waits at 'barrier block' and does not come here in 'f', block 0, warp "
            "0, lane 0: barrier block");
  EXPECT_EQ(unverified_error("for turn = 0 .. t // 63 {\nbarrier block\n}"),
            "divergence: block 0, warp 0, lane 0 has ended and does not come here in 'f', block 0, warp 1, lane 31: "
            "barrier block");
  EXPECT_EQ(unverified_error("if t == 40 {\nbarrier block\n}\nbarrier warp"),
            "divergence: block 0, warp 1, lane 8 waits at 'barrier block' and does not come here in 'f', block 0, warp "
            "1, lane 0: barrier warp");
  EXPECT_EQ(unverified_error("var s: float64 = 0.0\nif t == 0 {\nlanes s = add(1.0)\n}"),
            "divergence: block 0, warp 0, lane 1 has ended and does not come here in 'f', block 0, warp 0, lane 0: "
            "lanes s = add(1.0)");
}

TEST(GridErrors, AccessesOutOfBounds) {
  EXPECT_EQ(
      launch_error("y[b * 64 + t + 1] = 1.0"),
      "store out of bounds: 'y' at 128, it has 128 elements in 'f', block 1, warp 1, lane 31: y[b * 64 + t + 1] = 1.0");
  EXPECT_EQ(launch_error("tile[t] = z[t - 1]"),
            "load out of bounds: 'z' at -1, it has 128 elements in 'f', block 0, warp 0, lane 0: tile[t] = z[t - 1]");
  EXPECT_EQ(launch_error("tile[t * 2] = 1.0"),
            "store out of bounds: 'tile' at 64, it has 64 elements in 'f', block 0, warp 1, lane 0: tile[t * 2] = 1.0");
}

TEST(GridErrors, SharedMemoryBeginsWithNothingInIt) {
  EXPECT_EQ(launch_error("y[b * 64 + t] = tile[t]"),
            "load of an element that was never written: 'tile' at 0 in 'f', block 0, warp 0, lane 0: y[b * 64 + t] = "
            "tile[t]");
  EXPECT_EQ(launch_error("if b == 0 {\ntile[t] = 1.0\n}\nbarrier block\ny[b * 64 + t] = tile[t]"),
            "load of an element that was never written: 'tile' at 0 in 'f', block 1, warp 0, lane 0: y[b * 64 + t] = "
            "tile[t]");
  // What follows from a value that is none is not what went wrong.
  EXPECT_EQ(launch_error("y[int64(tile[t]) - 1] = 1.0"),
            "load of an element that was never written: 'tile' at 0 in 'f', block 0, warp 0, lane 0: y[int64(tile[t]) "
            "- 1] = 1.0");
}

TEST(GridErrors, DeviceMemory) {
  EXPECT_EQ(launch_error("y[b * 64 + t] = 1.0", "alloc d[4]\ncopy d = h[5]\nfree d"),
            "copy out of bounds: 5 elements, 'd' has 4 in 'f': copy d = h[5]");
  EXPECT_EQ(launch_error("y[b * 64 + t] = 1.0", "alloc d[5]\ncopy d = h[5]\nfree d"),
            "copy out of bounds: 5 elements, 'h' has 4 in 'f': copy d = h[5]");
  EXPECT_EQ(launch_error("y[b * 64 + t] = 1.0", "alloc d[5]\ncopy d = h[-1]\nfree d"),
            "copy out of bounds: -1 elements, 'd' has 5 in 'f': copy d = h[-1]");
  EXPECT_EQ(launch_error("y[b * 64 + t] = 1.0", "alloc d[5]\ncopy y = d[1]\nfree d"),
            "load of an element that was never written: 'd' at 0 in 'f': copy y = d[1]");
}

TEST(GridErrors, BlocksAreTooLarge) {
  std::string next = "block for c = 0 .. 2 {\nthread for u = 0 .. n * 10 {\ny[u] = 2.0\n}\n}";
  EXPECT_EQ(launch_error("y[b * 64 + t] = 1.0", next),
            "launch of 1280 threads in a block, the most is 1024 in 'f': block for c = 0 .. 2 {");
}

TEST(GridErrors, IterationsOfAParallelLoopRaceToo) {
  auto error = [](const std::string& body) {
    FunctionDef function = parse(
        "function f(y, x) {\n  update y: float64[] is y.arrays[0]\n  in k: int32[] is x.arrays[2]\n  local w: "
        "int32[]\n  local v: float64[]\n  local seen: bool[]\n\nalloc w[4]\nalloc zero seen[9]\nfor j = 0 .. 4 {\nw[j] "
        "= int32(j)\n}\nparallel for i = 2 .. 9 {\n" +
        body + "\n}\nfree w\nfree seen\n}\n");
    verify(function);
    return error_of(function);
  };
  EXPECT_EQ(error("y[i] = y[0]"), "");
  EXPECT_EQ(error("y[i // 2] = 1.0"),
            "race: a store of 'y' at 1 beside a store by iteration 2 in 'f', iteration 3: y[i // 2] = 1.0");
  EXPECT_EQ(error("y[i] = y[i - 1]"),
            "race: a load of 'y' at 2 beside a store by iteration 2 in 'f', iteration 3: y[i] = y[i - 1]");
  EXPECT_EQ(error("atomic y[0] = y[0] + 1.0"), "");
  EXPECT_EQ(
      error("atomic y[0] = y[0] + 1.0\ny[i - 2] = 1.0"),
      "race: an atomic store of 'y' at 0 beside a store by iteration 2 in 'f', iteration 3: atomic y[0] = y[0] + 1.0");
  EXPECT_EQ(error("seen[i // 2] = true"), "");
  EXPECT_EQ(error("if i == 8 {\nseen[4] = false\n} else {\nseen[4] = true\n}"),
            "race: a store of 'seen' at 4 beside a store by iteration 2 in 'f', iteration 8: seen[4] = false");
  EXPECT_EQ(error("seen[i // 2] = true\nif seen[1] {\ny[i] = 1.0\n}"),
            "race: a store of 'seen' at 1 beside a load by iteration 2 in 'f', iteration 3: seen[i // 2] = true");
  EXPECT_EQ(error("sort(w, i - 1)"),
            "race: a store of 'w' at 0 beside a store by iteration 2 in 'f', iteration 3: sort(w, i - 1)");
  EXPECT_EQ(
      error("if i == 2 {\nw[3] = 3i32\n}\ny[i] = float64(search(w, 0, 4, i))"),
      "race: a load of 'w' at 3 beside a store by iteration 2 in 'f', iteration 3: y[i] = float64(search(w, 0, 4, i))");
  EXPECT_EQ(error("alloc v[1]\nv[0] = 1.0\ny[i] = v[0]\nfree v"), "");
  EXPECT_EQ(error("alloc v[1]\ncopy v = y[1]\nfree v"), "");
  EXPECT_EQ(error("alloc v[1]\nv[0] = 1.0\ncopy y = v[1]\nfree v"),
            "race: a store of 'y' at 0 beside a store by iteration 2 in 'f', iteration 3: copy y = v[1]");
}

}  // namespace
}  // namespace filigree::ir
