// The interpreter's memory: arrays that know their bounds and which elements were written, tables of
// the runtime that generated code uses too.  Internal.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "algebra/element_type.h"
#include "ir/interpret.h"
#include "ir/runtime/kernel.h"

struct filigree_table;

namespace filigree::ir {

/// Thrown by allocations that fail; ends the run with Status::OutOfMemory.
struct OutOfMemorySignal {};

/// A block of elements.  `written` has a byte per element, or is null when all are written.
struct ArrayState {
  unsigned char* data = nullptr;
  std::int64_t count = 0;
  unsigned char* written = nullptr;
  ElementType type = ElementType::Float64;
  bool allocated = false;  // by the program, and not freed
};

/// Counts allocations, makes the chosen one fail, and keeps to the limit.
class Allocator {
 public:
  explicit Allocator(const InterpretOptions& options)
      : options_(options),
        runtime_{&Allocator::resize_block, this, nullptr, 1, nullptr, nullptr, &Allocator::note_refused} {}
  Allocator(const Allocator&) = delete;
  Allocator& operator=(const Allocator&) = delete;

  void allocate(ArrayState& array, std::int64_t count, bool zeroed);
  void grow(ArrayState& array, std::int64_t count);
  /// From here on it has this many elements, no more than before.
  void trim(ArrayState& array, std::int64_t count);
  void release(ArrayState& array);
  const filigree_runtime* runtime() const { return &runtime_; }
  /// There is no memory for so many elements of an array; null: to sort one.
  void note_refused(const char* array, std::int64_t count, std::int64_t size) const;

 private:
  bool refuses(std::int64_t bytes);
  static void* resize_block(void* context, void* block, std::int64_t bytes);
  static void note_refused(void* context, const char* array, std::int64_t count, std::int64_t size);

  const InterpretOptions options_;
  filigree_runtime runtime_;
  std::int64_t allocations_ = 0, held_ = 0;
};

}  // namespace filigree::ir
