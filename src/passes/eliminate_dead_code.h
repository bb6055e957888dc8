// Removes what no result depends on.
#pragma once

#include "ir/ir.h"

namespace filigree::passes {

/// Keeps what the Out and Update arrays, their counts and the returned status depend on; drops scalars
/// that are assigned but never read, local arrays that are filled but never read, tables that are
/// never asked, and loops and branches left with nothing to do.  A call that changes a table which
/// is still asked stays, even when its value is not used.  Barriers stay in launches that do.
///
///     ALLOC(w, n);
///     w[0] = 1;                 =>
///     int64_t p = 0;                 int64_t q = 0;
///     int64_t q = 0;                 A_pos[1] = q;
///     A_pos[1] = q;
///     FREE(w);
///
/// Loops are taken to end.  Requires: verify(function) passes.  Ensures: it still does.
ir::FunctionDef eliminate_dead_code(const ir::FunctionDef& function);

}  // namespace filigree::passes
