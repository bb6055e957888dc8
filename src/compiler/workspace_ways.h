// Parts of a statement that may be worth a workspace of their own, as schedules: each is text that 'filigree -s' takes.
#pragma once

#include <string>
#include <vector>

#include "notation/notation.h"

namespace filigree::compiler {

/// Commands 'precompute(part, variable, variable, w)', each of which is a schedule for a plain assignment.  They need
/// not all be possible.
///  * Factors that are reduced, apart from one that is not.  Of A(i,j) = sum(k, M(i,j)*B(i,k)*C(k,j)): B(i,k)*C(k,j)
///    over j.
///  * A function or a reduction of one variable, where the statement has more.  Of W(i,j) = A(i,j)*log(n/f(j)):
///    log(n/f(j)) over j.
std::vector<std::string> workspace_schedules(const notation::Statement& statement);

}  // namespace filigree::compiler
