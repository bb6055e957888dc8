// Pieces that have all their points, apart from the last one, which may have fewer.
//
//   split(i, i0, i1, 4), unroll(i1, 4)
//
//   for (i0 = 0; i0 < i_size / 4; i0++) for (i = 4 * i0; i < 4 * i0 + 4; i++) ...                  full ones
//   for (; i0 < (i_size + 3) / 4; i0++) for (i = 4 * i0; i < min(4 * i0 + 4, i_size); i++) ...     the tail
//
// In full pieces the loop that visits the points has a number of iterations that compilers know, so it unrolls, and
// runs as vectors, without anything left over (P2 footnote 3; docs/architecture.md names the papers).
#pragma once

#include "plan/plan.h"

namespace filigree::plan {

/// The number of points of a full piece, where it is the same for all operands and whatever is around the loop.  Of a
/// loop over numbers inside of pieces, which is around one over the pieces: how many pieces there are.
std::optional<std::int64_t> full_size(const concrete::PieceLoop& cut, const concrete::Environment& environment);

/// How many numbers inside of pieces there are with which every piece has a point, the last one too; of so many points
/// as concrete::all_points has.  Requires: a loop over these numbers that has a full_size.
relation::Formula full_numbers(const concrete::PieceLoop& cut, const concrete::Environment& environment);

/// Are full pieces of this loop worth a loop of their own?  They are if the loop over one of them is unrolled, runs as
/// vectors or has a bound, and has as many iterations as the piece has points.
bool wants_full_first(const Pieces& pieces, const concrete::Environment& environment);

}  // namespace filigree::plan
