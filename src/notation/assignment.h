// What `A op= e` assigns, and what a tensor on both sides reads.
#pragma once

#include "notation/notation.h"
#include "support/fresh_names.h"

namespace filigree::notation {

/// Is a tensor of the left tensor's name among the operands?
bool reads_result(const Statement& statement);

/// The left side and the right side by the statement's operator; a number alone takes its type from the left tensor.
Expr combined_with_old(const Statement& statement);

/// The statement with the old value of the left tensor as an operand: `A(i) += e` is `A(i) = A(i) + e`.
/// Throws UserError where the left side is a part of its tensor only, which takes several statements: see
/// part_update.h. Requires: the statement is complete.
Statement with_old_value(const Statement& statement);

/// The statement as a plain assignment.  A left tensor that is read keeps its old value as an operand; one that is not
/// starts at the operator's identity, so that `A(i) min= e` is `A(i) = e`, `A(i) -= e` is `A(i) = -e`, `A(i) /= e` is
/// `A(i) = 1/e`. Where the expression has no constant fill, or is assigned to a part only, that identity becomes the
/// fill unless another one than 0 is declared. Requires: the statement is complete.
Statement as_assignment(const Statement& statement);

/// A statement that does not read its left tensor, and what it reads instead, if anything.
struct WithOldTensor {
  Statement statement;
  std::optional<TensorVar> old;
};

/// A plain assignment whose left tensor is no operand: what it reads of it is another tensor, with the value from
/// before.
///
///   A(i,j) = A(i,j) + B(i,j)   ->   A(i,j) = A_old(i,j) + B(i,j)
///
/// Its name is none of the statement's, and none of those that are in use.
WithOldTensor with_old_tensor(const Statement& statement, FreshNames names = {});

/// What a plain assignment accumulates with: the operator of a left side whose values are combined with each other. The
/// result starts empty, so adding to it is assigning; other operators start at their identity.
std::optional<Operator> accumulation(const Statement& assignment);
/// The right side with the sign that `-=` gives it.
Expr signed_right_side(const Statement& assignment);
/// What the result holds where nothing is stored: what follows from the right side, or, if that is assigned to a part
/// only, what is declared. Requires: made by as_assignment.
Scalar result_fill(const Statement& assignment);

}  // namespace filigree::notation
