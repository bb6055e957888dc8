// Blocks of memory for arrays: malloc's, with huge pages for large ones where the system has them.
#pragma once

#include <cstddef>

namespace filigree {

/// Like realloc; 0 bytes releases and returns nullptr.  What is returned can be freed with std::free.
void* resize_block(void* block, std::size_t bytes);
/// Like calloc of `bytes` bytes.
void* zeroed_block(std::size_t bytes);

}  // namespace filigree
