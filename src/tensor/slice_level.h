// A level of which a window is shown: coordinate i of the window is coordinate offset + i of the level.
//
//   A(i+1,j), j: compressed inside          nodes as stored, with coordinate crd[p] - 1
//   A(i,j(5,9)), j: compressed inside       from the first node that is not before 5 up to the last one before 9
//
// Where the window begins and ends under a parent is searched for once, so nothing outside of it is visited, and
// nothing is copied.
#pragma once

#include "tensor/format.h"

namespace filigree {

/// Do the level's coordinates stand in an array that increases?
bool can_be_sliced(const level::Format& format);

/// Requires: can_be_sliced(*format).
level::FormatPtr sliced_level(level::FormatPtr format, std::int64_t offset);

}  // namespace filigree
