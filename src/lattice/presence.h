// Which sets of operands leave a statement with work to do, and what is left of it then.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "concrete/concrete.h"

namespace filigree::lattice {

/// The number of the operand that decides whether an access is present, or -1 if nothing here does.
using OperandOf = std::function<int(const concrete::Access&)>;

/// Sets of operands (as bit masks), larger first, the empty set last: at a coordinate where S is present
/// the statement does what it does for the first mask contained in S.  That may be nothing.
std::vector<unsigned> presence_sets(const concrete::Stmt& stmt, const OperandOf& operand_of);
std::vector<unsigned> presence_sets(const concrete::Expr& expr, const OperandOf& operand_of);

/// `stmt` with the accesses for which `absent` holds at their fill: assignments that then change
/// nothing are gone, temporaries nobody writes are absent too.  Nothing if no assignment is left.
std::optional<concrete::Stmt> without_absent(const concrete::Stmt& stmt,
                                             const std::function<bool(const concrete::Access&)>& absent);

}  // namespace filigree::lattice
