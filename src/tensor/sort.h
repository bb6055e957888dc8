// Sorting entries by their coordinates.
#pragma once

#include <vector>

#include "tensor/coordinates.h"

namespace filigree {

/// An array of Int32 or Int64 to sort by, whose elements are `extent` numbers from `origin` on.
struct SortKey {
  const Array* array;
  std::int64_t extent;
  std::int64_t origin = 0;
  bool decreasing = false;
};

/// Are the entries sorted by the keys in this order (duplicates allowed)?
bool is_sorted(const std::vector<SortKey>& keys);
bool is_sorted(const Coordinates& entries, const std::vector<int>& dimensions);

/// Sorts arrays of one length together by the keys in this order; stable.  Each array becomes another one, so that
/// memory for the largest of them is needed besides.  Uses all cores when there are many entries.  Requires: the arrays
/// of the keys are among `arrays`.
void sort_together(const std::vector<SortKey>& keys, const std::vector<Array*>& arrays);

/// The numbers of the entries, sorted by the dimensions in this order; stable.  Requires: coordinates are in range.
std::vector<std::int64_t> sorted_numbers(const Coordinates& entries, const std::vector<int>& dimensions);

}  // namespace filigree
