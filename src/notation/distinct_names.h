// Names tell tensors apart: operands are given by name.  Programs in C++ can give one name to several.
#pragma once

#include "notation/notation.h"

namespace filigree::notation {

/// Refuses different tensors of one name, in one statement or in several that run together: nobody could say which
/// operand is whose.
void check_tensor_names(const std::vector<Statement>& statements);

}  // namespace filigree::notation
