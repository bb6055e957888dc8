// How wide the index arrays of a result are made.
#pragma once

#include "concrete/concrete.h"
#include "lower/lower.h"
#include "tensor/tensor.h"

namespace filigree::compiler {

/// Coordinates as narrow as the dimensions allow; positions as wide as `positions`.
lower::ArrayTypes result_array_types(const Format& format, const std::vector<std::int64_t>& dimensions, ElementType positions);

/// Where the result has the pattern of an operand, its positions are no larger.
/// Requires: operands in the program's order.
void narrow_shared_positions(lower::ArrayTypes& types, const concrete::Program& program, const std::vector<const Tensor*>& operands);

}  // namespace filigree::compiler
