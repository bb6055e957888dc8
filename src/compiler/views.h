// Tensors as kernels see them, and what kernels made as tensors' arrays.
#pragma once

#include "ir/interpret.h"
#include "lower/lower.h"
#include "tensor/any_tensor.h"

namespace filigree::compiler {

/// The element types of all index arrays, in the order kernels number them.
lowering::ArrayTypes array_types(const AnyTensor& tensor);
/// Dimensions and arrays, borrowed.
ir::TensorView view(const AnyTensor& tensor);
/// Takes over an array a kernel made, giving back the room it made beyond what it needed.
Array take(const ir::ArrayView& made);

}  // namespace filigree::compiler
