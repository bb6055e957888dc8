// Levels of formats that a layout gives, one for each dimension: generated code walks and searches them as it does any
// other level.  Each has the arrays of the layout that it reads, and one with all sizes.
#pragma once

#include <memory>
#include <vector>

#include "layouts/data.h"
#include "layouts/levels.h"
#include "tensor/any_tensor.h"

namespace filigree::layouts {

/// A layout as loops use it.
struct Usable {
  Layout layout;
  std::vector<int> dimensions;  // by level
  Levels levels;                // of a layout that is listed, empty
  bool listed = false;          // the first level goes through all points, and those below it follow
};

/// Every point of every term has a number, if each variable has its own bounds, from 0 to a size: then code can go
/// through the numbers.  What is in the way otherwise, in a sentence without a period.
std::optional<std::string> why_not_listed(const Layout& layout);

/// The level formats, by level; their names begin with the layout's.
std::vector<level::FormatPtr> level_formats(const std::shared_ptr<const Usable>& usable);

/// What the levels' arrays and values are for this data; values of several terms stand one after the other.
struct Bound {
  std::vector<std::vector<Array>> arrays;
  Array values;
};
Bound bind(const Usable& usable, const Data& data);
/// The way back: what a tensor in such a format stores.
Data data_of(const Usable& usable, const AnyTensor& tensor);

/// The layout that the format was made of; null for others.
const Usable* usable_of(const Format& format);

}  // namespace filigree::layouts
