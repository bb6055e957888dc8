// A format with a map, as loops over the tensor's dimensions see it: one composed level for each dimension.
//
//   bcsr(4,4), loops over i, j    i: composed(i/4: dense), j: composed(j/4: compressed, i%4: dense, j%4: dense)
//   dia, loops over i, j          i: composed,             j: composed(j-i: compressed, i: range, j: offset)
//   ell, loops over i, j          i: composed,             j: composed(#i: slots, i: dense, j: singleton(padded))
//
// So tensors whose maps differ meet on the coordinates of dimensions, and nobody but composed_level.h knows of the
// maps.
#pragma once

#include <optional>
#include <vector>

#include "tensor/format.h"

namespace filigree {

/// The same storage with one level for each dimension, in this order.  Every level has its coordinates in increasing
/// order, each once, under every parent; going through all of them takes time in proportion to what is stored.  Nothing
/// if no composition is like that: then the tensor has to be copied.  Requires: `dimensions` are all of the format's,
/// each once.
std::optional<Format> compose(const Format& format, const std::vector<int>& dimensions);

/// What `composed` is a composition of; nothing if it is none.
std::optional<Format> decompose(const Format& composed);

/// Orders of dimensions for which the format can be composed, those that are closer to the order of dimensions first.
/// None for formats of so many dimensions that there would be too many to try.
std::vector<std::vector<int>> composable_orders(const Format& format);

}  // namespace filigree
