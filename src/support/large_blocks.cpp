#include "support/large_blocks.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <new>

#include "support/sanitizers.h"

#ifdef __linux__
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
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

constexpr bool has_pages = true;

/// Address space for whole pages; huge ones start where such a page does.  nullptr if there is none.
char* map(std::size_t size, int access) {
  std::size_t page = size >= huge_page ? huge_page : small_page, more = page - small_page;
  void* space = mmap(nullptr, size + more, access, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (space == MAP_FAILED) return nullptr;
  std::size_t before = (page - reinterpret_cast<std::uintptr_t>(space) % page) % page;
  char* start = static_cast<char*>(space) + before;
  if (before > 0) munmap(space, before);
  if (more > before) munmap(start + size, more - before);
  return start;
}

/// Whole pages, zeroed.
std::optional<PageRange> map_pages(std::size_t size) {
  char* start = map(size, PROT_READ | PROT_WRITE);
  if (!start) return std::nullopt;
  if (size >= huge_page) madvise(start, size, MADV_HUGEPAGE);  // advice: a refusal changes nothing
  return PageRange{start, size};
}

void unmap_pages(const PageRange& range) { munmap(range.start, range.size); }

/// Whoever needs memory, in this process or another, may have the pages: then they are zero when they are used again.
void offer_pages(const PageRange& range) { madvise(range.start, range.size, MADV_FREE); }

/// How much may wait to be used again: much of it only where nothing counts address space, as it takes that.
std::size_t most_spare() {
  constexpr std::size_t little = std::size_t{64} << 20, part_of_memory = 8;
  rlimit limit{};
  bool counts = getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur != RLIM_INFINITY;
  long pages = sysconf(_SC_PHYS_PAGES);
  if (counts || pages <= 0) return little;
  return std::max(little, static_cast<std::size_t>(pages) / part_of_memory * small_page);
}

/// The range with more pages behind it, where it is or elsewhere.
std::optional<PageRange> extended(const PageRange& old, std::size_t size) {
  if (mremap(old.start, old.size, size, 0) != MAP_FAILED) return PageRange{old.start, size};
  // Only reserved, as limits count what can be written.  If the move fails it is not known whose the place is then, so
  // it is left alone.
  char* place = map(size, PROT_NONE);
  if (place && mremap(old.start, old.size, size, MREMAP_MAYMOVE | MREMAP_FIXED, place) != MAP_FAILED)
    return PageRange{place, size};
  void* anywhere = mremap(old.start, old.size, size, MREMAP_MAYMOVE);
  return anywhere == MAP_FAILED ? std::nullopt : std::optional(PageRange{static_cast<char*>(anywhere), size});
}

#else

constexpr bool has_pages = false;
std::optional<PageRange> map_pages(std::size_t) { return std::nullopt; }
void unmap_pages(const PageRange&) {}
void offer_pages(const PageRange&) {}
std::size_t most_spare() { return 0; }
std::optional<PageRange> extended(const PageRange&, std::size_t) { return std::nullopt; }

#endif

}  // namespace

std::optional<PageRange> SparePages::take(std::size_t size) {
  constexpr std::size_t much = 2;
  auto best = ranges_.end();
  for (auto range = ranges_.begin(); range != ranges_.end(); ++range) {
    // Of several, the one that was used last: it may be in the caches still.
    if (range->size >= size && range->size <= much * size && (best == ranges_.end() || range->size <= best->size))
      best = range;
  }
  if (best == ranges_.end()) return std::nullopt;
  PageRange found = *best;
  ranges_.erase(best);
  total_ -= found.size;
  return found;
}

std::optional<PageRange> SparePages::take_to_extend(std::size_t size) {
  constexpr std::size_t most_times = 4;
  auto best = ranges_.end();
  for (auto range = ranges_.begin(); range != ranges_.end(); ++range) {
    bool is_worth_it = range->size >= huge_page && range->size < size && size <= most_times * range->size;
    if (is_worth_it && (best == ranges_.end() || range->size >= best->size)) best = range;
  }
  if (best == ranges_.end()) return std::nullopt;
  PageRange found = *best;
  ranges_.erase(best);
  total_ -= found.size;
  return found;
}

bool SparePages::put(const PageRange& range) {
  constexpr std::size_t most_ranges = 64, soon_used = std::size_t{32} << 20;
  static const std::size_t most_kept = most_spare();
  if (range.size > most_kept / 2) return false;
  if (range.size > soon_used) offer_pages(range);
  try {
    ranges_.push_back(range);
  } catch (const std::bad_alloc&) {
    return false;
  }
  total_ += range.size;
  while (total_ > most_kept || ranges_.size() > most_ranges) return_first();
  return true;
}

void SparePages::return_all() {
  while (!ranges_.empty()) return_first();
}

