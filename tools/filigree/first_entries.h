// The beginning of a tensor that is too large to be shown whole.
#pragma once

#include <cstdint>

#include "tensor/any_tensor.h"

namespace filigree::tool {

/// The first `count` components that are present, sorted by coordinates in dimension order.  Takes memory for these
/// only, and for most formats the time for them only.
Coordinates first_entries(const AnyTensor& tensor, std::int64_t count);

}  // namespace filigree::tool
