// Loops that copy operands into another storage order come before all others, and are not what a schedule means by a
// variable.
#pragma once

#include "concrete/concrete.h"

namespace filigree::concrete {

/// The program with new variables, of the same names, for the loops that only copy an operand.  Variables that others
/// follow from stay:
///
///   where(forall(i, forall(j, A(i,j) = B(i,j) + C_t(i,j))), forall(j, forall(i, C_t(i,j) = C(j,i))))        the last i
///   and j are others
Program with_copies_apart(const Program& program);

}  // namespace filigree::concrete
