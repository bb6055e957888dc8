// Grids and memories: the part of verify.h that is about device code.  Internal to the verifier.
#pragma once

#include "ir/ir.h"

namespace filigree::ir {

/// Throws InternalError unless number 7 of verify.h's list holds.
void verify_device(const FunctionDef& function);

/// The same for number 8.  Requires: `launch` is a block loop for which number 7 holds.
void verify_barriers(const For& launch);

}  // namespace filigree::ir
