// A statement that starts from the values its result holds.
#pragma once

#include "concrete/concrete.h"

namespace filigree::concrete {

/// The same loops where every component that is written is combined by `op` with what the result holds before; what is
/// not written stays.
///
///   forall(i, y(i) = x(i))   with +   forall(i, y(i) += x(i))
///
/// Nothing if it cannot be done in place: the result has no place for every component, components that are not written
/// would change, or the loops combine values by another operator, several results at once, or from several threads.
/// Requires: an assembled program with one result.
std::optional<Program> updating(const Program& program, Operator op);

}  // namespace filigree::concrete
