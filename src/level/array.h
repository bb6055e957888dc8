// A typed block of memory that owns its elements or borrows them from the caller.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "algebra/scalar.h"

namespace filigree {

class Array {
 public:
  Array() = default;
  // Copies own their elements, unless the original borrows: then the copy borrows the same.
  Array(const Array& other);
  Array& operator=(const Array& other);
  Array(Array&&) noexcept = default;
  Array& operator=(Array&&) noexcept = default;
  ~Array() = default;
  /// `count` elements, zero.
  Array(ElementType type, std::int64_t count);

  /// Memory of the caller's, who keeps it alive and unchanged in size while this array is in use.  Throws UserError for
  /// a null pointer, for a negative or too large number of elements, and for an address at which no such element can
  /// be.
  static Array borrow(ElementType type, void* data, std::int64_t count);
  /// The same with what the memory belongs to, which stays alive as long as this array and its copies do.
  static Array borrow(ElementType type, void* data, std::int64_t count, std::shared_ptr<void> owner);
  /// Takes over memory obtained from malloc or support/memory.
  static Array adopt(ElementType type, void* data, std::int64_t count);

  ElementType type() const { return type_; }
  std::int64_t count() const { return count_; }
  std::int64_t bytes() const { return count_ * size_in_bytes(type_); }
  void* data() { return data_; }
  const void* data() const { return data_; }

  Scalar get(std::int64_t index) const;
  void set(std::int64_t index, const Scalar& value);
  /// An element of an Int32 or Int64 array.
  std::int64_t index_at(std::int64_t index) const;
  void set_index(std::int64_t index, std::int64_t value);

  /// The elements.  Throws UserError unless T is their type; those of a bool array can be had as bool or std::uint8_t.
  template <Element T>
  std::span<T> as() {
    return check_type(element_type_of<T>()), std::span(static_cast<T*>(data_), static_cast<size_t>(count_));
  }
  template <Element T>
  std::span<const T> as() const {
    return check_type(element_type_of<T>()), std::span(static_cast<const T*>(data_), static_cast<size_t>(count_));
  }

  bool is_borrowed() const { return borrowed_; }

  /// The same elements; widths may differ between index arrays.
  bool operator==(const Array& other) const;

  /// A copy with elements converted to `type`.
  Array converted(ElementType type) const;
  /// A copy that owns its memory.
  Array copy() const;

 private:
  void check_type(ElementType asked) const;

  ElementType type_ = ElementType::Float64;
  std::int64_t count_ = 0;
  void* data_ = nullptr;
  std::shared_ptr<void> owner_;
  bool borrowed_ = false;  // the elements are others' too
};

/// The narrowest index type, Int32 or Int64, that holds 0..largest.
ElementType index_type_for(std::int64_t largest);

}  // namespace filigree
