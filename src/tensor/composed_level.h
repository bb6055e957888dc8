// Several levels of a format, as one level of the dimension they make up: what a loop over that dimension iterates.
//
// A chain of levels is located, or driven by its first level.  Located, every coordinate is found by looking up one
// level of the chain after the other.  Driven, a cursor runs through the driver's nodes, and the rest of the chain is
// looked up below each:
//
//   blocks      j/4: compressed, i%4: dense, j%4: dense      one cursor for a block and a column inside: j = 4*crd[q/4]
//   + q%4 diagonals   j-i: compressed, i: range, j: offset         one diagonal after the other: j = crd[q] + i slots
//   #i: slots, i: dense, j: singleton(padded)    one slot after the other: j = crd[q*rows + i], unless that is -1
//
// In each case coordinates increase with the cursor, no coordinate comes twice, and those outside of the dimension are
// not found.
#pragma once

#include "tensor/format.h"

namespace filigree {

/// The levels that belong to one dimension when loops run over dimensions in a certain order.
struct Chain {
  std::vector<int> dimensions;  // of the loops down to this one, outermost first; the last is the chain's own
  std::vector<Level> levels;    // in storage order, right below those of the chains above; maybe none
  /// Does a cursor run through the first level?  How the dimension follows from it is in the level's coordinate.
  bool is_driven = false;
};

level::FormatPtr composed_level(Chain chain);
/// Null unless the level was composed.
const Chain* chain_of(const level::Format& format);

}  // namespace filigree
