// `A(0,j) += e` where `A` has an old value: a part of a tensor is updated, and the rest stays as it is.
#pragma once

#include "notation/notation.h"
#include "support/fresh_names.h"

namespace filigree::notation {

/// Is the left side a part of its tensor, which `op=` combines with an old value if there is one?
bool updates_part(const Statement& statement);

/// The statement with the old value of its left tensor as an operand.  Where that is a part of the tensor only, the
/// part's new terms go into a tensor of their own first, which holds what changes nothing everywhere else:
///
///   A(0,j) += b(j)   ->   A_part(0,j) = b(j); A(i,j) = A(i,j) + A_part(i,j)
///
/// Throws UserError where the rest would not keep its value, because it is computed in a type that does not hold it.
/// Requires: the statement is complete.
std::vector<Statement> with_old_values(const Statement& statement, FreshNames& names);

}  // namespace filigree::notation
