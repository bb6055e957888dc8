// The points of a layout's relation for given arrays: what is stored where; and which entries break a property.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "layouts/data.h"
#include "tensor/coordinates.h"

namespace filigree::layouts {

struct Point {
  size_t term;
  std::vector<std::int64_t> variables;    // physical, as the term lists them
  std::vector<std::int64_t> coordinates;  // within the dimensions
  std::int64_t element;                   // of the term's array of values
};
/// All points, term by term, in the order of the physical variables.  Throws UserError for a place outside of an array.
void for_each_point(const Evaluator& evaluator, const std::function<void(const Point&)>& visit);

/// The tensor as a list of entries, in no order; what is stored several times is there several times.  Always valid.
Coordinates unpack(const Layout& layout, const Data& data);

/// What is wrong with the data: sizes that do not fit, places outside of arrays, and entries that break a property,
/// each in a sentence.  No more than `most` of them.
std::vector<std::string> find_violations(const Layout& layout, const Data& data, size_t most = 5);
std::vector<std::string> find_violations(const Evaluator& evaluator, size_t most = 5);

}  // namespace filigree::layouts
