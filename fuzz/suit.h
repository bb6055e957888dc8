// Data that a format can hold and that shows what it is.
#pragma once

#include "fuzz/program.h"

namespace filigree::fuzz {

/// Entries outside a triangle are left out, those of a symmetric matrix mirrored, those of a format that repeats
/// coordinates split in two, those of one without order shuffled; at last those are left out that still do not fit. The
/// same entries give the same answer.
void suit(ProgramTensor& tensor);

}  // namespace filigree::fuzz
