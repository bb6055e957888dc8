#include "ir/race_check.h"

#include <gtest/gtest.h>

#include <random>

#include "ir/ir.h"

namespace filigree::ir {
namespace {

/// All accesses, compared one by one: what RaceCheck does with two of each kind.
struct Everything {
  struct Touch {
    Agent agent;
    Access access;
  };
  std::vector<Touch> touches;

  static bool ordered(const Agent& a, const Agent& b) {
    if (a.block != b.block) return false;
    bool same_warp = a.thread / warp_size == b.thread / warp_size;
    return a.thread == b.thread || a.block_phase < b.block_phase || (same_warp && a.warp_phase < b.warp_phase);
  }
  bool races(const Agent& agent, Access access) const {
    for (const Touch& before : touches) {
      bool harmless = before.access == access && access != Access::Store;
      if (!harmless && !ordered(before.agent, agent)) return true;
    }
    return false;
  }
};

TEST(RaceCheck, TwoAccessesOfAKindStandForAll) {
  std::mt19937 random(7);
  int races = 0, quiet = 0;
  for (int round = 0; round < 20000; round++) {
    RaceCheck check;
    Everything everything;
    check.begin({0}, 1);
    int accesses = 0;
    bool found = false;
    int rarely = 1 + static_cast<int>(random() % 20);  // how often it is not a load
    for (int block = 0; block < 2 && !found; block++) {
      std::int32_t block_phase = 0, warp_phases[2] = {0, 0};
      while (random() % 12 != 0 && !found) {
        if (random() % 4 == 0) block_phase++;
        if (random() % 4 == 0) warp_phases[random() % 2]++;
        auto warp = static_cast<std::int32_t>(random() % 2);
        check.agent = {block, warp * warp_size + static_cast<std::int32_t>(random() % 3), block_phase,
                       warp_phases[warp]};
        auto access = random() % static_cast<unsigned>(rarely) != 0 ? Access::Load : static_cast<Access>(random() % 4);
        bool expected = everything.races(check.agent, access);
        found = check.touch(0, 0, 1, access).has_value();
        ASSERT_EQ(found, expected) << "round " << round << ", access " << accesses;
        everything.touches.push_back({check.agent, access});
        accesses++;
      }
    }
    found ? races++ : quiet++;
    check.end();
  }
  EXPECT_GT(races, 1000);
  EXPECT_GT(quiet, 1000);
}

TEST(RaceCheck, LooksOnlyAtWhatItWatches) {
  RaceCheck check;
  check.begin({1}, 3);
  EXPECT_FALSE(check.watches(0));
  EXPECT_TRUE(check.watches(1));
  EXPECT_FALSE(check.watches(2));
  check.agent = {0, 0};
  EXPECT_FALSE(check.touch(1, 4, 5, Access::Store));
  check.agent = {1, 0};
  EXPECT_FALSE(check.touch(1, 3, 5, Access::Store));
  EXPECT_EQ(check.touch(1, 4, 5, Access::Load)->agent.block, 0);
  check.forget(1);
  EXPECT_FALSE(check.touch(1, 4, 5, Access::Load));
}

}  // namespace
}  // namespace filigree::ir
