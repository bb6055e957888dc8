// Lists of indices on their way into the arrays of levels: as narrow as they allow, and given away rather than copied.
#pragma once

#include <utility>
#include <vector>

#include "level/level_format.h"

namespace filigree::level {

/// An array whose elements have any values.  Throws OutOfMemory.
Array room_for(ElementType type, std::int64_t count);

/// Calls `use` with the elements of an array of Int32 or Int64, whose type is then known.
template <class Use>
void as_indices(Array& array, const Use& use) {
  if (array.type() == ElementType::Int32) use(array.as<std::int32_t>().data());
  else use(array.as<std::int64_t>().data());
}
template <class Use>
void as_indices(const Array& array, const Use& use) {
  if (array.type() == ElementType::Int32) use(array.as<std::int32_t>().data());
  else use(array.as<std::int64_t>().data());
}

/// Coordinates or positions: an array of Int32 or Int64, or multiples of the element's number, which take no memory.
class IndexList {
 public:
  IndexList() = default;
  explicit IndexList(Array items) : items_(std::move(items)), size_(items_.count()), is_array_(true) {}
  /// 0, 1, 2, ...
  static IndexList counting(std::int64_t size) { return IndexList(size, 1); }
  static IndexList zeros(std::int64_t size) { return IndexList(size, 0); }
  /// Elements of somebody who keeps them alive.
  static IndexList view(const std::vector<std::int64_t>& items);
  static IndexList view(const Array& items);

  std::int64_t size() const { return size_; }
  std::int64_t operator[](std::int64_t n) const { return is_array_ ? items_.index_at(n) : n * step_; }
  bool is_counting() const { return !is_array_ && step_ == 1; }
  bool is_zero() const { return !is_array_ && step_ == 0; }

  /// Calls `use(items)`, where items[n] is element n of a type that is known.
  template <class Use>
  auto visit(const Use& use) const {
    if (!is_array_) return use(Multiples{step_});
    if (items_.type() == ElementType::Int32) return use(static_cast<const std::int32_t*>(items_.data()));
    return use(static_cast<const std::int64_t*>(items_.data()));
  }

  /// As an array of this type: the list's own if it has one of the type and nobody shares it.
  Array taken(ElementType type) &&;
  std::vector<std::int64_t> widened() const;

 private:
  struct Multiples {
    std::int64_t step;
    std::int64_t operator[](std::int64_t n) const { return n * step; }
  };
  IndexList(std::int64_t size, std::int64_t step) : size_(size), step_(step) {}

  Array items_;
  std::int64_t size_ = 0, step_ = 0;
  bool is_array_ = false;
};

/// As Nodes and Packed.
struct NodeList {
  IndexList parent, coordinate;
  std::vector<bool> repeats = {};
};
struct PackedList {
  std::vector<Array> arrays;
  IndexList positions;
  std::int64_t size = 0;
};

/// A capability of storage: packs lists that are given away.  Of other storage Storage::pack gets copies.
class PacksLists {
 public:
  virtual ~PacksLists() = default;
  virtual PackedList pack_list(const Shape& shape, NodeList nodes) const = 0;

 protected:
  /// Storage::pack for who has this.
  Packed packed(const Shape& shape, const Nodes& nodes) const;
};

PackedList pack_list(const Storage& storage, const Shape& shape, NodeList nodes);

}  // namespace filigree::level
