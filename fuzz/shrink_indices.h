// Smaller sketches by simpler indices.
#pragma once

#include <vector>

#include "fuzz/random_program.h"

namespace filigree::fuzz {

/// One index simpler than it was: a variable, a coordinate, a sum without its offset; an access that is not padded.
std::vector<Sketch> simpler_indices(const Sketch& sketch);

/// Without the dimensions that have one coordinate for an index wherever their tensor is used.
std::vector<Sketch> fewer_dimensions(const Sketch& sketch);

/// Without an index variable: dimensions it stands alone in are dropped, or take their first coordinate where that
/// cannot be done.
std::vector<Sketch> without_variable(const Sketch& sketch, char var);

/// Without dimension `dimension`: its levels go, one entry stays for each of the other coordinates.
void drop_dimension(SketchTensor& tensor, int dimension);

}  // namespace filigree::fuzz
