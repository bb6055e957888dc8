// Makes every result assemblable: inserts workspaces where a result's levels cannot be filled in loop order.
#pragma once

#include "concrete/concrete.h"

namespace filigree::assemble {

/// For each result, the longest prefix of its levels whose variables are the outermost
/// loops is assembled in place.  What remains goes through a workspace of the same shape in which every
/// level can be inserted into, unless the remaining levels can be inserted into themselves; then it is
/// drained in order.  Accumulation in loops below all of an access's variables goes through a scalar.  A result that
/// has the pattern of an operand needs none of this (concrete/shared_pattern.h).
///
/// Requires: a concretized program.  Ensures: every assignment to a level that can only be appended to is reached
/// through loops over exactly that result's variables, in the order of its levels, and writes each component once;
/// unless its pattern is shared.
///
///   A csr:  forall(i, forall(k, forall(j, A(i,j) += B(i,k) * C(k,j))))
///       ->  forall(i, where(forall(j, A(i,j) = w(j)), forall(k, forall(j, w(j) += B(i,k) * C(k,j)))))
///   y:      forall(i, forall(j, y(i) += A(i,j) * x(j)))
///       ->  forall(i, where(y(i) = t, forall(j, t += A(i,j) * x(j))))
///
/// `two_passes`: a result that is written once per component in any order may be filled by counting and placing
/// instead.
concrete::Program assemble(const concrete::Program& program, bool two_passes = true);

}  // namespace filigree::assemble
