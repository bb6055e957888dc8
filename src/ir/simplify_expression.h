// Makes expressions shorter without changing what they compute.
#pragma once

#include "ir/ir.h"

namespace filigree::ir {

/// Folds integer arithmetic, comparisons and logic; floating-point arithmetic is left as it is.
///
///     0 * 4 + (i + 3 + 4)   =>   i + 7
Expr simplify(const Expr& expr);

}  // namespace filigree::ir
