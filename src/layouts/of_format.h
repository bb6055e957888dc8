// Formats as layouts: each built-in level format states its relation and properties, and those of a format's levels
// together are the relation of the format.
//
//   csr    [c1, p2] -> [i, j] : 0 <= c1 < n_i and pos2(c1) <= p2 < pos2(c1 + 1) and i = c1 and j = crd2(p2)
//          value vals(p2)     where c1 = c1' and p2 < p2' -> crd2(p2) < crd2(p2')
#pragma once

#include <optional>

#include "layouts/data.h"
#include "tensor/any_tensor.h"

namespace filigree::layouts {

/// Arrays are named after their levels: crd2 is the array crd of level 2.  Nothing if a level format is not built in,
/// or only half of a matrix is stored.
std::optional<Layout> layout_of(const Format& format);

/// How one level relates to the node above it.
struct LevelRelation {
  std::string variable;  // that is walked, or the coordinate itself
  Expr lower, upper;
  Expr coordinate;
  std::vector<Formula> tests;       // without them there is no node
  std::vector<Formula> properties;  // of two nodes of one parent; the second is primed
  bool has_own_table = false;       // it finds coordinates in its arrays by hashing
};
/// Of a level below the node `parent`; nothing if the level format is not built in.
std::optional<LevelRelation> relation_of(const level::Format& format, const Expr& parent);

/// What the tensor stores, as data of layout_of(tensor.format()).
Data data_of(const AnyTensor& tensor);

}  // namespace filigree::layouts
