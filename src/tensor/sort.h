// Sorting entries by their coordinates.
#pragma once

#include <vector>

#include "tensor/coordinates.h"

namespace filigree {

/// Are the entries sorted by the dimensions in this order (duplicates allowed)?
bool is_sorted(const Coordinates& entries, const std::vector<int>& dimensions);

/// The numbers of the entries, sorted by the dimensions in this order; stable.  Uses all cores when there are many.
/// Requires: coordinates are in range.
std::vector<std::int64_t> sorted_numbers(const Coordinates& entries, const std::vector<int>& dimensions);

}  // namespace filigree
