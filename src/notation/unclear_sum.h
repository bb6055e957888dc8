// The message about a sum that nothing tells where to take, with every way of saying it.
#pragma once

#include "notation/sum_places.h"

namespace filigree::notation {

/// `statement`, as it is written, with its sums as far inside as `limit` barriers let them (sum_places.h).  No variable
/// is reduced twice around one use. Requires: it assigns with `=`, `+=` or `-=`.
Statement with_sums(const Statement& statement, int limit);

/// `placed`: the right side of `statement` with the sums over `vars` as far inside as they go.  Each hint ends in a
/// statement that says where the sums are, from the outermost place to the innermost; a long one shows the place alone.
///
///   n = A(i,j)^2   ->   n = sum(i, j, A(i,j)^2)   or   n = sum(i, j, A(i,j))^2
///
/// Requires: a barrier was passed.
UserError unclear_sum(const Statement& statement, const PlacedSums& placed);

}  // namespace filigree::notation
