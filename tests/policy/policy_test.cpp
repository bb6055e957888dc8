// What the usual policy prefers.
#include "policy/policy.h"

#include <gtest/gtest.h>

namespace filigree::policy {
namespace {

TEST(Policy, PrefersLoopsThatMeetThenFewerCopiesThenTheRest) {
  OrderCost one{0, 1, 2, 0, 1, 3};
  auto with = [&](int OrderCost::*part, int value) {
    OrderCost other = one;
    other.*part = value;
    return other;
  };
  EXPECT_FALSE(usual().is_cheaper(one, one));
  EXPECT_TRUE(usual().is_cheaper(one, with(&OrderCost::missing_pairs, 1)));
  EXPECT_TRUE(usual().is_cheaper(one, with(&OrderCost::copies, 2)));
  EXPECT_TRUE(usual().is_cheaper(with(&OrderCost::shared_loops, 3), one));
  EXPECT_TRUE(usual().is_cheaper(one, with(&OrderCost::jumps, 1)));
  EXPECT_TRUE(usual().is_cheaper(with(&OrderCost::levels_in_place, 2), one));
  EXPECT_TRUE(usual().is_cheaper(one, with(&OrderCost::against_storage, 4)));
  // The first difference decides.
  OrderCost copies_less{0, 0, 0, 9, 0, 9};
  EXPECT_TRUE(usual().is_cheaper(copies_less, one));
  EXPECT_FALSE(usual().is_cheaper(one, copies_less));
}

TEST(Policy, KeepsInTablesWhatIsOutOfProportion) {
  auto in_table = [](double slots, double largest, double visits) {
    return usual().keeps_in_table({slots, largest, [=] { return visits; }});
  };
  EXPECT_FALSE(in_table(1000, 10, 1));      // small
  EXPECT_TRUE(in_table(100'000, 10, 100));  // cleared for little
  EXPECT_FALSE(in_table(100'000, 10, 10'000));
  EXPECT_TRUE(in_table(1e8, 1000, 1e9));  // more than operands have
  EXPECT_FALSE(in_table(1e8, 1e8, 1e9));
}

TEST(Policy, SharesEntriesWhereOneRowIsTooLong) {
  EXPECT_FALSE(usual().shares_entries({4, 10, 1000}));
  EXPECT_TRUE(usual().shares_entries({4, 200, 1000}));
}

TEST(Policy, SmallUnionsHaveFewerCases) {
  EXPECT_LT(usual().unions(true).points, usual().unions(false).points);
  EXPECT_LE(usual().unions(true).nested_points, usual().unions(false).nested_points);
  EXPECT_LE(usual().fixed_pieces(true), usual().fixed_pieces(false));
}

}  // namespace
}  // namespace filigree::policy
