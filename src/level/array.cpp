#include "level/array.h"

#include <cstring>
#include <limits>

#include <fmt/format.h>

#include "support/check.h"
#include "support/diagnostic.h"
#include "support/memory.h"
#include "support/out_of_memory.h"
#include "support/text.h"

namespace filigree {
namespace {

/// Zeroed memory; running out of it is the user's problem to solve, so it ends in a UserError.
void* allocate(ElementType type, std::int64_t count) {
  internal_check(count >= 0, "level", "an array of negative length");
  if (count == 0) return nullptr;
  void* data = nullptr;
  if (count <= std::numeric_limits<std::int64_t>::max() / size_in_bytes(type)) {
    data = zeroed_block(static_cast<size_t>(count) * static_cast<size_t>(size_in_bytes(type)));
  }
  if (data == nullptr) {
    double bytes = static_cast<double>(count) * size_in_bytes(type);
    throw OutOfMemory(fmt::format("Not enough memory for an array of {} of {} ({})", counted(count, "element"),
                                  to_string(type), human_bytes(bytes)),
                      bytes);
  }
  return data;
}

/// Memory that a program hands over: what cannot be memory is its mistake.
void check_given(ElementType type, const void* data, std::int64_t count) {
  if (count < 0)
    throw UserError(fmt::format("An array cannot have {} elements", count))
        .hint("give the number of elements, not of bytes, as a number that is not negative");
  if (count == 0) return;
  if (data == nullptr)
    throw UserError("The memory to borrow is a null pointer")
        .note("it should hold " + counted(count, "element"))
        .hint("pass the address of the first element, or make a tensor with memory of its own");
  auto address = reinterpret_cast<std::uintptr_t>(data);
  if (address % static_cast<std::uintptr_t>(alignment(type)) != 0) {
    throw UserError(fmt::format("The memory to borrow is not aligned: elements of {} start at multiples of {} bytes",
                                to_string(type), alignment(type)))
        .hint("copy the elements into memory of their type first");
  }
  std::uintptr_t bytes = 0, end = 0;
  bool overflows = __builtin_mul_overflow(static_cast<std::uintptr_t>(count),
                                          static_cast<std::uintptr_t>(size_in_bytes(type)), &bytes) ||
                   __builtin_add_overflow(address, bytes, &end);
  if (overflows)
    throw UserError(fmt::format("No memory has as many as {} elements of {}", count, to_string(type)))
        .hint("give the number of elements that are there");
}

template <class From, class To>
void convert_elements(const Array& from, Array& to) {
  std::span<const From> source = from.as<From>();
  std::span<To> target = to.as<To>();
  for (size_t i = 0; i < source.size(); i++) target[i] = static_cast<To>(source[i]);
}

}  // namespace

Array::Array(ElementType type, std::int64_t count)
    : type_(type), count_(count), data_(allocate(type, count)), owner_(data_, release_block) {}

Array::Array(const Array& other)
    : type_(other.type_), count_(other.count_), data_(other.data_), owner_(other.owner_), borrowed_(other.borrowed_) {
  if (!borrowed_) *this = other.copy();
}

Array& Array::operator=(const Array& other) {
  if (this != &other) *this = Array(other);
  return *this;
}

Array Array::borrow(ElementType type, void* data, std::int64_t count) { return borrow(type, data, count, nullptr); }

Array Array::borrow(ElementType type, void* data, std::int64_t count, std::shared_ptr<void> owner) {
  check_given(type, data, count);
  Array array;
  array.type_ = type;
  array.count_ = count;
  array.data_ = data;
  array.owner_ = std::move(owner);
  array.borrowed_ = true;
  return array;
}

Array Array::adopt(ElementType type, void* data, std::int64_t count) {
  Array array = borrow(type, data, count);
  array.owner_ = std::shared_ptr<void>(data, release_block);
  array.borrowed_ = false;
  return array;
}

void Array::check_type(ElementType asked) const {
  if (asked == type_ || (type_ == ElementType::Bool && asked == ElementType::UInt8)) return;
  throw UserError(fmt::format("These elements are {}, not {}", to_string(type_), to_string(asked)))
      .hint(fmt::format("read them with as<{}>(), or convert them first: converted(element_type_of<{}>())",
                        cpp_name(type_), cpp_name(asked)));
}

Scalar Array::get(std::int64_t index) const {
  return Scalar::load(type_, static_cast<const char*>(data_) + index * size_in_bytes(type_));
}

void Array::set(std::int64_t index, const Scalar& value) {
  value.cast(type_).store(static_cast<char*>(data_) + index * size_in_bytes(type_));
}

std::int64_t Array::index_at(std::int64_t index) const {
  if (type_ == ElementType::Int32) return static_cast<const std::int32_t*>(data_)[index];
  internal_check(type_ == ElementType::Int64, "level", "index_at of an array that holds no indices");
  return static_cast<const std::int64_t*>(data_)[index];
}

void Array::set_index(std::int64_t index, std::int64_t value) {
  if (type_ == ElementType::Int32) {
    static_cast<std::int32_t*>(data_)[index] = static_cast<std::int32_t>(value);
    return;
  }
  internal_check(type_ == ElementType::Int64, "level", "set_index of an array that holds no indices");
  static_cast<std::int64_t*>(data_)[index] = value;
}

bool Array::operator==(const Array& other) const {
  if (count_ != other.count_) return false;
  for (std::int64_t n = 0; n < count_; n++) {
    if (!(get(n).cast(ElementType::Int64) == other.get(n).cast(ElementType::Int64))) return false;
  }
  return true;
}

Array Array::converted(ElementType type) const {
  if (type == type_) return copy();
  Array result(type, count_);
  // Narrowing positions and changing float precision happen on big arrays; the rest may be slow.
  if (type_ == ElementType::Int64 && type == ElementType::Int32) {
    convert_elements<std::int64_t, std::int32_t>(*this, result);
  } else if (type_ == ElementType::Int32 && type == ElementType::Int64) {
    convert_elements<std::int32_t, std::int64_t>(*this, result);
  } else if (type_ == ElementType::Float64 && type == ElementType::Float32) {
    convert_elements<double, float>(*this, result);
  } else if (type_ == ElementType::Float32 && type == ElementType::Float64) {
    convert_elements<float, double>(*this, result);
  } else {
    for (std::int64_t i = 0; i < count_; i++) result.set(i, get(i));
  }
  return result;
}

Array Array::copy() const {
  Array result(type_, count_);
  if (count_ > 0) std::memcpy(result.data_, data_, static_cast<size_t>(bytes()));
  return result;
}

ElementType index_type_for(std::int64_t largest) {
  return largest <= std::numeric_limits<std::int32_t>::max() ? ElementType::Int32 : ElementType::Int64;
}

}  // namespace filigree
