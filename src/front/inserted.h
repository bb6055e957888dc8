// Entries that were inserted into a tensor or set, and are not packed yet.
//
// Packing costs as much as the tensor stores, so it waits until the tensor is needed as a whole.  Until then single
// components are found here: what has become of each is worked out once, so that inserting and reading in turns costs
// what the entries cost.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "tensor/any_tensor.h"

namespace filigree::front {

class Inserted {
 public:
  Inserted(ElementType type, int order) : type_(type), order_(static_cast<size_t>(order)) {}

  /// What was stored of a component before; nothing if nothing was.
  using Before = std::function<std::optional<Scalar>(const std::vector<std::int64_t>&)>;

  bool empty() const { return hows_.empty(); }
  /// Sum: adds to what is stored; Last: replaces it.
  void add(std::span<const std::int64_t> coordinates, const void* element, Duplicates how);
  void clear();

  /// Calls `visit(coordinates, value, how)` for each entry in the order in which they came.
  void for_each(const std::function<void(const std::vector<std::int64_t>&, const Scalar&, Duplicates)>& visit) const;

  /// The component after all entries; nothing if there is none for it.
  std::optional<Scalar> find(const std::vector<std::int64_t>& coordinates, const Before& before,
                             const std::optional<Scalar>& padding);

  /// If all are of one kind, that.
  std::optional<Duplicates> only_kind() const;
  /// `stored` and then all entries as they came.
  Coordinates appended_to(Coordinates stored) const;
  /// `stored` with every component that there are entries for as it has become.  `padding`: what is stored with this
  /// value counts as not stored, because the format stores it without being asked to.
  Coordinates merged_into(const Coordinates& stored, const Before& before, const std::optional<Scalar>& padding);

 private:
  std::vector<std::int64_t> coordinates(size_t entry) const {
    return {coordinates_.begin() + static_cast<std::ptrdiff_t>(entry * order_),
            coordinates_.begin() + static_cast<std::ptrdiff_t>((entry + 1) * order_)};
  }
  Scalar value(size_t entry) const;
  /// Works out what the entries since the last time do.
  void resolve(const Before& before, const std::optional<Scalar>& padding);

  ElementType type_;
  size_t order_;
  std::vector<std::int64_t> coordinates_;  // entry after entry
  std::vector<char> values_;
  std::vector<Duplicates> hows_;

  struct Component {
    std::vector<std::int64_t> coordinates;
    Scalar value;
  };
  std::vector<Component> components_;               // in the order of the first entry for each
  std::unordered_map<std::string, size_t> places_;  // of these, by the bytes of their coordinates
  size_t resolved_ = 0;                             // so many entries are in there
};

}  // namespace filigree::front
