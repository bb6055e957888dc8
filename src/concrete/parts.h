// Parts of the numbers of points.  Splits divide these as hours and minutes divide a day, and each loop runs over one
// part.
//
//   split(i, i0, i1, 8), split(i1, i2, i3, 2)      i = 8*i0 + 2*i2 + i3, and its parts are i0, i2, i3
//
// From large parts to small ones, each loop leaves a piece of the points to those inside of it.  In any other order
// loops are over numbers (PieceLoop::by_number), and the innermost of them visits the points that have these numbers:
// it is the loop over i itself, whichever part it runs over.
#pragma once

#include "concrete/points.h"

namespace filigree::concrete {

/// Do both number the same points in the same way?
bool is_same_numbering(const Points& a, const Points& b);
/// The cuts of these points, each of what is inside of the pieces of the one before.
std::vector<PieceLoop> cuts_of(const Environment& environment, const Points& points);
/// The same, of the pieces that a loop over pieces counts.
std::vector<PieceLoop> cuts_of(const Environment& environment, const IndexVar& pieces);

struct PointPart {
  IndexVar var;  // the loop over pieces that it counts; of the smallest part, the last of the loops that are cut
  std::vector<IndexVar> loops;  // that run over it
};

/// All parts of the same points.
struct PointParts {
  PieceLoop numbering;           // the first cut of the points
  std::vector<PointPart> parts;  // from large to small
  size_t visiting;               // the part that the loops which are cut run over
};
std::vector<PointParts> all_parts(const Environment& environment);
/// Those that a loop is over a part of.  Of several, which number points in different ways, the ones made last; not
/// those of variables that run through the points of others.
std::optional<PointParts> parts_with(const Environment& environment, const std::vector<IndexVar>& loops);
/// The cuts that make up the parts, and what is Inside.
bool makes(const PointParts& parts, const PieceLoop& cut);

/// Does the number of iterations of a loop over this part depend on how many points there are?
bool counts_points(const Environment& environment, const PointParts& parts, size_t part);

/// Stands for all points in formulas: they are its extent.
const IndexVar& all_points();
/// How many pieces there are of the cut that a loop over pieces is of, and how many iterations the loop over a part
/// has, of so many points.  Of a part that is inside of pieces: in all but the last of these.
relation::Formula piece_count(const Environment& environment, const PointParts& parts, const IndexVar& pieces,
                              const relation::Formula& points);
relation::Formula part_extent(const Environment& environment, const PointParts& parts, size_t part,
                              const relation::Formula& points);
/// The same for a loop by number.  It relies on what a schedule says about extents, and has not many more iterations
/// than there are points.
relation::Formula iterations(const Environment& environment, const PointParts& parts, size_t part,
                             const relation::Formula& points);

/// Of loops by number: what those around the one that visits the points say about these.  Values are those of the first
/// of the loops over each part.
struct Visited {
  relation::Formula above = relation::Formula::number(0);   // what the numbers of larger parts come to
  relation::Formula below = relation::Formula::number(0);   // and those of smaller ones, less than the stride
  relation::Formula stride = relation::Formula::number(1);  // from one point to the next
  std::vector<relation::Formula> ends;  // counted from the first of all points: whatever comes first is the end
  bool ends_with_all = false;           // the end of all points is one, too
  /// There is a point with these numbers only where each first one is less than the second.
  std::vector<std::pair<relation::Formula, relation::Formula>> guards;
};
/// `is_even` says of a cut of all points whether it is certain that no piece is smaller than the others.
Visited visited(const Environment& environment, const PointParts& parts, const relation::Formula& points,
                const std::function<bool(const PieceLoop&)>& is_even);

/// The most points that a loop over `var`, which may be in place of several, has in the pieces around it, if splits say
/// that; `around` are the loops there.
std::optional<std::int64_t> most_points(const Environment& environment, const std::vector<IndexVar>& around,
                                        const IndexVar& var);

}  // namespace filigree::concrete
