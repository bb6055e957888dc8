// Loops that units of a GPU share: what they mean before they are in launches, and that launches mean the same.
#include "passes/offload.h"

#include <gtest/gtest.h>

#include "ir/interpret.h"
#include "ir/parse.h"
#include "ir/print.h"
#include "ir/verify.h"
#include "support/check.h"
#include "support/diagnostic.h"
#include "tests/ir/kernels.h"

namespace filigree::passes {

using namespace ir;

namespace {

using namespace ir::testing;

/// y = 2 * x, with loops around the only statement.
std::string doubled(const std::string& loops, const std::string& ends) {
  return R"(function double(y, x) {
  in n: int64 is x.dimensions[0]
  in x: float64[] is x.arrays[0]
  in x_count: int64 is x.arrays[0].count
  out y: float64[y_count] is y.arrays[0]

  alloc zero y[n]
)" + loops +
         "y[i] = x[i] * 2.0\n" + ends + R"(
  var y_count: int64 = n
}
)";
}

std::string sums(const std::string& units) {
  return R"(function total(y, x) {
  in n: int64 is x.dimensions[0]
  in x: float64[] is x.arrays[0]
  in x_count: int64 is x.arrays[0].count
  out y: float64[y_count] is y.arrays[0]

  alloc zero y[1]
  for b = 0 .. 1 shared by 1 blocks as b {
    for i = 0 .. n )" +
         units + R"( {
      y[0] = y[0] + x[i]
    }
  }
  var y_count: int64 = 1
}
)";
}

std::vector<double> run(const FunctionDef& function, std::vector<double> x) {
  verify(function);
  std::vector<TensorView> tensors = {{{static_cast<std::int64_t>(x.size())}, {}},
                                     view_of({static_cast<std::int64_t>(x.size())}, {}, &x)};
  EXPECT_EQ(interpret(function, tensors), Status::Ok);
  std::vector<double> found = values_of(tensors[0].arrays[0]);
  release(tensors[0]);
  return found;
}

void expect_same(const std::string& text) {
  FunctionDef function = parse(text);
  EXPECT_EQ(print(parse(print(function))), print(function));
  EXPECT_TRUE(is_for_units(function));
  FunctionDef launched = offload(function, {});
  EXPECT_FALSE(is_for_units(launched));
  for (int size : {0, 1, 7, 100}) {
    std::vector<double> x;
    for (int n = 0; n < size; n++) x.push_back(n + 1);
    EXPECT_EQ(run(launched, x), run(function, x)) << print(launched);
  }
}

TEST(Offload, LaunchesDoWhatTheLoopsDo) {
  expect_same(doubled("for i = 0 .. n shared by 32 threads as i {\n", "}\n"));
  expect_same(doubled("for i = 0 .. n shared by 3 warps as i {\n", "}\n"));
  expect_same(
      doubled("for b = 0 .. (n + 9) // 10 shared by 1 blocks as b {\n"
              "for i = 10 * b .. min(n, 10 * b + 10) shared by 10 threads as i, one each {\n",
              "}\n}\n"));
  expect_same(
      doubled("for b = 0 .. (n + 9) // 10 shared by 1 blocks as b {\n"
              "for i = 10 * b .. min(n, 10 * b + 10) shared by 4 threads as i {\n",
              "}\n}\n"));
}

TEST(Offload, SumsAreTakenByThreadsAndThenByLanes) {
  for (const char* count : {"1", "8", "32", "64"})
    expect_same(sums(std::string("shared by ") + count + " threads as i, sums y by add"));
}

TEST(Offload, SaysWhatCannotRunWhereItWasAsked) {
  std::string text = sums("shared by 32 threads as i");
  text.replace(text.find("y[0] = y[0]"), 0, "alloc w[n]\nfree w\n");
  text.replace(text.find("\n  alloc zero"), 0, "  local w: float64[]\n");
  try {
    offload(parse(text), {{"b", {make_source("-s", "parallelize(b, gpu_block, none)"), {12, 13}}}});
    FAIL() << "it was launched";
  } catch (const UserError& error) {
    EXPECT_EQ(error.message(), "The loop over 'b' cannot run on a GPU: memory is taken inside of it");
    EXPECT_NE(error.text().find("-s"), std::string::npos) << error.text();
  }
}

TEST(Offload, LeavesFunctionsForProcessorsAlone) { EXPECT_FALSE(is_for_units(spmv())); }

std::string refused(const std::string& text) {
  try {
    verify(parse(text));
    return "nothing";
  } catch (const InternalError& error) {
    return error.what();
  } catch (const UserError& error) {
    return error.message();
  }
}

TEST(SharedLoops, AreVerified) {
  auto has = [](const std::string& text, const std::string& what) {
    return text.find(what) == std::string::npos ? text : "";
  };
  EXPECT_EQ(has(refused(doubled("for i = 0 .. n shared by 2000 threads as i {\n", "}\n")), "too many units"), "");
  EXPECT_EQ(has(refused(doubled("simd for i = 0 .. n shared by 2 threads as i {\n", "}\n")), "not serial"), "");
  EXPECT_EQ(has(refused(doubled("for i = 0 .. n shared by 2 lanes as i {\n", "}\n")), "there is no unit 'lanes'"), "");
  EXPECT_EQ(has(refused(doubled("for i = 0 .. n shared by 2 threads as i, sums y {\n", "}\n")), "by which operator"),
            "");
}

}  // namespace
}  // namespace filigree::passes
