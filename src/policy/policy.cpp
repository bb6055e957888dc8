#include "policy/policy.h"

#include <algorithm>
#include <tuple>

namespace filigree::policy {

bool Policy::is_cheaper(const OrderCost& one, const OrderCost& other) const {
  auto key = [](const OrderCost& cost) {
    return std::tuple(cost.missing_pairs, cost.copies, -cost.shared_loops, cost.jumps, -cost.levels_in_place,
                      cost.against_storage);
  };
  return key(one) < key(other);
}

UnionLimits Policy::unions(bool small) const { return small ? small_unions : UnionLimits{}; }

/// Code for more cases takes seconds to compile, and fills the processor's cache of instructions.
std::int64_t Policy::most_cases() const { return 75; }

OtherWays Policy::other_ways() const { return {}; }

Lookups Policy::lookups() const { return {}; }

int Policy::most_copies() const { return 8; }

std::int64_t Policy::fixed_pieces(bool with_tensors) const { return with_tensors ? 16 : 64; }

bool Policy::keeps_in_table(const TemporaryFacts& temporary) const {
  // An array with more slots than this is out of proportion unless the operands are of that size themselves.
  constexpr double most = 0x1p22, per_component = 4;
  // And with more slots than this, unless there are so few for each component that is visited: each run clears it.
  constexpr double cheap = 0x1p13, per_visit = 64;
  bool is_huge = temporary.slots > std::max(most, per_component * temporary.largest_operand);
  return is_huge || (temporary.slots > cheap && temporary.slots > per_visit * temporary.visits());
}

bool Policy::shares_entries(const SharingFacts& sharing) const {
  // Whole rows make pieces that differ by as much as the longest one.
  double piece = sharing.all_entries / sharing.threads;
  return sharing.longest_row > piece / 2;
}

bool Policy::is_worth_constant(std::int64_t extent) const { return extent > 0 && extent <= 64; }

bool Policy::is_worth_lanes(std::int64_t extent) const { return extent >= 8; }

/// Measured: below it, what is left over after the lanes takes as long as they save.
bool Policy::are_fibres_worth_lanes(double entries) const { return entries >= 24; }

std::shared_ptr<const Policy> shared_usual() {
  static const auto policy = std::make_shared<const Policy>();
  return policy;
}

const Policy& usual() { return *shared_usual(); }

}  // namespace filigree::policy
