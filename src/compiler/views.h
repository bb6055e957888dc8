// Tensors as kernels see them, and what kernels made as tensors' arrays.
#pragma once

#include "ir/interpret.h"
#include "lower/lower.h"
#include "tensor/any_tensor.h"

namespace filigree::compiler {

/// The element types of all index arrays, in the order kernels number them.
lowering::ArrayTypes array_types(const AnyTensor& tensor);
/// Those of a result: coordinates as narrow as the dimensions allow; positions as wide as `positions`.
lowering::ArrayTypes result_array_types(const Format& format, const std::vector<std::int64_t>& dimensions,
                                        ElementType positions);
/// Dimensions and arrays, borrowed.
ir::TensorView view(const AnyTensor& tensor);
/// Takes over an array a kernel made, giving back the room it made beyond what it needed.
Array take(const ir::ArrayView& made);
/// The same for a result, which loops see as `seen` and which is in `format`; its index positions become 32 bits wide
/// if they fit.
AnyTensor adopt(const ir::TensorView& made, const std::vector<std::int64_t>& dimensions, const TensorVar& seen,
                const Format& format, bool has_values);

}  // namespace filigree::compiler
