// Turns nested reductions into one where that takes no additional loops.
#pragma once

#include "notation/notation.h"

namespace filigree::concrete {

/// Moves a reduction outwards over an operator that distributes over it, if the other operand uses
/// only index variables of the reduction's body: the loops are there anyway, so the other operand
/// can thin them out, and no temporary is needed.  A factor with a variable of its own stays
/// outside: computing the inner sum first saves a loop there.  With finite values the result is the
/// same up to rounding.
///
///   sum(l, sum(k, B(i,k,l)*C(k,j)) * D(l,j))   ->   sum({k,l}, B(i,k,l)*C(k,j)*D(l,j))
///   sum(k, C(i,k)*D(k,j)) * B(i,j)             ->   sum(k, C(i,k)*D(k,j)*B(i,j))
///   sum(k, sum(j, B(i,j)*C(j,k)) * D(k,l))     stays: l is not a variable of the inner sum
notation::Expr merge_reductions(const notation::Expr& expr);

}  // namespace filigree::concrete
