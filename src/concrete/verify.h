// What every later stage may rely on.
#pragma once

#include "concrete/concrete.h"

namespace filigree::concrete {

/// Throws InternalError, naming `stage` and showing the statement, unless
///  1. every index variable of an access is bound by a loop around it or follows from such variables, and no loop
///  rebinds a variable
///     that is bound around it;
///  2. every access has as many indices as its tensor has dimensions, and every index variable has an extent;
///  3. a tensor that is read is an operand or a temporary whose producer encloses the read; a temporary
///     is not read by its own producer; a result is never read;
///  4. every operand can be walked in the loops around it;
///  5. assignments hold no reductions.
void verify(const Program& program, const std::string& stage);

}  // namespace filigree::concrete
