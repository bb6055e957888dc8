// Nodes of levels that are inserted into, of results and of workspaces.
#pragma once

#include <vector>

#include "lower/scope.h"

namespace filigree::lowering {

/// The node with this coordinate, inserted if it is not there.  `known_new`: it was never inserted before.
level::Node insert_node(const level::Format& format, const level::Instance& level, const ir::Expr& parent,
                        const ir::Expr& coordinate, bool known_new);

/// The first of some levels, the one behind the last, and the node above them.
struct LevelRange {
  int begin, end;
  ir::Expr parent;
};
struct InsertedPath {
  std::vector<ir::Stmt> setup = {};
  std::vector<ir::Expr> positions = {};  // of each of the levels
};
/// A node of each of these levels, one below the other, with these coordinates.
InsertedPath insert_path(const TensorVar& tensor, const std::vector<level::Instance>& levels, const LevelRange& range,
                     const std::vector<ir::Expr>& coordinates, bool known_new);

/// Of the component's levels.
std::vector<ir::Expr> coordinates_of(const concrete::Access& component, const Scope& scope);

/// Is the value another than the fill?  A NaN is like any other NaN.
ir::Expr differs(const ir::Expr& value, const Scalar& fill);

}  // namespace filigree::lowering
