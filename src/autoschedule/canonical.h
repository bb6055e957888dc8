// Statements that differ in names only are the same: one of them stands for all.
#pragma once

#include <string>

#include "autoschedule/statement.h"

namespace filigree::autoschedule {

/// `stmt` with loops numbered i1, i2, ... from the outermost in, consumers before producers, temporaries numbered w1,
/// w2, ... in the same order, dimensions of temporaries in the order of the loops that fill them, and operands of
/// operators that are commutative and associative sorted, chains of them flat.  Requires: every index is bound.
///
///   forall(k, forall(j, y(i(j)) += x(l(k)) * A(s(j),s(k))))
///   forall(i1, forall(i2, y(i(i2)) += A(s(i2),s(i1)) * x(l(i1))))
Stmt canonical(const Stmt& stmt);

/// Equal for statements that are equal up to names and the order of operands.
std::string canonical_text(const Stmt& stmt);

/// `expr` with chains of associative operators flat and operands of commutative ones sorted by their text.
Expr sorted(const Expr& expr);

}  // namespace filigree::autoschedule
