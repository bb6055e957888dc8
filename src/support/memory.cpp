#include "support/memory.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#if defined(__linux__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define FILIGREE_MAPS_LARGE_BLOCKS 1
#include <malloc.h>
#include <sys/mman.h>

#include <deque>
#include <map>
#include <mutex>
#include <optional>
#endif

namespace filigree {
namespace {

#ifdef FILIGREE_MAPS_LARGE_BLOCKS

constexpr std::size_t small_page = 4096, huge_page = std::size_t{1} << 21;

/// A part of the address space, of whole pages: huge ones from the size of one on.
struct Range {
  char* start;
  std::size_t size;
};

std::size_t whole_pages(std::size_t bytes) {
  std::size_t page = bytes >= huge_page ? huge_page : small_page;
  return (bytes + page - 1) / page * page;
}

/// Whole pages, zeroed; nullptr if there are none.
char* map_pages(std::size_t size) {
  std::size_t page = size >= huge_page ? huge_page : small_page, more = page - small_page;
  void* space = mmap(nullptr, size + more, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (space == MAP_FAILED) return nullptr;
  std::size_t before = (page - reinterpret_cast<std::uintptr_t>(space) % page) % page;
  char* start = static_cast<char*>(space) + before;
  if (before > 0) munmap(space, before);
  if (more > before) munmap(start + size, more - before);
  if (page == huge_page) madvise(start, size, MADV_HUGEPAGE);  // advice: a refusal changes nothing
  return start;
}

/// Pages that nobody uses, for the next who does: what a kernel made and freed in one run it needs again in the next, and the first touch of a
/// page costs more than writing it, all the more if several threads do it.
class SparePages {
 public:
  /// Of at least `size`, and not much more.
  std::optional<Range> take(std::size_t size) {
    constexpr std::size_t much = 4;
    auto best = ranges_.end();
    for (auto range = ranges_.begin(); range != ranges_.end(); ++range) {
      if (range->size >= size && range->size <= much * size && (best == ranges_.end() || range->size < best->size)) best = range;
    }
    if (best == ranges_.end()) return std::nullopt;
    Range found = *best;
    ranges_.erase(best);
    total_ -= found.size;
    return found;
  }

  /// If there are too many then, those that were put here first are returned to the system.
  void put(const Range& range) {
    ranges_.push_back(range);
    total_ += range.size;
    while (total_ > most_bytes || ranges_.size() > most_ranges) {
      total_ -= ranges_.front().size;
      munmap(ranges_.front().start, ranges_.front().size);
      ranges_.pop_front();
    }
  }

 private:
  static constexpr std::size_t most_bytes = std::size_t{128} << 20, most_ranges = 64;
  std::deque<Range> ranges_;
  std::size_t total_ = 0;
};

/// malloc's blocks start anywhere in a huge page, so that they have small ones at their ends, and growing them takes huge ones apart; and
/// what a thread frees malloc soon returns to the system.  These start where a huge page does, keep to that when they move, and are used again.
///
/// All at the same place in a page would be all in the same sets of the caches; so each starts some lines further on than the one before.
class LargeBlocks {
 public:
  static bool are_worth_it(std::size_t bytes) { return bytes >= std::size_t{128} << 10; }

  /// The block, or nullptr.
  void* make(std::size_t bytes, bool zeroed) {
    constexpr std::size_t quickly_cleared = 8 * huge_page;  // compared to new pages, which several threads may touch
    if (bytes > most) return nullptr;
    std::lock_guard lock(mutex_);
    std::size_t before = next_distance(bytes), size = whole_pages(before + bytes);
    std::optional<Range> spare = zeroed && bytes > quickly_cleared ? std::nullopt : spare_.take(size);
    Range range = spare ? *spare : Range{map_pages(size), size};
    if (!range.start) return nullptr;
    char* block = range.start + before;
    if (spare && zeroed) std::memset(block, 0, bytes);
    ranges_.emplace(block, range);
    return block;
  }

  /// Moves a block of malloc's here; on failure nullptr, and the block is as it was.
  void* take(void* block, std::size_t bytes) {
    void* taken = make(bytes, false);
    if (!taken || !block) return taken;
    std::memcpy(taken, block, std::min(bytes, malloc_usable_size(block)));
    std::free(block);
    return taken;
  }

  bool has(void* block) {
    if (reinterpret_cast<std::uintptr_t>(block) % line != 0) return false;
    std::lock_guard lock(mutex_);
    return ranges_.count(block) > 0;
  }

  /// Requires: has(block).  On failure nullptr, and the block is as it was.
  void* resize(void* block, std::size_t bytes) {
    if (bytes > most) return nullptr;
    std::lock_guard lock(mutex_);
    auto found = ranges_.find(block);
    Range old = found->second;
    std::size_t before = static_cast<std::size_t>(static_cast<char*>(block) - old.start), size = whole_pages(before + bytes);
    if (size <= old.size) return block;
    std::optional<Range> range = moved_to_spare(old, size);
    if (!range) range = moved_to_new(old, size);
    if (!range) return nullptr;
    ranges_.erase(found);
    ranges_.emplace(range->start + before, *range);
    return range->start + before;
  }

  /// Requires: has(block), and it has room for as many bytes.
  void trim(void* block, std::size_t bytes) {
    std::lock_guard lock(mutex_);
    Range& range = ranges_.find(block)->second;
    std::size_t size = whole_pages(static_cast<std::size_t>(static_cast<char*>(block) - range.start) + bytes);
    if (range.size >= huge_page) size = std::max(size, huge_page);
    if (size < range.size) spare_.put({range.start + size, range.size - size});
    range.size = size;
  }

  /// Requires: has(block).
  void release(void* block) {
    std::lock_guard lock(mutex_);
    auto found = ranges_.find(block);
    spare_.put(found->second);
    ranges_.erase(found);
  }

 private:
  static constexpr std::size_t line = 64, most = SIZE_MAX / 2;

  std::size_t next_distance(std::size_t bytes) {
    constexpr std::size_t lines_apart = 65;
    std::size_t distances = bytes >= huge_page ? 16 : 4;
    return line * lines_apart * (made_++ % distances);
  }

  /// The contents copied: quicker than to clear as many new pages.
  std::optional<Range> moved_to_spare(const Range& old, std::size_t size) {
    std::optional<Range> range = spare_.take(size);
    if (range) {
      std::memcpy(range->start, old.start, old.size);
      spare_.put(old);
    }
    return range;
  }

  /// With its pages, if they are huge ones.
  std::optional<Range> moved_to_new(const Range& old, std::size_t size) {
    bool keeps_pages = old.size >= huge_page;
    if (keeps_pages && mremap(old.start, old.size, size, 0) != MAP_FAILED) return Range{old.start, size};
    char* moved = map_pages(size);
    if (!moved) return std::nullopt;
    if (!keeps_pages) {
      std::memcpy(moved, old.start, old.size);
      spare_.put(old);
    } else if (mremap(old.start, old.size, size, MREMAP_MAYMOVE | MREMAP_FIXED, moved) == MAP_FAILED) {
      munmap(moved, size);
      return std::nullopt;
    }
    return Range{moved, size};
  }

  std::mutex mutex_;
  std::map<void*, Range> ranges_;  // by the block in it
  SparePages spare_;
  std::size_t made_ = 0;
};

/// Never destroyed: arrays in static variables may outlive any other.
LargeBlocks& large_blocks() {
  static auto* const blocks = new LargeBlocks;
  return *blocks;
}

#else

/// Where malloc's blocks are all there is: under sanitizers, which watch those, and on other systems.
class LargeBlocks {
 public:
  static bool are_worth_it(std::size_t) { return false; }
  void* make(std::size_t, bool) { return nullptr; }
  void* take(void*, std::size_t) { return nullptr; }
  bool has(void*) { return false; }
  void* resize(void*, std::size_t) { return nullptr; }
  void trim(void*, std::size_t) {}
  void release(void*) {}
};

LargeBlocks& large_blocks() {
  static LargeBlocks blocks;
  return blocks;
}

#endif

}  // namespace

void* resize_block(void* block, std::size_t bytes) {
  if (bytes == 0) {
    release_block(block);
    return nullptr;
  }
  if (large_blocks().has(block)) return large_blocks().resize(block, bytes);
  return LargeBlocks::are_worth_it(bytes) ? large_blocks().take(block, bytes) : std::realloc(block, bytes);
}

void* zeroed_block(std::size_t bytes) { return LargeBlocks::are_worth_it(bytes) ? large_blocks().make(bytes, true) : std::calloc(bytes, 1); }

void* trimmed_block(void* block, std::size_t bytes) {
  if (!large_blocks().has(block)) {
    void* trimmed = std::realloc(block, std::max<std::size_t>(bytes, 1));
    return trimmed ? trimmed : block;
  }
  large_blocks().trim(block, bytes);
  return block;
}

void release_block(void* block) {
  if (large_blocks().has(block)) large_blocks().release(block);
  else std::free(block);
}

}  // namespace filigree
