// Loops that begin and end where variables that follow from theirs are within their extents.
//
//   j = i + d          for (i = max(0, -d); i < min(i_size, j_size - d); i++)          instead of asking for each i
#pragma once

#include "plan/plan.h"

namespace filigree::plan {

/// Sums of `var` and of others that have values, `bound`, where it is to be asked whether they are inside.
std::vector<concrete::Derivation> asked_sums(const IndexVar& var, const std::vector<IndexVar>& bound,
                                             const concrete::Environment& environment);

/// Those that the bounds of the loop can keep (Loop::keeps), where `bound` have values.  The loop goes through one
/// level's coordinates, which have no gaps.
std::vector<IndexVar> kept_within(const lattice::Lattice& lattice, const lattice::Strategy& strategy,
                                  const std::vector<IndexVar>& bound, const concrete::Environment& environment);

}  // namespace filigree::plan
