// Index notation -> concrete index notation: loops, their order, temporaries, reformatted operands.
#pragma once

#include "concrete/concrete.h"
#include "concrete/requests.h"

namespace filigree::concrete {

/// Requires: reductions are bound (notation::bind_reductions) and the statement passed notation::check.
/// Ensures: every index variable is bound by one forall on the way to each of its uses; every operand
/// can be walked in the loops around it; no reduction node is left; results may be in any format.
///
///   A(i,j) = sum(k, B(i,k)*C(k,j))           forall(i, forall(k, forall(j, A(i,j) += B(i,k)*C(k,j))))
///   a(i) = sum(j, B(i,j)*c(j)) + d(i)        forall(i, where(a(i) = t + d(i), forall(j, t += B(i,j)*c(j))))
///   A(i,j) = B(i,j) + C(j,i), all CSR        where(forall(i, forall(j, A(i,j) = B(i,j) + C_t(i,j))),
///                                                  forall(j, forall(i, C_t(i,j) = C(j,i))))
///
/// `in_pieces`: prefer loops that several threads can share, counting and placing, over appending in order.
/// `requests`: what a schedule asks for.  Throws UserError that points at one that cannot be had.
Program concretize(const notation::Statement& statement, bool in_pieces = false, const Requests& requests = {});

}  // namespace filigree::concrete
