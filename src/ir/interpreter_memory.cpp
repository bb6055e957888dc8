#include "ir/interpreter_memory.h"

#include <cstring>

namespace filigree::ir {

bool Allocator::refuses(std::int64_t bytes) {
  bool chosen = allocations_++ == options_.fail_allocation_after;
  return chosen || bytes > options_.memory_limit - held_;
}

void* Allocator::resize_block(void* context, void* block, std::int64_t bytes) {
  if (bytes == 0) {
    std::free(block);
    return nullptr;
  }
  if (static_cast<Allocator*>(context)->refuses(bytes)) return nullptr;
  return std::realloc(block, static_cast<std::size_t>(bytes));
}

void Allocator::note_refused(const char* array, std::int64_t count, std::int64_t size) const {
  if (options_.ran_out) options_.ran_out(array ? array : "", static_cast<double>(count) * static_cast<double>(size));
}

void Allocator::note_refused(void* context, const char* array, std::int64_t count, std::int64_t size) {
  static_cast<const Allocator*>(context)->note_refused(array, count, size);
}

void Allocator::allocate(ArrayState& array, std::int64_t count, bool zeroed) {
  std::int64_t size = size_in_bytes(array.type);
  if (count > options_.memory_limit / size || refuses(count * size)) throw OutOfMemorySignal{};
  auto elements = static_cast<std::size_t>(count);
  std::size_t bytes = elements * size;
  void* data = zeroed ? std::calloc(bytes + 1, 1) : std::malloc(bytes + 1);
  void* written = zeroed ? nullptr : std::calloc(elements + 1, 1);
  if (!data || (!zeroed && !written)) {
    std::free(data);
    std::free(written);
    throw OutOfMemorySignal{};
  }
  array.data = static_cast<unsigned char*>(data);
  array.written = static_cast<unsigned char*>(written);
  array.count = count;
  array.allocated = true;
  held_ += static_cast<std::int64_t>(bytes);
}

void Allocator::grow(ArrayState& array, std::int64_t count) {
  std::int64_t size = size_in_bytes(array.type), old_bytes = array.count * size;
  if (count > options_.memory_limit / size || refuses(count * size - old_bytes)) throw OutOfMemorySignal{};
  auto elements = static_cast<std::size_t>(count), old_elements = static_cast<std::size_t>(array.count);
  void* data = std::realloc(array.data, elements * size + 1);
  if (!data) throw OutOfMemorySignal{};
  array.data = static_cast<unsigned char*>(data);
  bool all_written = !array.written;
  void* written = std::realloc(array.written, elements + 1);
  if (!written) throw OutOfMemorySignal{};
  array.written = static_cast<unsigned char*>(written);
  if (all_written) std::memset(array.written, 1, old_elements);
  std::memset(array.written + old_elements, 0, elements - old_elements + 1);
  array.count = count;
  held_ += count * size - old_bytes;
}

void Allocator::trim(ArrayState& array, std::int64_t count) {
  held_ -= (array.count - count) * size_in_bytes(array.type);
  array.count = count;
}

void Allocator::release(ArrayState& array) {
  std::free(array.data);
  std::free(array.written);
  held_ -= array.count * size_in_bytes(array.type);
  array.data = nullptr;
  array.written = nullptr;
  array.count = 0;
  array.allocated = false;
}

}  // namespace filigree::ir
