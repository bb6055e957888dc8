// The one function behind all reasoning about sparsity: substitute the fill for absent operands and simplify.
#pragma once

#include <functional>
#include <optional>

#include "notation/notation.h"

namespace filigree::notation {

/// `expr` where every access for which `absent` holds is replaced by its tensor's fill, simplified by the
/// operators' algebra.  What was annihilated is gone: its operands no longer occur.
///
///   b(i)*c(i) + d(i)   with c absent   ->   d(i)
///   max(b(i), c(i))    with c absent   ->   max(b(i), 0)
///
/// A reduction of a constant stays what it is if the constant is the reduction's identity or the
/// operator is idempotent; otherwise it is kept, to run over the whole dimension.
Expr substitute_fill(const Expr& expr, const std::function<bool(const Access&)>& absent);

/// What is left of an operator whose operands are known where `known` says so, by their structure or because they are
/// literals.
Simplified simplify_operator(const Expr& expr, const Apply& apply, const std::vector<std::optional<Scalar>>& known);

/// `expr` simplified by what is structural in it already.
Expr simplify(const Expr& expr);

/// `expr` with every access absent whose format leaves gaps, if that is a constant: the fill of the result.  Order-0
/// tensors are always present, so an expression that uses one has no constant fill unless it is annihilated.  What is
/// read at selected coordinates is there if it is stored: x(p(i)) + 2 has no fill if x is dense.  Inside of pad,
/// nothing may be selected.
std::optional<Scalar> fill_of(const Expr& expr);

}  // namespace filigree::notation
