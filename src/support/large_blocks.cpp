#include "support/large_blocks.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace filigree {
namespace {

constexpr std::size_t small_page = 4096, huge_page = std::size_t{1} << 21, line = 64;
constexpr std::size_t most_bytes = SIZE_MAX / 2;  // sums of sizes do not overflow

std::size_t whole_pages(std::size_t bytes) {
  std::size_t page = bytes > huge_page / 2 ? huge_page : small_page;
  return (bytes + page - 1) / page * page;
}

#ifdef __linux__

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

void unmap_pages(char* start, std::size_t size) { munmap(start, size); }

/// The range with more pages behind it, where it is or elsewhere.
std::optional<PageRange> extended(const PageRange& old, std::size_t size) {
  if (mremap(old.start, old.size, size, 0) != MAP_FAILED) return PageRange{old.start, size};
  char* moved = map_pages(size);  // so that it starts where a huge page does
  if (!moved) return std::nullopt;
  if (mremap(old.start, old.size, size, MREMAP_MAYMOVE | MREMAP_FIXED, moved) != MAP_FAILED) return PageRange{moved, size};
  munmap(moved, size);
  return std::nullopt;
}

#else

char* map_pages(std::size_t) { return nullptr; }
void unmap_pages(char*, std::size_t) {}
std::optional<PageRange> extended(const PageRange&, std::size_t) { return std::nullopt; }

#endif

}  // namespace

std::optional<PageRange> SparePages::take(std::size_t size) {
  constexpr std::size_t much = 2;
  auto best = ranges_.end();
  for (auto range = ranges_.begin(); range != ranges_.end(); ++range) {
    // Of several, the one that was used last: it may be in the caches still.
    if (range->size >= size && range->size <= much * size && (best == ranges_.end() || range->size <= best->size)) best = range;
  }
  if (best == ranges_.end()) return std::nullopt;
  PageRange found = *best;
  ranges_.erase(best);
  total_ -= found.size;
  return found;
}

void SparePages::put(const PageRange& range) {
  constexpr std::size_t most_kept = std::size_t{64} << 20, largest = most_kept / 2, most_ranges = 64;
  if (range.size > largest) return unmap_pages(range.start, range.size);
  ranges_.push_back(range);
  total_ += range.size;
  while (total_ > most_kept || ranges_.size() > most_ranges) {
    total_ -= ranges_.front().size;
    unmap_pages(ranges_.front().start, ranges_.front().size);
    ranges_.pop_front();
  }
}

bool LargeBlocks::are_worth_it([[maybe_unused]] std::size_t bytes) {
#if defined(__linux__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  return bytes >= std::size_t{128} << 10;
#else
  return false;
#endif
}

LargeBlocks::Made LargeBlocks::make(std::size_t bytes) {
  if (bytes > most_bytes) return {nullptr, false};
  std::lock_guard lock(mutex_);
  std::size_t before = next_distance(bytes), size = whole_pages(before + bytes);
  std::optional<PageRange> spare = spare_.take(size);
  PageRange range = spare ? *spare : PageRange{map_pages(size), size};
  if (!range.start) return {nullptr, false};
  ranges_.emplace(range.start + before, range);
  return {range.start + before, !spare};
}

bool LargeBlocks::has(void* block) {
  if (!block || reinterpret_cast<std::uintptr_t>(block) % line != 0) return false;
  std::lock_guard lock(mutex_);
  return ranges_.count(block) > 0;
}

void* LargeBlocks::resize(void* block, std::size_t bytes) {
  if (bytes > most_bytes) return nullptr;
  std::lock_guard lock(mutex_);
  auto found = ranges_.find(block);
  PageRange old = found->second;
  std::size_t before = static_cast<std::size_t>(static_cast<char*>(block) - old.start), size = whole_pages(before + bytes);
  if (size <= old.size) return block;
  std::optional<PageRange> range = moved_to_spare(old, size);
  if (!range) range = moved_to_new(old, size);
  if (!range) return nullptr;
  ranges_.erase(found);
  ranges_.emplace(range->start + before, *range);
  return range->start + before;
}

bool LargeBlocks::trim(void* block, std::size_t bytes) {
  constexpr std::size_t quickly_copied = 8 * huge_page;
  std::lock_guard lock(mutex_);
  PageRange& range = ranges_.find(block)->second;
  std::size_t size = whole_pages(static_cast<std::size_t>(static_cast<char*>(block) - range.start) + bytes);
  if (range.size >= huge_page) size = std::max(size, huge_page);
  if (size > range.size / 2) return true;
  // The next run will ask for the same room: what is soon copied leaves it in one piece.
  if (range.size <= quickly_copied) return false;
  unmap_pages(range.start + size, range.size - size);
  range.size = size;
  return true;
}

void LargeBlocks::release(void* block) {
  std::lock_guard lock(mutex_);
  auto found = ranges_.find(block);
  spare_.put(found->second);
  ranges_.erase(found);
}

std::size_t LargeBlocks::next_distance(std::size_t bytes) {
  // Over all sets of a second-level cache, or over those of a first-level one.
  std::size_t lines = bytes >= huge_page ? 2048 : 128, step = bytes >= huge_page ? 1265 : 79;
  return line * (made_++ * step % lines);
}

/// The contents copied: quicker than to clear as many new pages.
std::optional<PageRange> LargeBlocks::moved_to_spare(const PageRange& old, std::size_t size) {
  std::optional<PageRange> range = spare_.take(size);
  if (range) {
    std::memcpy(range->start, old.start, old.size);
    spare_.put(old);
  }
  return range;
}

/// With its pages, if they are huge ones.
std::optional<PageRange> LargeBlocks::moved_to_new(const PageRange& old, std::size_t size) {
  if (old.size >= huge_page) return extended(old, size);
  char* moved = map_pages(size);
  if (!moved) return std::nullopt;
  std::memcpy(moved, old.start, old.size);
  spare_.put(old);
  return PageRange{moved, size};
}

}  // namespace filigree
