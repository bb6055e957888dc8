// What is written over in any case is not cleared before.
#pragma once

#include "ir/ir.h"

namespace filigree::passes {

/// Dense results are cleared, as a statement may leave components out.  A loop that leaves none out needs no cleared
/// memory, and memory is gone through once less:
///
///     alloc y[n] zeroed                               alloc y[n]
///     for i = 0 .. n { ...; y[i] = t }       =>       for i = 0 .. n { ...; y[i] = t }
///
/// and likewise after a loop that stores the same in all elements.
/// Requires: verify(function) passes.  Ensures: it still does.
ir::FunctionDef clear_less(const ir::FunctionDef& function);

}  // namespace filigree::passes
