// Tensors as text for people.
#pragma once

#include <string>

#include "tensor/any_tensor.h"

namespace filigree::front {

/// A scalar is its value.  Small vectors and matrices are written out, with a dot where nothing is stored; of others,
/// the first entries are:
///
///   3 x 4, float64, csr, 3 stored
///   1   .  2.5  .
///   .   .   .   .
///   .  -3   .   .
std::string to_text(const AnyTensor& tensor);

}  // namespace filigree::front
