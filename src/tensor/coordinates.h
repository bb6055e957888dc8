// A tensor as a plain list of coordinates and values: what files hold and packing starts from.
#pragma once

#include <vector>

#include "level/array.h"

namespace filigree {

struct Coordinates {
  std::vector<std::int64_t> dimensions;
  /// One vector per dimension, all of the same length as `values`; 0-based.
  std::vector<std::vector<std::int64_t>> coordinate;
  Array values;
  /// Was every component given (an array file)?  Decides the default format.
  bool is_dense = false;
  /// Are the dimensions just large enough for the entries, because nothing states them (a plain .tns file)?
  bool dimensions_implied = false;

  int order() const { return static_cast<int>(dimensions.size()); }
  std::int64_t count() const { return values.count(); }
};

}  // namespace filigree
