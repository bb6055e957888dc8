// Matrices of which one half follows from the other.
#pragma once

#include <string>

#include "tensor/coordinates.h"
#include "tensor/any_tensor.h"

namespace filigree {

/// The entries on and below the diagonal.  Throws UserError, naming an entry, unless every entry has its mirror image.
/// With Duplicates::Sum, entries with the same coordinates are summed before they are compared.
Coordinates stored_half(const Coordinates& entries, Symmetry symmetry, Duplicates duplicates, const std::string& name);

/// The value at (j,i) of a matrix with `value` at (i,j).
Scalar mirrored(const Scalar& value, Symmetry symmetry);

/// Throws UserError unless the components that are not stored can be mirror images of each other.
void check_fill(const Scalar& fill, const Format& format, const std::string& name);

}  // namespace filigree
