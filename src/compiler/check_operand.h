// Is a tensor what a kernel was compiled for?
#pragma once

#include "notation/variables.h"
#include "tensor/any_tensor.h"

namespace filigree::compiler {

/// Throws UserError unless type, order, format and fill are those declared.
void check_operand(const TensorVar& declared, const AnyTensor& tensor);

}  // namespace filigree::compiler
