// Through which operators a sum may move without changing what it means.
#pragma once

#include "algebra/operator.h"

namespace filigree {

/// Is `op`, with its other operands fixed, of a sum in operand number `position` the sum of `op` of the terms?  So it
/// is of factors and numerators, signs, and of what takes a complex number apart.  `+` and `-` are not: c + x counts c
/// once.
bool is_linear_in(Operator op, int position);

}  // namespace filigree
