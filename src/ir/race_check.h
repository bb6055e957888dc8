// Who touched which element since the last barrier: what the interpreter finds races with.  Internal.
//
// Threads of a launch and iterations of a parallel loop run one after the other here, but nothing says in which order
// they run elsewhere.  So each access is compared with those before it that no barrier comes after.  For each element
// and each kind of access two of them are enough: if any earlier access races with one that is still to come, one of
// the two does.
//  * One of an earlier block races with everybody.
//  * In this block, those before its last barrier race with nobody.  Of the others, two of different warps race with
//  everybody;
//    while all are of one warp, two threads since that warp's last barrier race with everybody, and one of before with
//    other warps.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace filigree::ir {

/// SetFlag: a store of `true`, which several may do at once.
enum class Access { Load, Store, AtomicStore, SetFlag };

/// Who runs.  An iteration of a parallel loop is a block of one thread.  Phases count the barriers that were passed.
struct Agent {
  std::int32_t block = -1;
  std::int32_t thread = 0;  // in the block
  std::int32_t block_phase = 0, warp_phase = 0;
};

/// An access that the present one races with.
struct Earlier {
  Agent agent;
  Access access;
};

class RaceCheck {
 public:
  Agent agent;  // whose accesses come next

  /// From here on, accesses to these arrays, by slot, count.
  void begin(const std::vector<std::int32_t>& watched, std::size_t arrays);
  void end();
  /// The array has other elements from now on.
  void forget(std::int32_t slot) { elements_[static_cast<std::size_t>(slot)].clear(); }
  bool watches(std::int32_t slot) const { return watched_[static_cast<std::size_t>(slot)]; }
  /// Remembers the access to an element of an array that has `count`.  Requires: watches(slot), and the element is
  /// there.
  std::optional<Earlier> touch(std::int32_t slot, std::int64_t index, std::int64_t count, Access access);

 private:
  /// Two accesses of one kind that stand for all of them.
  class History {
   public:
    std::optional<Agent> racing_with(const Agent& now) const;
    void add(const Agent& now);

   private:
    Agent first_, second_;
  };
  using Element = std::array<History, 4>;  // by kind of access

  std::vector<bool> watched_;
  std::vector<std::vector<Element>> elements_;  // by slot; of those that were touched
};

}  // namespace filigree::ir
