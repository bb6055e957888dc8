// Blocks of whole pages, for arrays that are large: they start where a huge page does, keep to that when they move, and are used again.
//
// malloc's blocks start anywhere in a huge page, so that they have small pages at their ends, and growing them takes huge ones apart; and what a
// thread frees malloc soon returns to the system.  The first touch of a page costs more than writing it, all the more if several threads
// do it.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <mutex>
#include <optional>

namespace filigree {

/// A part of the address space, of whole pages: huge ones from half the size of one on.
struct PageRange {
  char* start;
  std::size_t size;
};

/// Pages that nobody uses, for the next who does: what a kernel made and freed in one run it needs again in the next.
class SparePages {
 public:
  /// Of at least `size`, and not much more.
  std::optional<PageRange> take(std::size_t size);
  /// If there are too many then, those that were put here first are returned to the system; so is what is large, at once.
  void put(const PageRange& range);

 private:
  std::deque<PageRange> ranges_;
  std::size_t total_ = 0;
};

class LargeBlocks {
 public:
  /// Is this a size for them?  Never under sanitizers, which watch malloc's blocks, and where the system has no such pages.
  static bool are_worth_it(std::size_t bytes);

  struct Made {
    void* block;  // or nullptr
    bool is_zero;
  };
  Made make(std::size_t bytes);
  bool has(void* block);
  /// Requires: has(block).  At least as large as it was.  On failure nullptr, and the block is as it was.
  void* resize(void* block, std::size_t bytes);
  /// Returns what is left over to the system, unless it is little, or the block had better be copied: then false, and nothing is done.
  /// Requires: has(block), and it has room for as many bytes.
  bool trim(void* block, std::size_t bytes);
  /// Requires: has(block).
  void release(void* block);

 private:
  /// All at the same place in a page would be all in the same sets of the caches: each starts some lines further on than the one before.
  std::size_t next_distance(std::size_t bytes);
  std::optional<PageRange> moved_to_spare(const PageRange& old, std::size_t size);
  std::optional<PageRange> moved_to_new(const PageRange& old, std::size_t size);

  std::mutex mutex_;
  std::map<void*, PageRange> ranges_;  // by the block in it
  SparePages spare_;
  std::size_t made_ = 0;
};

}  // namespace filigree
