#include "ir/race_check.h"

#include "ir/ir.h"

namespace filigree::ir {
namespace {

std::int32_t warp_of(const Agent& agent) { return agent.thread / warp_size; }
bool is_someone(const Agent& agent) { return agent.block >= 0; }
bool same_thread(const Agent& a, const Agent& b) { return a.block == b.block && a.thread == b.thread; }

/// Is there no barrier between an earlier access and this one?
bool unordered(const Agent& before, const Agent& now) {
  if (!is_someone(before) || same_thread(before, now)) return false;
  if (before.block != now.block) return true;
  if (before.block_phase != now.block_phase) return false;
  return warp_of(before) != warp_of(now) || before.warp_phase == now.warp_phase;
}

/// Can two accesses of these kinds disturb each other?
bool races(Access a, Access b) { return a != b || a == Access::Store; }

}  // namespace

std::optional<Agent> RaceCheck::History::racing_with(const Agent& now) const {
  if (unordered(first_, now)) return first_;
  return unordered(second_, now) ? std::optional(second_) : std::nullopt;
}

void RaceCheck::History::add(const Agent& now) {
  if (is_someone(first_) && first_.block != now.block) return;
  if (!is_someone(first_) || first_.block_phase != now.block_phase) {
    first_ = now;
    second_ = Agent();
  } else if (same_thread(first_, now)) {
    first_ = now;
  } else if (!is_someone(second_) || same_thread(second_, now)) {
    second_ = now;
  } else if (warp_of(first_) == warp_of(second_)) {
    // The one to give up is of before the warp's last barrier, if there is such a one; a thread of another warp is
    // worth more than either.
    bool first_is_old = warp_of(first_) == warp_of(now) && first_.warp_phase != now.warp_phase;
    bool second_is_old = warp_of(first_) != warp_of(now) || second_.warp_phase != now.warp_phase;
    if (first_is_old) first_ = now;
    else if (second_is_old) second_ = now;
  }
}

void RaceCheck::begin(const std::vector<std::int32_t>& watched, std::size_t arrays) {
  agent = Agent();
  watched_.assign(arrays, false);
  elements_.resize(arrays);
  for (std::int32_t slot : watched) watched_[static_cast<std::size_t>(slot)] = true;
}

void RaceCheck::end() {
  for (std::vector<Element>& elements : elements_) elements.clear();
}

std::optional<Earlier> RaceCheck::touch(std::int32_t slot, std::int64_t index, std::int64_t count, Access access) {
  std::vector<Element>& elements = elements_[static_cast<std::size_t>(slot)];
  if (elements.empty()) elements.resize(static_cast<std::size_t>(count));
  Element& element = elements[static_cast<std::size_t>(index)];
  for (Access before : {Access::Store, Access::AtomicStore, Access::SetFlag, Access::Load}) {
    if (!races(before, access)) continue;
    if (std::optional<Agent> agent_before = element[static_cast<std::size_t>(before)].racing_with(agent))
      return Earlier{*agent_before, before};
  }
  element[static_cast<std::size_t>(access)].add(agent);
  return std::nullopt;
}

}  // namespace filigree::ir
