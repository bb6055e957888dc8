#include "compiler/views.h"

#include <algorithm>
#include <cstdlib>

namespace filigree::compiler {

lower::ArrayTypes array_types(const Tensor& tensor) {
  lower::ArrayTypes types;
  for (const std::vector<Array>& level : tensor.level_arrays()) {
    for (const Array& array : level) types.push_back(array.type());
  }
  return types;
}

ir::TensorView view(const Tensor& tensor) {
  ir::TensorView out{tensor.dimensions(), {}};
  for (const Array* array : tensor.all_arrays()) out.arrays.push_back({array->type(), const_cast<void*>(array->data()), array->count()});
  return out;
}

Array take(const ir::ArrayView& made) {
  size_t bytes = static_cast<size_t>(std::max<std::int64_t>(1, made.count * size_in_bytes(made.type)));
  void* exact = std::realloc(made.data, bytes);
  return Array::adopt(made.type, exact ? exact : made.data, made.count);
}

}  // namespace filigree::compiler
