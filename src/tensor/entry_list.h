// A tensor as a list of entries, as Coordinates is, with coordinates as narrow as the dimensions allow: what text files
// are read into and packing starts from.
#pragma once

#include <vector>

#include "tensor/coordinates.h"

namespace filigree {

struct EntryList {
  std::vector<std::int64_t> dimensions;
  /// One array of Int32 or Int64 per dimension, all of the same length as `values`; 0-based.
  std::vector<Array> coordinate;
  Array values;
  bool is_dense = false;            // as in Coordinates
  bool dimensions_implied = false;  // as in Coordinates

  int order() const { return static_cast<int>(dimensions.size()); }
  std::int64_t count() const { return values.count(); }
};

/// The same entries; their memory is the other's.
EntryList view(const Coordinates& entries);
EntryList view(const EntryList& entries);
/// The same entries; their memory goes along.
EntryList owned(Coordinates entries);
/// A copy.
Coordinates widened(const EntryList& entries);

}  // namespace filigree
