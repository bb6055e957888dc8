// Parts of an expression: whole subexpressions, and some of the operands of a product, a sum or another operator whose
// operands may be taken in any order.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "notation/notation.h"

namespace filigree::notation {

/// `whole` with the first part that is `part`, from the left, replaced by `change` of it; nothing if there is none.
///
///   part B*D of A*B*C*D      change(B*D)*A*C
///
/// Operands are taken together only if that changes no type on the way.  Names decide what is the same, not identities.
/// What goes into a workspace already has no parts.
std::optional<Expr> with_part(const Expr& whole, const Expr& part,
                              const std::function<Expr(const Expr& found)>& change);

/// The operands of a chain of the operator `op`, flat, in the type of the chain; `expr` alone if it is none.
std::vector<Expr> chain_operands(const Expr& expr, Operator op);
/// The chain of these operands; at least one.
Expr make_chain(Operator op, const std::vector<Expr>& operands);

/// Texts of parts that a person may have meant, for messages: the operands of chains and what is larger.
std::vector<std::string> part_texts(const Expr& whole);

}  // namespace filigree::notation