void SparePages::return_first() {
  total_ -= ranges_.front().size;
  unmap_pages(ranges_.front());
  ranges_.pop_front();
}

bool LargeBlocks::are_worth_it(std::size_t bytes) {
  return has_pages && !is_sanitized && bytes >= std::size_t{128} << 10;
}

LargeBlocks::Made LargeBlocks::make(std::size_t bytes) {
  if (bytes > most_bytes) return {nullptr, false};
  std::size_t before = next_distance(bytes), size = whole_pages(before + bytes);
  std::optional<PageRange> spare = spare_pages(size);
  if (!spare) spare = extended_spare(size);
  std::optional<PageRange> range = spare ? spare : new_pages(size);
  if (!range) return {nullptr, false};
  try {
    std::lock_guard lock(mutex_);
    ranges_.emplace(range->start + before, *range);
  } catch (const std::bad_alloc&) {
    unmap_pages(*range);
    return {nullptr, false};
  }
  return {range->start + before, !spare};
}

bool LargeBlocks::has(void* block) {
  if (!block || reinterpret_cast<std::uintptr_t>(block) % line != 0) return false;
  std::lock_guard lock(mutex_);
  return ranges_.count(block) > 0;
}

void* LargeBlocks::resize(void* block, std::size_t bytes) {
  if (bytes > most_bytes) return nullptr;
  std::unique_lock lock(mutex_);
  auto found = ranges_.find(block);
  PageRange old = found->second;
  std::size_t before = static_cast<std::size_t>(static_cast<char*>(block) - old.start),
              size = whole_pages(before + bytes);
  if (size <= old.size) return block;
  // Not listed while it moves: as soon as its pages are elsewhere, another block may start where it did.
  auto entry = ranges_.extract(found);
  lock.unlock();
  std::optional<PageRange> range = enlarged(old, size);
  if (range) {
    entry.key() = range->start + before;
    entry.mapped() = *range;
  }
  lock.lock();
  ranges_.insert(std::move(entry));
  return range ? range->start + before : nullptr;
}

bool LargeBlocks::trim(void* block, std::size_t bytes) {
  constexpr std::size_t quickly_copied = 8 * huge_page;
  std::unique_lock lock(mutex_);
  PageRange& range = ranges_.find(block)->second;
  std::size_t size = whole_pages(static_cast<std::size_t>(static_cast<char*>(block) - range.start) + bytes);
  // The next run will ask for the same room: what is soon copied leaves it in one piece.
  if (range.size <= quickly_copied) return size > range.size / 2;
  size = std::max(size, huge_page);
  if (size >= range.size) return true;
  PageRange rest{range.start + size, range.size - size};
  range.size = size;
  lock.unlock();
  unmap_pages(rest);
  return true;
}

void LargeBlocks::release(void* block) {
  std::unique_lock lock(mutex_);
  auto entry = ranges_.extract(block);
  lock.unlock();
  give_back(entry.mapped());
}

std::size_t LargeBlocks::next_distance(std::size_t bytes) {
  // Over all sets of a second-level cache, or over those of a first-level one.
  std::size_t lines = bytes >= huge_page ? 2048 : 128, step = bytes >= huge_page ? 1265 : 79;
  std::lock_guard lock(mutex_);
  return line * (made_++ * step % lines);
}

std::optional<PageRange> LargeBlocks::new_pages(std::size_t size) {
  std::optional<PageRange> range = map_pages(size);
  if (range) return range;
  std::lock_guard lock(mutex_);
  spare_.return_all();
  return map_pages(size);
}

std::optional<PageRange> LargeBlocks::spare_pages(std::size_t size) {
  std::lock_guard lock(mutex_);
  return spare_.take(size);
}

/// Huge pages go along, unless there are others to copy them to, which is quicker than to clear as many new ones.
std::optional<PageRange> LargeBlocks::extended_spare(std::size_t size) {
  std::unique_lock lock(mutex_);
  std::optional<PageRange> smaller = spare_.take_to_extend(size);
  lock.unlock();
  if (!smaller) return std::nullopt;
  std::optional<PageRange> range = extended(*smaller, size);
  if (!range) unmap_pages(*smaller);
  return range;
}

std::optional<PageRange> LargeBlocks::enlarged(const PageRange& old, std::size_t size) {
  std::optional<PageRange> range = spare_pages(size);
  if (!range && old.size >= huge_page) {
    range = extended(old, size);
    if (range) return range;
    std::lock_guard lock(mutex_);
    spare_.return_all();
    return extended(old, size);
  }
  if (!range) range = new_pages(size);
  if (!range) return std::nullopt;
  std::memcpy(range->start, old.start, old.size);
  give_back(old);
  return range;
}

void LargeBlocks::give_back(const PageRange& range) {
  {
    std::lock_guard lock(mutex_);
    if (spare_.put(range)) return;
  }
  unmap_pages(range);
}

}  // namespace filigree
