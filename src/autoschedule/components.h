// How many components a statement stores.
#pragma once

#include "autoschedule/measure.h"
#include "notation/notation.h"

namespace filigree::autoschedule {

/// As far as can be told: all coordinates of a result that has a place for each, or else those that operands reach.
/// Extents that are not known are 1.
double components_of(const notation::Statement& statement, const KnownInputs& inputs);

}  // namespace filigree::autoschedule
