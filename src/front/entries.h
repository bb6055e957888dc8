// The stored components of a tensor in order, to be walked.
#pragma once

#include "tensor/any_tensor.h"

namespace filigree::front {

/// Sorted by coordinates; matrices of which a half is stored with both halves, components that are stored several times
/// once.  Of a dense tensor these are all components, and no list of them is made.
class Entries {
 public:
  /// Requires: the tensor outlives this, unchanged.
  explicit Entries(const AnyTensor& tensor);

  std::int64_t count() const { return count_; }
  /// The coordinates of entry `n`.
  void coordinates(std::int64_t n, std::vector<std::int64_t>& out) const;
  /// Where its value is.
  const void* value(std::int64_t n) const;

 private:
  const AnyTensor& tensor_;
  bool is_dense_;
  std::int64_t count_;
  Coordinates list_;
  std::vector<std::int64_t> strides_;  // of positions of a dense tensor, by dimension
};

}  // namespace filigree::front
