// Types of literals: a number takes its type from what it meets, as NumPy 2's Python scalars do.
#pragma once

#include "notation/notation.h"

namespace filigree::notation {

/// The type a literal gets beside an operand of type `other`.  `literal` is what the number is by itself: int64,
/// float64, complex128, or bool for true and false.  int with float32 is float32, float with int32 is float64.
ElementType weak_promote(ElementType literal, ElementType other);

/// Does the type of this operand have to do with that of the others?  Those of logic and the condition of `select` have
/// not.
bool meets_others(Operator op, size_t position);

/// Gives every literal of a freshly parsed or built expression its type and folds operators of literals alone,
/// in int64, float64 or complex128, as Python would compute them before NumPy sees them.
/// Throws UserError, pointing into `source`, where a number does not fit its type, and where finite ones give one that
/// is not.
///
///   1/2*b(i)   with b float32   ->   0.5*b(i), all float32
Expr type_literals(const Expr& expr, const Source& source);

}  // namespace filigree::notation
