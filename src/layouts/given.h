// Arrays that somebody gives by name, such as those of a file, as a layout's data.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "layouts/data.h"

namespace filigree::layouts {

/// An array with its shape: one number, or one for each of the layout's extents.
struct ShapedArray {
  std::vector<std::int64_t> shape;
  Array values;
};

/// Index arrays may hold any integers.  Dimensions that are not stated follow from arrays that have an element for each
/// coordinate.  Throws UserError for arrays that are missing, too many or of another shape, and where nothing tells a
/// dimension; `what` is the tensor.  Properties are not checked (points.h).
Data given_data(const Layout& layout, std::map<std::string, ShapedArray> arrays,
                const std::optional<std::vector<std::int64_t>>& dimensions, const std::string& what);

}  // namespace filigree::layouts
