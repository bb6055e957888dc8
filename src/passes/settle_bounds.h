// Takes out what the loops and questions around already say.
#pragma once

#include "ir/ir.h"

namespace filigree::passes {

/// Between the bounds of a loop, and where a condition holds, some comparisons of indices have only one answer, one
/// side of a minimum or maximum is never it, and some loops never run, or run at most once: these become questions.
///
///     for i = 0 .. i_size {                            for i = 0 .. i_size {
///       for j = max(0, i) .. min(i + 1, j_size) {  =>    if i < j_size {
///         if j >= i { t = t + a[i] }                        t = t + a[i]
///       }                                                }
///     }                                                }
///
/// Indices are loop variables, dimensions, and sums of these: they do not overflow.
/// Requires: verify(function) passes.  Ensures: it still does.
ir::FunctionDef settle_bounds(const ir::FunctionDef& function);

}  // namespace filigree::passes
