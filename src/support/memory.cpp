#include "support/memory.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#ifdef __linux__
#include <malloc.h>
#endif

#include "support/large_blocks.h"
#include "support/parallel.h"

namespace filigree {
namespace {

/// Never destroyed: arrays in static variables may outlive any other.
LargeBlocks& large_blocks() {
  static auto* const blocks = new LargeBlocks;
  return *blocks;
}

std::size_t usable_bytes([[maybe_unused]] void* malloced) {
#ifdef __linux__
  return malloc_usable_size(malloced);
#else
  return 0;  // there are no large blocks to copy it to
#endif
}

/// A block of malloc's made a large one; on failure nullptr, and the block is as it was.
void* taken_over(void* malloced, std::size_t bytes) {
  void* block = large_blocks().make(bytes).block;
  if (!block || !malloced) return block;
  std::memcpy(block, malloced, std::min(bytes, usable_bytes(malloced)));
  std::free(malloced);
  return block;
}

/// New pages would be cleared by the threads that touch them first; these are by all.
void clear(void* block, std::size_t bytes, int threads) {
  constexpr std::size_t share = std::size_t{1} << 20;
  struct Memory {
    char* start;
    std::size_t size;
  } memory{static_cast<char*>(block), bytes};
  auto clear_shares = [](void* closure, std::int64_t begin, std::int64_t end) {
    const Memory& all = *static_cast<const Memory*>(closure);
    std::size_t from = static_cast<std::size_t>(begin) * share,
                to = std::min(static_cast<std::size_t>(end) * share, all.size);
    std::memset(all.start + from, 0, to - from);
  };
  parallel_for(threads, static_cast<std::int64_t>((bytes + share - 1) / share), clear_shares, &memory);
}

}  // namespace

void* resize_block(void* block, std::size_t bytes) {
  if (bytes == 0) {
    release_block(block);
    return nullptr;
  }
  if (large_blocks().has(block)) return large_blocks().resize(block, bytes);
  return LargeBlocks::are_worth_it(bytes) ? taken_over(block, bytes) : std::realloc(block, bytes);
}

void* zeroed_block(std::size_t bytes, int threads) {
  if (!LargeBlocks::are_worth_it(bytes)) return std::calloc(bytes, 1);
  LargeBlocks::Made made = large_blocks().make(bytes);
  if (made.block && !made.is_zero) clear(made.block, bytes, threads);
  return made.block;
}

void* trimmed_block(void* block, std::size_t bytes) {
  if (large_blocks().has(block)) {
    if (large_blocks().trim(block, bytes)) return block;
    void* copy = resize_block(nullptr, std::max<std::size_t>(bytes, 1));
    if (!copy) return block;
    std::memcpy(copy, block, bytes);
    release_block(block);
    return copy;
  }
  void* trimmed = std::realloc(block, std::max<std::size_t>(bytes, 1));
  return trimmed ? trimmed : block;
}

void release_block(void* block) {
  if (large_blocks().has(block)) large_blocks().release(block);
  else std::free(block);
}

}  // namespace filigree
