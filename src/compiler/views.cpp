#include "compiler/views.h"

#include "support/memory.h"

namespace filigree::compiler {

lowering::ArrayTypes array_types(const AnyTensor& tensor) {
  lowering::ArrayTypes types;
  for (const std::vector<Array>& level : tensor.level_arrays()) {
    for (const Array& array : level) types.push_back(array.type());
  }
  return types;
}

ir::TensorView view(const AnyTensor& tensor) {
  ir::TensorView out{tensor.dimensions(), {}};
  for (const Array* array : tensor.all_arrays())
    out.arrays.push_back({array->type(), const_cast<void*>(array->data()), array->count()});
  return out;
}

Array take(const ir::ArrayView& made) {
  return Array::adopt(made.type, trimmed_block(made.data, static_cast<size_t>(made.count * size_in_bytes(made.type))),
                      made.count);
}

}  // namespace filigree::compiler
