// An assignment to a tensor that holds data, as a statement for the compiler.
#pragma once

#include "front/state.h"

namespace filigree::front {

/// The statement with a tensor variable for each tensor.  What has no name gets one: tensors result, operand1,
/// operand2, ... and index variables i, j, k, ... in the order in which they are used, so that statements that do the
/// same are the same.  Numbers that need not be known when code is made become operands: a step size that changes from
/// step to step costs no compilation.
///
/// `self` is the tensor on the left; where it is also read, the operand is its value from before.
/// Throws UserError for what is no statement, and for tensor variables, which hold no data.
Pending as_written(const StatePtr& self, const std::vector<IndexVar>& indices, std::optional<Operator> op,
                   const Term& right, bool prunes);

/// The tensors that an expression reads, by the variables that stand for them; those that hold coordinates of others
/// included.
std::vector<TensorVar> tensors_read(const std::vector<IndexVar>& left, const notation::Expr& right);

/// Text that is the same for statements for which the same kernel is good.
std::string kernel_key(const notation::Statement& statement);

/// The error with a note on its statement: "A(i,j) = B(i,k)*C(k,j), where B is 3 x 4 csr, ...".
UserError&& explained(UserError&& error, const Pending& pending);

}  // namespace filigree::front
