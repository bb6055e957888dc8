// Blocks of memory for arrays: small ones are malloc's, large ones are mapped so that the system can use huge pages
// for all of them, and some of what was released is kept for the next.
#pragma once

#include <cstddef>

namespace filigree {

/// Like realloc, for blocks of these functions and of malloc; 0 bytes releases and returns nullptr.
void* resize_block(void* block, std::size_t bytes);
/// The block, or another with what it holds, without room for much more than `bytes` bytes.
void* trimmed_block(void* block, std::size_t bytes);
/// Like calloc of `bytes` bytes; `threads` may be used to clear them.
void* zeroed_block(std::size_t bytes, int threads = 1);
/// Like free, for blocks of these functions and of malloc.
void release_block(void* block);

}  // namespace filigree
