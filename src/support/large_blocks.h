// Blocks of whole pages, for arrays that are large: they start where a huge page does, keep to that when they move, and
// are used again.
//
// malloc's blocks start anywhere in a huge page, so that they have small pages at their ends, and growing them takes
// huge ones apart; and what a thread frees malloc soon returns to the system.  The first touch of a page costs more
// than writing it, all the more if several threads do it.
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
/// The system may take large ones back whenever it needs memory.
class SparePages {
 public:
  /// Of at least `size`, and not much more.
  std::optional<PageRange> take(std::size_t size);
  /// Of less, but not much less: with pages behind it, most of what is needed has been touched before.  A block that
  /// was trimmed after the last run leaves this for the next.
  std::optional<PageRange> take_to_extend(std::size_t size);
  /// False if it is too large to be kept.  If there are too many then, those that were put here first are returned to
  /// the system.
  bool put(const PageRange& range);
  void return_all();

 private:
  void return_first();

  std::deque<PageRange> ranges_;
  std::size_t total_ = 0;
};

/// May be used by several threads at once, each with blocks of its own.
class LargeBlocks {
 public:
  /// Is this a size for them?  Never under sanitizers, which watch malloc's blocks, and where the system has no such
  /// pages.
  static bool are_worth_it(std::size_t bytes);

  struct Made {
    void* block;  // or nullptr
    bool is_zero;
  };
  Made make(std::size_t bytes);
  bool has(void* block);
  /// Gives it room for as many bytes; never takes any.  On failure nullptr, and the block is as it was.  Requires:
  /// has(block).
  void* resize(void* block, std::size_t bytes);
  /// Returns what is left over to the system, unless it is little; false if the block had better be copied, and nothing
  /// was done. Requires: has(block), and it has room for as many bytes.
  bool trim(void* block, std::size_t bytes);
  /// Requires: has(block).
  void release(void* block);

 private:
  /// How far from the start of its pages a block starts.  All at the same place in a page would be all in the same sets
  /// of the caches.
  std::size_t next_distance(std::size_t bytes);
  std::optional<PageRange> new_pages(std::size_t size);
  std::optional<PageRange> spare_pages(std::size_t size);
  std::optional<PageRange> extended_spare(std::size_t size);
  std::optional<PageRange> enlarged(const PageRange& old, std::size_t size);
  void give_back(const PageRange& range);

  std::mutex mutex_;                   // for what follows; not held while pages are copied
  std::map<void*, PageRange> ranges_;  // by the block in it
  SparePages spare_;
  std::size_t made_ = 0;
};

}  // namespace filigree
