// Is a tensor what a kernel was compiled for?
#pragma once

#include "notation/variables.h"
#include "tensor/any_tensor.h"

namespace filigree::compiler {

/// Throws UserError unless type, order, format and fill are those declared, and the arrays are right, if they are to be
/// looked at again: on so many threads.
void check_operand(const TensorVar& declared, const AnyTensor& tensor, Validate validate, int threads);
/// The arrays of a tensor that a kernel is to read.
void check_structure(const std::string& name, const AnyTensor& tensor, Validate validate, int threads);

}  // namespace filigree::compiler
