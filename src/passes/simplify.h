// Makes IR shorter without changing what it computes.
#pragma once

#include "ir/ir.h"

namespace filigree::passes {

/// Folds integer arithmetic, comparisons and logic; replaces a variable that is declared as a copy of a
/// literal, or of a variable that keeps its value while the copy lives, by what it copies; drops
/// branches and loops that never run or have nothing to do; flattens blocks.  Floating-point
/// arithmetic is left as it is.
///
///     int64_t n = m;                              for (int64_t i = 0; i < m; i++) {
///     for (int64_t i = 0 * 4; i < n; i++) {  =>     y[i] = 0.0;
///       if (1) y[i + 0] = 0.0;                    }
///     }
///
/// Requires: verify(function) passes.  Ensures: it still does; counts of Out arrays stay declared.
ir::FunctionDef simplify(const ir::FunctionDef& function);

}  // namespace filigree::passes
