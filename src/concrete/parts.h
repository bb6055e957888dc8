// Parts of the numbers of points.  Splits divide these as hours and minutes divide a day, and each loop runs over one
// part.
//
//   split(i, i0, i1, 8), split(i1, i2, i3, 2)      i = 8*i0 + 2*i2 + i3, and its parts are i0, i2, i3
//
// From large parts to small ones, each loop leaves a piece of the points to those inside of it.  In any other order
// loops are over numbers (Cut::by_number), and the innermost of them visits the points that have these numbers: it is
// the loop over i itself, whichever part it runs over.
#pragma once

#include "concrete/concrete.h"

namespace filigree::concrete {

/// Do both number the same points in the same way?
bool is_same_numbering(const Cut& a, const Cut& b);
/// The cuts of these points, each of what is inside of the pieces of the one before.
std::vector<Cut> cuts_of(const Environment& environment, const Cut& numbering);
/// The same, of the pieces that a loop over pieces counts.
std::vector<Cut> cuts_of(const Environment& environment, const IndexVar& pieces);

struct Part {
  IndexVar var;  // the loop over pieces that it counts; of the smallest part, the last of the loops that are cut
  std::vector<IndexVar> loops;  // that run over it
};

/// All parts of the same points.
struct Parts {
  Cut numbering;            // the first cut of the points
  std::vector<Part> parts;  // from large to small
  size_t visiting;          // the part that the loops which are cut run over
};
std::vector<Parts> all_parts(const Environment& environment);
/// Those that a loop is over a part of.  Of several, which number points in different ways, the ones made last; not
/// those of variables that run through the points of others.
std::optional<Parts> parts_with(const Environment& environment, const std::vector<IndexVar>& loops);
/// The cuts that make up the parts, and what is Inside.
bool makes(const Parts& parts, const Cut& cut);

/// Does the number of iterations of a loop over this part depend on how many points there are?
bool counts_points(const Environment& environment, const Parts& parts, size_t part);

/// How many pieces there are of the cut that a loop over pieces is of, and how many iterations the loop over a part
/// has, of so many points; nothing if that is not known before it runs.  Of a part that is inside of pieces: in all but
/// the last of these.
std::optional<std::int64_t> piece_count(const Environment& environment, const Parts& parts, const IndexVar& pieces,
                                        std::optional<std::int64_t> points);
std::optional<std::int64_t> part_extent(const Environment& environment, const Parts& parts, size_t part,
                                        std::optional<std::int64_t> points);

/// The most points that a loop over `var`, which may be in place of several, has in the pieces around it, if splits say
/// that; `around` are the loops there.
std::optional<std::int64_t> most_points(const Environment& environment, const std::vector<IndexVar>& around,
                                        const IndexVar& var);

}  // namespace filigree::concrete
