// How loops for units of a GPU are launched: that the plan says it, that its text reads back, and what it must not say.
#include "plan/launches.h"

#include <gtest/gtest.h>

#include "assemble/assemble.h"
#include "plan/text.h"
#include "schedule/schedule.h"
#include "support/text.h"
#include "tests/concrete/from_text.h"
#include "tests/plan/changed_text.h"

namespace filigree::plan {
namespace {

class Few : public policy::Policy {
 public:
  policy::Grids grids() const override { return {.threads = 96, .warps = 2}; }
};

std::string text_of(const std::string& schedule, const policy::Policy& policy = policy::usual(),
                    const char* statement = "y(i) = A(i,j)*x(j)") {
  concrete::Program program = concrete::concretized(statement, {{"A", "csr"}});
  if (!schedule.empty()) program = schedule::apply_schedule(schedule::parse(schedule, "-s"), program);
  Plan plan = make_plan(assemble::assemble(program, true), {.policy = &policy});
  EXPECT_TRUE(parse(to_string(plan)) == plan) << to_string(plan);
  return to_string(plan);
}

/// What the plan says of launches, loop by loop.
std::string launched(const std::string& schedule, const policy::Policy& policy = policy::usual()) {
  std::string found;
  for (const std::string& line : split(text_of(schedule, policy), '\n')) {
    size_t at = line.find("launched in blocks of ");
    if (at == std::string::npos) continue;
    std::vector<std::string> words = split(line.substr(at + 22), ' ');
    found += (found.empty() ? "" : ", ") + words[0] + " " + words[1];
  }
  return found;
}

TEST(Launch, HasAsManyUnitsAsPiecesHavePoints) {
  EXPECT_EQ(launched("split(i, b, t, 64), parallelize(b, gpu_block, none), parallelize(t, gpu_thread, none)"),
            "64 threads");
  EXPECT_EQ(launched("split(i, b, w, 4), parallelize(b, gpu_block, none), parallelize(w, gpu_warp, none)"), "4 warps");
  EXPECT_EQ(launched("split(i, b, t, 5000), parallelize(b, gpu_block, none), parallelize(t, gpu_thread, none)"),
            "1024 threads");
  EXPECT_EQ(launched("parallelize(i, gpu_block, none)"), "1 thread");
}

TEST(Launch, HasTheUsualSizeWhereTheScheduleLeavesItOpen) {
  Few few;
  EXPECT_EQ(launched("parallelize(i, gpu_thread, none)"), "256 threads");
  EXPECT_EQ(launched("parallelize(i, gpu_thread, none)", few), "96 threads");
  EXPECT_EQ(launched("parallelize(i, gpu_warp, none), parallelize(j, gpu_thread, reduction)"), "8 warps");
  EXPECT_EQ(launched("parallelize(i, gpu_warp, none)", few), "2 warps");
}

TEST(Launch, HasOneWarpWhereThreadsAddToAScalar) {
  EXPECT_EQ(launched("parallelize(i, gpu_block, none), parallelize(j, gpu_thread, reduction)"), "32 threads");
}

TEST(Launch, CanBeChanged) {
  std::string text = text_of("parallelize(i, gpu_thread, none)");
  EXPECT_EQ(error_of(replaced(text, "256 threads", "77 threads")), "none");
  EXPECT_EQ(error_of(replaced(text, "256 threads", "1 thread")), "none");
}

TEST(Launch, MustBeOneThatGpusCanRun) {
  std::string text = text_of("parallelize(i, gpu_thread, none)");
  EXPECT_EQ(error_of(replaced(text, "256 threads", "1025 threads")),
            "The plan cannot run: a block of the launch of 'i' has 1 to 1024 threads");
  EXPECT_EQ(error_of(replaced(text, "256 threads", "0 threads")),
            "The plan cannot run: a block of the launch of 'i' has 1 to 1024 threads");
  EXPECT_EQ(error_of(replaced(text, "256 threads", "8 warps")),
            "The plan cannot run: the loop over 'i' is launched in blocks of warps, and has no loop for them");
  EXPECT_EQ(error_of(replaced(text, " launched in blocks of 256 threads", "")),
            "The plan cannot run: the loop over 'i' does not say how it is launched");
  EXPECT_EQ(error_of(replaced(text, "256 threads", "256 lanes")), "'thread' should stand here");
  std::string sums = text_of("parallelize(i, gpu_block, none), parallelize(j, gpu_thread, reduction)");
  EXPECT_EQ(error_of(replaced(sums, "32 threads", "64 threads")),
            "The plan cannot run: a block of the launch of 'i' has 1 to 32 threads, which know each other's sums");
  EXPECT_EQ(error_of(replaced(sums, "loop j [gpu_thread, temporary]",
                              "loop j [gpu_thread, temporary] launched in blocks of 32 threads")),
            "The plan cannot run: the loop over 'j' is launched, and is not the outermost one for units of a GPU");
}

TEST(Numbers, OfAPolicyAreInThePlan) {
  class Other : public policy::Policy {
   public:
    policy::Memory memory() const override { return {.first_capacity = 16}; }
    policy::Cases cases() const override { return {.asked_together = 2}; }
  };
  Other other;
  std::string text = text_of("", other);
  EXPECT_NE(text.find("\nmemory first_capacity 16\ncases asked_together 2\n"), std::string::npos) << text;
  EXPECT_EQ(error_of(replaced(text, "first_capacity 16", "first_capacity 0")),
            "A number from 1 to 1048576 should stand there");
  EXPECT_EQ(error_of(replaced(text, "first_capacity", "last_capacity")),
            "There is no number 'last_capacity' of memory");
}

}  // namespace
}  // namespace filigree::plan
