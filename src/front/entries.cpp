#include "front/entries.h"

namespace filigree::front {

Entries::Entries(const AnyTensor& tensor) : tensor_(tensor), is_dense_(tensor.format().is_dense()) {
  if (!is_dense_) {
    list_ = tensor.coordinates();
    count_ = list_.count();
    return;
  }
  count_ = tensor.values().count();
  if (count_ == 0) return;  // other extents may be of any size then
  strides_.resize(static_cast<size_t>(tensor.order()));
  std::int64_t stride = 1;
  for (int k = tensor.format().level_count() - 1; k >= 0; k--) {
    int dimension = tensor.format().levels()[static_cast<size_t>(k)].dimension();
    strides_[static_cast<size_t>(dimension)] = stride;
    stride *= tensor.dimensions()[static_cast<size_t>(dimension)];
  }
}

void Entries::coordinates(std::int64_t n, std::vector<std::int64_t>& out) const {
  out.resize(static_cast<size_t>(tensor_.order()));
  for (size_t d = out.size(); d-- > 0;) {
    if (!is_dense_) {
      out[d] = list_.coordinate[d][static_cast<size_t>(n)];
      continue;
    }
    out[d] = n % tensor_.dimensions()[d];
    n /= tensor_.dimensions()[d];
  }
}

const void* Entries::value(std::int64_t n) const {
  const Array& values = is_dense_ ? tensor_.values() : list_.values;
  std::int64_t position = n;
  if (is_dense_) {
    position = 0;
    for (size_t d = strides_.size(); d-- > 0; n /= tensor_.dimensions()[d])
      position += n % tensor_.dimensions()[d] * strides_[d];
  }
  return static_cast<const char*>(values.data()) + position * size_in_bytes(values.type());
}

}  // namespace filigree::front
