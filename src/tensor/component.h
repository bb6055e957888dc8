// One component of a tensor, found by its coordinates in any format.
#pragma once

#include <functional>
#include <vector>

#include "tensor/any_tensor.h"

namespace filigree {

/// Calls `visit` with every position that holds a part of the component.  There is none where nothing is stored, and
/// several where a format may store a component several times; these add up.  Of a matrix of which a half is stored,
/// only that half is searched. Requires: as many coordinates as dimensions, each inside.
void for_each_position(const AnyTensor& tensor, const std::vector<std::int64_t>& coordinates,
                       const std::function<void(std::int64_t)>& visit);

/// What is stored of a component; nothing if nothing is.
/// Requires: as many coordinates as dimensions, each inside.
std::optional<Scalar> find_component(const AnyTensor& tensor, const std::vector<std::int64_t>& coordinates);

/// The component: what is stored, or the fill.  Costs a search in each level that has to be searched.
/// Throws UserError for another number of coordinates than there are dimensions, and for one that is outside.
Scalar component(const AnyTensor& tensor, const std::vector<std::int64_t>& coordinates,
                 const std::string& name = "the tensor");

/// Throws UserError as above.
void check_coordinates(const std::vector<std::int64_t>& dimensions, const std::vector<std::int64_t>& coordinates,
                       const std::string& name);

}  // namespace filigree
