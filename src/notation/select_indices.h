// Indices that are read from another tensor or wrap around become products with selections.
#pragma once

#include "notation/notation.h"

namespace filigree::notation {

/// The statement with a selection for each index that is read from a tensor, or is a remainder.
///
///   y(i) = x(p(i))              y(i) = sum(k, p_at(i,k)*x(k))
///   C(i,j) = A(p(i),q(j))       C(i,j) = sum(k, k2, (p_at(i,k) and q_at(j,k2))*A(k,k2))
///   y(i) = wrap(x(i+1))         y(i) = sum(k, wrapped(i,k)*x(k))
///   y(i) = x(p(q(i)))           y(i) = sum(k, k2, (q_at(i,k2) and p_at(k2,k))*x(k))
///   h(p(i)) += w(i)             h(k) += sum(i, select(p_at(i,k), w(i), 0))
///   y(i+1 mod 4) = x(i)         y(k) = sum(i, select(wrapped(i,k), x(i), 0)), where wrapped selects no k twice
///
/// A tensor whose fill is not 0 keeps it.  Throws UserError for an index that holds no integers.  Requires: reductions
/// are in their places.
Statement with_selections(const Statement& statement);

}  // namespace filigree::notation
