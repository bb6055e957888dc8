// All formats of an order that combinations try.
#pragma once

#include <vector>

#include "tensor/format.h"

namespace filigree::differential {

/// Every assignment of dense and compressed to the levels.  Orders 0, 1 and 2: every mode order; order 3: all six or
/// the identity and one more; order 4: a few level assignments, the identity and one more mode order.
std::vector<Format> formats_of(int order, bool all_mode_orders);

/// The formats with names, and variants with other properties, for tensors of an order; `few` for long expressions.
std::vector<Format> named_formats_of(int order, bool few);

}  // namespace filigree::differential
