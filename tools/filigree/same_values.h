// Whether two results are the same up to rounding, however they are stored.
#pragma once

#include <optional>
#include <string>

#include "tensor/any_tensor.h"

namespace filigree::tool {

/// Nothing if every component is the same; else where they differ most, and by how much.  Integers must be equal;
/// floating-point numbers may differ by what another order of additions makes of them.
std::optional<std::string> find_difference(const AnyTensor& a, const AnyTensor& b);

}  // namespace filigree::tool
