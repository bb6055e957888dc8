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

int Policy::most_ordered() const { return 6; }

std::int64_t Policy::places_per_listed() const { return 16; }

Memory Policy::memory() const { return {}; }

Cases Policy::cases() const { return {}; }

Grids Policy::grids() const { return {}; }

Finishing Policy::finishing() const { return {}; }

int Policy::most_copies() const { return 8; }

std::int64_t Policy::fixed_pieces(bool with_tensors) const { return with_tensors ? 16 : 64; }

bool Policy::keeps_in_table(const TemporaryFacts& temporary) const {
  // An array with more slots than this is out of proportion unless the operands are of that size themselves.
  constexpr double most = 0x1p22, per_component = 4;
  // And with more slots than this, unless there are so few for each component that is visited: each run clears it,
  // which takes less where the array stays in the processor's caches.
  constexpr double cheap = 0x1p13, per_visit = 64, cached = 0x1p18, cached_per_visit = 256;
  bool is_huge = temporary.slots > std::max(most, per_component * temporary.largest_operand);
  double worth_a_visit = temporary.slots <= cached ? cached_per_visit : per_visit;
  return is_huge || (temporary.slots > cheap && temporary.slots > worth_a_visit * temporary.visits());
}

bool Policy::shares_entries(const SharingFacts& sharing) const {
  // Whole rows make pieces that differ by as much as the longest one.
  double piece = sharing.all_entries / sharing.threads;
  return sharing.longest_row > piece / 2;
}

bool Policy::is_worth_constant(std::int64_t extent) const { return extent > 0 && extent <= 64; }

bool Policy::is_worth_tiles(std::int64_t extent, double steps) const {
  // Less work is done before code of its own is made, and the next run may have another size.
  constexpr double worth_code = 0x1p20;
  return extent > 0 && extent <= 1024 && steps >= worth_code;
}

bool Policy::is_worth_lanes(std::int64_t extent) const { return extent >= 8; }

/// Measured: a loop with several sums has two ends.  If fibres differ in length, both are guessed wrong each time, and
/// short ones take longer.
bool Policy::are_fibres_worth_lanes(double entries, const std::function<bool()>& are_regular) const {
  constexpr double shortest = 24, shortest_if_regular = 4;
  return entries >= shortest || (entries >= shortest_if_regular && are_regular());
}

/// If the list is so much longer than the fibres, and these are so many, looking up takes less than searching.
bool Policy::searches_in_table(const SearchFacts& search) const {
  constexpr std::int64_t shortest = 256, times_fibre = 16, entries_per_lookup = 4;
  return search.length >= shortest && search.length <= entries_per_lookup * search.lookups &&
         times_fibre * search.lookups <= search.length * search.fibres;
}

std::shared_ptr<const Policy> shared_usual() {
  static const auto policy = std::make_shared<const Policy>();
  return policy;
}

const Policy& usual() { return *shared_usual(); }

}  // namespace filigree::policy
