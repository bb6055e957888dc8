// The summation rule of docs/notation.md: puts a Reduce node where each right-only index variable binds.
#pragma once

#include "notation/notation.h"

namespace filigree::notation {

/// With `=`, `+=` and `-=`, a variable that is on the right only is summed over the smallest
/// subexpression that holds all its uses; chains of + and - are flat, so each term that uses the
/// variable gets a sum of its own.  Throws UserError where it matters how far inside the sum stands (sum_places.h).
/// With any other `op=`, right-only variables are reduced by `op` over the whole right side.  Variables already bound
/// by an explicit reduction are left alone.
///
///   a(i) = b(i) + C(i,j)*d(j)   ->   a(i) = b(i) + sum(j, C(i,j)*d(j))
Statement bind_reductions(const Statement& statement);

}  // namespace filigree::notation
