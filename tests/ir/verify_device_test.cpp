// What the verifier accepts and refuses of device code, and of host code around it.
#include <gtest/gtest.h>

#include "ir/verify.h"
#include "support/check.h"
#include "tests/ir/grids.h"

namespace filigree::ir {
namespace {

using namespace testing;

std::string refusal(const std::string& text) {
  try {
    verify(parse(text));
  } catch (const InternalError& error) {
    std::string what = error.what();
    const std::string opening = "internal error in ir verify: ";
    return what.starts_with(opening) ? what.substr(opening.size(), what.find('\n') - opening.size()) : what;
  }
  return "accepted";
}
std::string in_thread(const std::string& body) { return refusal(small_launch(body)); }
std::string on_host(const std::string& code) { return refusal(small_launch("y[b * 64 + t] = 1.0", 2, code)); }
/// The text of a launch, in place of the one there.
std::string launching(const std::string& launch) { return on_host(launch); }

TEST(VerifyDevice, AcceptsGrids) {
  EXPECT_EQ(in_thread("y[b * 64 + t] = z[t] * tile[t]"), "accepted");
  EXPECT_EQ(launching("block for c = 0 .. n {\n# each warp\nwarp for v = 0 .. m {\nvar s: int64 = c + v\nthread for u "
                      "= 0 .. 32 {\nvar r: int64 = s + u\nr = r + 1\n}\n}\n}"),
            "accepted");
  EXPECT_EQ(launching("block for c = 0 .. int64(h[0]) {\nthread for u = 0 .. m + 1 {\ncontinue\n}\n}"), "accepted");
  EXPECT_EQ(in_thread("var p: int64 = search(k, 0, t, t) + gallop(k, 0, t, t) + hash_find(k, 0, 64, t)\nif p < m "
                      "{\nfor q = 0 .. p {\nbreak\n}\n}"),
            "accepted");
  EXPECT_EQ(on_host("alloc zero d[n]\ncopy d = h[n]\ncopy y = d[n]\nfree d"), "accepted");
}

TEST(VerifyDevice, RefusesMemoryOfTheWrongSide) {
  EXPECT_EQ(in_thread("y[t] = h[t]"), "host array touched by device code: 'h'");
  EXPECT_EQ(refusal(small_launch("w[t] = 1.0", 2, "alloc w[2]\nfree w")), "host array touched by device code: 'w'");
  EXPECT_EQ(on_host("m = int64(z[0])"), "device array touched by host code: 'z'");
  EXPECT_EQ(on_host("y[0] = 1.0"), "device array touched by host code: 'y'");
  EXPECT_EQ(on_host("m = search(k, 0, 1, 1)"), "device array touched by host code: 'k'");
  EXPECT_EQ(on_host("alloc d[4]\ngrow d[8]\nfree d"), "device array touched by host code: 'd'");
  EXPECT_EQ(on_host("block for c = 0 .. int64(z[0]) {\nthread for u = 0 .. 4 {\ncontinue\n}\n}"),
            "device array touched by host code: 'z'");
  EXPECT_EQ(on_host("tile[0] = 1.0"), "shared array touched outside of its block: 'tile'");
  EXPECT_EQ(on_host("m = int64(tile[0])"), "shared array touched outside of its block: 'tile'");
  EXPECT_EQ(launching("block for c = 0 .. 1 {\nthread for u = 0 .. 4 {\ntile[u] = 1.0\n}\n}"),
            "array used before it is allocated: 'tile'");
  EXPECT_EQ(on_host("copy tile = h[2]"), "copy to or from a shared array: 'tile'");
  EXPECT_EQ(refusal("function f(y) {\n  update y: float64[] shared is y.arrays[0]\n\n}\n"),
            "parameter that is a shared array: 'y'");
}

TEST(VerifyDevice, RefusesWrongCopies) {
  EXPECT_EQ(on_host("copy z = h[2]"), "write to an In parameter: 'z'");
  EXPECT_EQ(on_host("copy y = y[2]"), "copy of an array to itself: 'y'");
  EXPECT_EQ(on_host("copy y = k[2]"), "copy to an array of another type: 'y'");
  EXPECT_EQ(on_host("copy y = d[2]"), "array used before it is allocated: 'd'");
  EXPECT_EQ(on_host("copy y = z[2.0]"), "count is float64, not int64");
}

TEST(VerifyDevice, RefusesSharedArraysThatCannotBe) {
  auto with = [](const std::string& alloc) {
    return launching("block for c = 0 .. 1 {\n" + alloc + "\nthread for u = 0 .. 4 {\ntile[u] = 1.0\n}\n}");
  };
  EXPECT_EQ(with("alloc tile[6144]"), "accepted");
  EXPECT_EQ(with("alloc tile[6145]"), "shared arrays of more than 48 KiB: 'tile'");
  EXPECT_EQ(with("alloc tile[n]"), "shared array whose size is no positive constant: 'tile'");
  EXPECT_EQ(with("alloc tile[0]"), "shared array whose size is no positive constant: 'tile'");
  EXPECT_EQ(with("alloc zero tile[4]"), "shared array that begins as zeros: 'tile'");
  EXPECT_EQ(with("alloc tile[4]\nalloc tile[4]"), "shared array allocated again: 'tile'");
  EXPECT_EQ(with("alloc w[4]"), "allocation in device code: 'w'");
  EXPECT_EQ(on_host("alloc tile[4]"), "shared array allocated outside of a block loop: 'tile'");
  EXPECT_EQ(
      launching(
          "block for c = 0 .. 1 {\nwarp for v = 0 .. 1 {\nalloc tile[4]\nthread for u = 0 .. 32 {\ncontinue\n}\n}\n}"),
      "shared array allocated outside of a block loop: 'tile'");
}

TEST(VerifyDevice, RefusesGridsThatAreNone) {
  EXPECT_EQ(on_host("thread for u = 0 .. 4 {\ncontinue\n}"), "thread loop outside of a block loop");
  EXPECT_EQ(on_host("warp for u = 0 .. 4 {\ncontinue\n}"), "warp loop outside of a block loop");
  EXPECT_EQ(launching("block for c = 0 .. 1 {\nvar s: int64 = c\n}"), "grid without a thread loop: 'c'");
  EXPECT_EQ(launching("block for c = 0 .. 1 {\nwarp for v = 0 .. 2 {\nvar s: int64 = c\n}\n}"),
            "grid without a thread loop: 'v'");
  EXPECT_EQ(launching("block for c = 1 .. 2 {\nthread for u = 0 .. 4 {\ncontinue\n}\n}"),
            "loop of a grid that does not begin at 0: 'c'");
  EXPECT_EQ(launching("block for c = 0 .. 2 {\nwarp for v = 0 .. 2 {\nthread for u = 0 .. 16 {\ncontinue\n}\n}\n}"),
            "thread loop in a warp loop that is not '0 .. 32': 'u'");
  EXPECT_EQ(launching("block for c = 0 .. 2 {\nthread for u = 0 .. c + 1 {\ncontinue\n}\n}"),
            "extent of a grid that is not known at launch: 'u'");
  EXPECT_EQ(launching("block for c = 0 .. 2 {\nvar s: int64 = 4\nthread for u = 0 .. s {\ncontinue\n}\n}"),
            "extent of a grid that is not known at launch: 'u'");
  EXPECT_EQ(launching("block for c = 0 .. 2 {\nthread for u = 0 .. int64(z[0]) {\ncontinue\n}\n}"),
            "extent of a grid that is not known at launch: 'u'");
  EXPECT_EQ(
      launching(
          "block for c = 0 .. 2 {\nthread for u = 0 .. 4 {\ncontinue\n}\nthread for v = 0 .. 4 {\ncontinue\n}\n}"),
      "statement of a grid behind its thread loop");
  EXPECT_EQ(launching("block for c = 0 .. 2 {\ny[c] = 1.0\nthread for u = 0 .. 4 {\ncontinue\n}\n}"),
            "statement between the loops of a grid");
  EXPECT_EQ(launching("block for c = 0 .. 2 {\nfor q = 0 .. 2 {\nthread for u = 0 .. 4 {\ncontinue\n}\n}\n}"),
            "statement between the loops of a grid");
  EXPECT_EQ(launching("block for c = 0 .. 2 {\nblock for d = 0 .. 2 {\ncontinue\n}\n}"),
            "loop of a grid in the wrong place");
  EXPECT_EQ(launching("parallel for i = 0 .. 2 {\nblock for c = 0 .. 2 {\nthread for u = 0 .. 4 {\ncontinue\n}\n}\n}"),
            "launch inside of a parallel loop");
  EXPECT_EQ(in_thread("block for c = 0 .. 2 {\nthread for u = 0 .. 4 {\ncontinue\n}\n}"), "launch inside of a launch");
  EXPECT_EQ(in_thread("thread for u = 0 .. 4 {\ncontinue\n}"), "loop of a grid in the wrong place");
}

TEST(VerifyDevice, RefusesWhatOnlyTheHostCanDo) {
  EXPECT_EQ(in_thread("parallel for q = 0 .. 4 {\ncontinue\n}"), "parallel loop in device code");
  EXPECT_EQ(in_thread("alloc w[4]\nfree w"), "allocation in device code: 'w'");
  EXPECT_EQ(in_thread("alloc tile[4]"), "allocation in device code: 'tile'");
  EXPECT_EQ(in_thread("grow d[4]"), "growth in device code: 'd'");
  EXPECT_EQ(in_thread("free d"), "free in device code: 'd'");
  EXPECT_EQ(in_thread("copy y = z[4]"), "copy in device code: 'y'");
  EXPECT_EQ(in_thread("new sparse"), "table in device code: 'sparse'");
  EXPECT_EQ(in_thread("return ok"), "return in device code");
  EXPECT_EQ(in_thread("return out_of_memory"), "return in device code");
  EXPECT_EQ(in_thread("sort(k, 4)"), "'sort' in device code, which only the host can call");
  EXPECT_EQ(in_thread("sort_segment(k, y, 0, 4)"), "'sort_segment' in device code, which only the host can call");
  EXPECT_EQ(in_thread("fetch(y, 4)"), "'fetch' in device code, which only the host can call");
  EXPECT_EQ(in_thread("var s: int64 = table_size(sparse)"),
            "'table_size' in device code, which only the host can call");
  EXPECT_EQ(in_thread("m = 3"), "assignment in device code to a variable from outside of the launch: 'm'");
  EXPECT_EQ(in_thread("b = 3"), "assignment to a loop variable or parameter: 'b'");
  EXPECT_EQ(in_thread("z[t] = 3.0"), "write to an In parameter: 'z'");
  EXPECT_EQ(in_thread("break"), "break out of a parallel loop");
  EXPECT_EQ(on_host("barrier block"), "barrier outside of device code");
  EXPECT_EQ(on_host("lanes m = add(1)"), "lane reduction outside of device code");
}

TEST(VerifyDevice, RefusesWrongLaneReductions) {
  const std::string declared = "var s: float64 = 0.0\nvar q: int8 = 0i8\nvar f: bool = false\n";
  EXPECT_EQ(in_thread(declared + "lanes s = add(z[t])\nlanes s, f = max(z[t]) by t"), "accepted");
  EXPECT_EQ(in_thread(declared + "lanes s = add(t)"), "value of the lane reduction is int64, not float64");
  EXPECT_EQ(in_thread(declared + "lanes s = subtract(z[t])"), "lane reduction with 'subtract', whose order matters");
  EXPECT_EQ(in_thread(declared + "lanes s = and(s)"), "lane reduction to another type: 's'");
  EXPECT_EQ(in_thread(declared + "lanes s, q = add(z[t]) by t"), "mark of first lanes that is no Bool: 'q'");
  EXPECT_EQ(in_thread(declared + "lanes s, f = add(z[t]) by z[t]"), "key of the lane reduction is float64, not int64");
  EXPECT_EQ(in_thread(declared + "lanes t = add(t)"), "assignment to a loop variable or parameter: 't'");
  EXPECT_EQ(in_thread(declared + "lanes m = add(t)"),
            "assignment in device code to a variable from outside of the launch: 'm'");
}

TEST(VerifyDevice, RefusesBarriersThatSomeThreadsDoNotReach) {
  const std::string block = "barrier that not all threads of the block may reach",
                    warp = "barrier that not all lanes of the warp may reach";
  EXPECT_EQ(in_thread("if b == 1 {\nbarrier block\n}\nfor q = 0 .. m {\nbarrier block\n}"), "accepted");
  EXPECT_EQ(in_thread("if t < 32 {\nbarrier block\n}"), block);
  EXPECT_EQ(in_thread("if b == 1 {\ny[t] = 1.0\n} else {\nif t == 0 {\nbarrier block\n}\n}"), block);
  EXPECT_EQ(in_thread("for q = 0 .. t {\nbarrier block\n}"), block);
  EXPECT_EQ(in_thread("for q = 0 .. int64(k[t]) {\nbarrier block\n}"), block);
  EXPECT_EQ(in_thread("for q = 0 .. int64(k[b]) {\nbarrier block\n}"), "accepted");
  EXPECT_EQ(in_thread("if t < 32 {\nbarrier warp\n}"), warp);
  // Through variables, also those that get their values later in a loop.
  EXPECT_EQ(in_thread("var s: int64 = t\nvar r: int64 = s * 2\nif r > 3 {\nbarrier block\n}"), block);
  EXPECT_EQ(in_thread("var s: int64 = 0\nwhile s < 4 {\nbarrier block\ns = s + 1\n}"), "accepted");
  EXPECT_EQ(in_thread("var s: int64 = 0\nwhile s < 4 {\nbarrier block\ns = s + t\n}"), block);
  EXPECT_EQ(in_thread("var s: int64 = 0\nif t == 1 {\ns = 1\n}\nif s == 1 {\nbarrier block\n}"), block);
  // Jumps: what is skipped, and loops that some leave early.
  EXPECT_EQ(in_thread("barrier block\nif t == 1 {\ncontinue\n}\ny[t] = 1.0"), "accepted");
  EXPECT_EQ(in_thread("if t == 1 {\ncontinue\n}\nbarrier block"), block);
  EXPECT_EQ(in_thread("if b == 1 {\ncontinue\n}\nbarrier block"), "accepted");
  EXPECT_EQ(in_thread("for q = 0 .. 4 {\nif q == t {\ncontinue\n}\ny[t] = 1.0\n}\nbarrier block"), "accepted");
  EXPECT_EQ(in_thread("for q = 0 .. 4 {\nbarrier block\nif q == t {\nbreak\n}\n}"), block);
  EXPECT_EQ(in_thread("for q = 0 .. 4 {\nif q == t {\nbreak\n}\n}\nbarrier block"), "accepted");
}

TEST(VerifyDevice, BarriersOfWarpsStandWhereWarpsDiffer) {
  auto in_warp = [](const std::string& body) {
    return launching("block for c = 0 .. 2 {\nwarp for v = 0 .. 2 {\nthread for u = 0 .. 32 {\nvar s: int64 = 0\n" +
                     body + "\n}\n}\n}");
  };
  EXPECT_EQ(in_warp("if v == 1 {\nbarrier warp\n}\nfor q = 0 .. v {\nlanes s = add(u)\n}"), "accepted");
  EXPECT_EQ(in_warp("if v == 1 {\nbarrier block\n}"), "barrier that not all threads of the block may reach");
  EXPECT_EQ(in_warp("lanes s = add(u)\nif s > 1 {\nbarrier warp\n}"), "accepted");
  EXPECT_EQ(in_warp("lanes s = add(u)\nif s > 1 {\nbarrier block\n}"),
            "barrier that not all threads of the block may reach");
  EXPECT_EQ(in_warp("var f: bool = false\nlanes s, f = add(u) by u\nif f {\nbarrier warp\n}"),
            "barrier that not all lanes of the warp may reach");
  EXPECT_EQ(in_warp("if u == 0 {\nlanes s = add(u)\n}"), "lane reduction that not all lanes of the warp may reach");
}

}  // namespace
}  // namespace filigree::ir
