// How often the patterns of a statement's operands meet: choices depend on that, beside sizes.
#pragma once

#include <string>

#include "autoschedule/measure.h"
#include "notation/notation.h"

namespace filigree::compiler {

/// The power of two of how many coordinates all operands store that have gaps, told by a few walks
/// (autoschedule/walks.h) in about a tenth of a millisecond.  Empty if operands are small, or there are no two that can
/// meet, or walks do not tell.
std::string meeting_of(const notation::Statement& statement, const autoschedule::KnownInputs& inputs);

}  // namespace filigree::compiler
