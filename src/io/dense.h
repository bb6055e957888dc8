// Tensors whose every component has a place that follows from its coordinates: walked in any order, without a list of
// coordinates.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tensor/any_tensor.h"

namespace filigree::io {

/// How far apart the values of neighbours in each dimension are; nothing unless every level is dense and stores a
/// dimension.
std::optional<std::vector<std::int64_t>> dense_strides(const Format& format,
                                                       const std::vector<std::int64_t>& dimensions);

/// Calls `visit(coordinates, position)` for every component; the last dimension varies fastest, or the first one.
enum class Fastest { Last, First };
template <class Visit>
void for_each_component(const std::vector<std::int64_t>& dimensions, const std::vector<std::int64_t>& strides,
                        Fastest fastest, const Visit& visit) {
  for (std::int64_t extent : dimensions) {
    if (extent == 0) return;
  }
  const size_t order = dimensions.size();
  std::vector<std::int64_t> at(order, 0);
  std::int64_t position = 0;
  while (true) {
    visit(at, position);
    size_t turned = 0;
    for (; turned < order; turned++) {
      size_t d = fastest == Fastest::Last ? order - 1 - turned : turned;
      position += strides[d];
      if (++at[d] < dimensions[d]) break;
      position -= strides[d] * dimensions[d];
      at[d] = 0;
    }
    if (turned == order) return;
  }
}

/// The same components in another dense format.  Requires: both formats have strides.
AnyTensor rearranged(const AnyTensor& tensor, const Format& format);

/// The components that differ from `fill`, sorted by coordinates.  Requires: the format has strides.
Coordinates other_than(const AnyTensor& tensor, const Scalar& fill);

}  // namespace filigree::io
