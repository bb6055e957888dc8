#include "level/check_in_parallel.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "support/parallel.h"

namespace filigree::level {
namespace {

/// Fewer are not worth another thread.
constexpr std::int64_t worth_threads = std::int64_t{1} << 16;

/// Calls `check` with the elements of an index array.
template <class Check>
bool with_elements(const Array& array, const Check& check) {
  return array.type() == ElementType::Int32 ? check(static_cast<const std::int32_t*>(array.data()))
                                            : check(static_cast<const std::int64_t*>(array.data()));
}

/// Segments that positions begin .. end of `crd` are in, the first and the last one perhaps in part.
template <class Position, class Coordinate>
bool are_in_order(const Position* pos, std::int64_t parents, const Coordinate* crd, std::int64_t begin,
                  std::int64_t end, const Properties& properties) {
  if (begin >= end) return true;
  std::int64_t parent = std::upper_bound(pos, pos + parents + 1, static_cast<Position>(begin)) - pos - 1;
  bool increasing = properties.ordered == Ordered::Increasing;
  while (begin < end) {
    std::int64_t stop = std::min<std::int64_t>(end, pos[parent + 1]);
    for (std::int64_t q = std::max<std::int64_t>(begin, pos[parent] + 1); q < stop; q++) {
      bool follows = increasing ? crd[q - 1] < crd[q] : crd[q - 1] > crd[q];
      if (!follows && (properties.unique || crd[q - 1] != crd[q])) return false;
    }
    begin = stop;
    parent++;
  }
  return true;
}

thread_local int checking_threads = 0;  // 0: as many as there are cores

}  // namespace

CheckingThreads::CheckingThreads(int threads) : before_(std::exchange(checking_threads, threads)) {}
CheckingThreads::~CheckingThreads() { checking_threads = before_; }

bool holds_for_all(std::int64_t count, const std::function<bool(std::int64_t, std::int64_t)>& holds) {
  if (count < worth_threads) return holds(0, count);
  struct Closure {
    const std::function<bool(std::int64_t, std::int64_t)>& holds;
    std::atomic<bool> all = true;
  } closure{holds};
  parallel_for(
      checking_threads == 0 ? core_count() : checking_threads, count,
      [](void* given, std::int64_t begin, std::int64_t end) {
        Closure& shared = *static_cast<Closure*>(given);
        if (shared.all.load(std::memory_order_relaxed) && !shared.holds(begin, end)) shared.all = false;
      },
      &closure);
  return closure.all;
}

bool positions_are_right(const Array& pos, std::int64_t parent_count, std::int64_t most) {
  return with_elements(pos, [&](const auto* at) {
    return holds_for_all(parent_count, [&](std::int64_t begin, std::int64_t end) {
      bool right = true;  // without a way out of the loop, it is a matter of vectors
      for (std::int64_t p = begin; p < end; p++) right &= at[p] <= at[p + 1];
      return right && (begin == end || at[end] <= most);
    });
  });
}

bool coordinates_are_right(const Array& pos, const Array& crd, const StoredLevel& level, const Properties& properties) {
  if (properties.full || (properties.unique && properties.ordered == Ordered::No)) return false;
  if (!coordinates_are_inside(crd, level, std::nullopt)) return false;
  if (properties.ordered == Ordered::No) return true;
  return with_elements(pos, [&](const auto* positions) {
    return with_elements(crd, [&](const auto* coordinates) {
      return holds_for_all(crd.count(), [&](std::int64_t begin, std::int64_t end) {
        return are_in_order(positions, level.parent_count, coordinates, begin, end, properties);
      });
    });
  });
}

bool coordinates_are_inside(const Array& crd, const StoredLevel& level, std::optional<std::int64_t> also) {
  std::int64_t first = level.origin, last = level.origin + level.extent - 1, other = also.value_or(0);
  bool has_other = also.has_value();
  return with_elements(crd, [&](const auto* at) {
    return holds_for_all(crd.count(), [&](std::int64_t begin, std::int64_t end) {
      bool right = true;
      for (std::int64_t q = begin; q < end; q++)
        right &= (at[q] >= first && at[q] <= last) || (has_other && at[q] == other);
      return right;
    });
  });
}

}  // namespace filigree::level
