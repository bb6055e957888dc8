// What every pass may rely on, checked after each of them.
#pragma once

#include "ir/ir.h"

namespace filigree::ir {

/// Throws InternalError, with the offending statement, unless
///  1. types agree: indices, bounds and counts are Int64, conditions Bool, a stored or assigned value
///     has the type of its target, operators and runtime functions get what they take;
///  2. every scalar is declared once, before use and in scope; loop variables and parameters are
///     never assigned;
///  3. every array is a parameter or allocated before use; In arrays are not written, In and Update
///     arrays are neither allocated nor freed;
///  4. every local array and table is freed once, by a later statement of the block that allocates
///     it, and every Out array is allocated and has a count declared at function level;
///  5. a call that can run out of memory is the whole value of a declaration or assignment, or stands
///     alone; break and continue are inside loops;
///  6. a parallel loop holds no other, is not left by break or return, assigns no scalar from outside, and
///     contains neither allocations nor tables;
///  7. the loops of a grid are nested as ir.h says, with nothing between them but declarations, and their ends are
///  known at launch;
///     host code touches host arrays and device code the others; device code has no memory to manage, no copies,
///     tables, parallel loops, launches or returns, and calls nothing that sorts; shared arrays have constant sizes, 48
///     KiB in all;
///  8. a barrier of a block does not stand under a condition or in a loop that could differ between the block's
///  threads, and neither do a
///     barrier of a warp and a lane reduction where it could between the warp's lanes;
///  9. a loop that units share is serial, outside of launches and parallel loops; what it sums are arrays.
void verify(const FunctionDef& function);

}  // namespace filigree::ir
