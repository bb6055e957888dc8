#include "support/memory.h"

#include <cstdint>
#include <cstdlib>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace filigree {
namespace {

/// The first touch of a small page costs as much as writing it; a block of this size is worth a request for large ones.
constexpr std::size_t worth_huge_pages = std::size_t{1} << 21;

void* advised(void* block, std::size_t bytes) {
#ifdef MADV_HUGEPAGE
  constexpr std::uintptr_t page = 4096;
  if (block && bytes >= worth_huge_pages) {
    // Outwards to whole pages: advice for a part of what malloc mapped would split the mapping, and realloc could only copy it then
    // instead of moving its pages.
    std::uintptr_t begin = reinterpret_cast<std::uintptr_t>(block) & ~(page - 1);
    std::uintptr_t end = (reinterpret_cast<std::uintptr_t>(block) + bytes + page - 1) & ~(page - 1);
    madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);  // advice: a refusal changes nothing
  }
#endif
  return block;
}

}  // namespace

void* resize_block(void* block, std::size_t bytes) {
  if (bytes == 0) {
    std::free(block);
    return nullptr;
  }
  return advised(std::realloc(block, bytes), bytes);
}

void* zeroed_block(std::size_t bytes) { return advised(std::calloc(bytes, 1), bytes); }

}  // namespace filigree
