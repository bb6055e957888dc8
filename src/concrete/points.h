// Points of loops that stand one directly inside the other, and pieces of them, as formulas: how many there are, which
// one the loops are at, and which of them a piece leaves to each loop.
//
// Values of variables are counted from their first coordinates.
#pragma once

#include "concrete/concrete.h"

namespace filigree::concrete {

/// How many there are.  Requires: they are numbered as coordinates; here and below.
relation::Formula count(const Points& points);
/// The number of the one that the loops are at.
relation::Formula number(const Points& points);
/// And back: where each of the loops is at the point with this number, outermost first.
std::vector<relation::Formula> coordinates_at(const Points& points, const relation::Formula& number);

/// From `begin` to before `end`.
struct Window {
  relation::Formula begin, end;
};
/// What loop number `loop` visits of the points with the numbers from `begin` to before `end`, where those around it
/// are; a begin may be below the loop's first coordinate, an end behind its last one.
Window window_of(const Points& points, size_t loop, const relation::Formula& begin, const relation::Formula& end);

/// How many pieces a cut makes of so many points.  Of one that makes a piece for each thread, only who runs it knows:
/// the extent of its variable.
relation::Formula piece_count(const PieceLoop& cut, const relation::Formula& points);
/// How many points each piece has, but for the last ones.  It is never 0, so that code can divide by it.
relation::Formula piece_size(const PieceLoop& cut, const relation::Formula& points);

}  // namespace filigree::concrete
