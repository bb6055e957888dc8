// Which variables of a layout follow from coordinates, and which number nodes: how its arrays are filled.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "layouts/layout.h"
#include "layouts/solve.h"

namespace filigree::layouts {

/// An array that a node has an element of: what it is to be, if the entry begins the node, and how far from it later
/// entries may be.
struct Held {
  std::string array;
  Expr target;                       // in terms of coordinates and of variables that are looked up
  std::optional<std::string> digit;  // a variable that says how far
  std::int64_t range = 1;
};
/// A variable that numbers nodes, below a parent if an array says where the nodes of each begin.
struct NodeVariable {
  std::string variable;
  std::optional<std::string> segments;
  Expr parent = Expr::number(0);
  std::vector<Held> held;
};
/// An element of an array that follows from an entry.
struct Written {
  Expr read, value;
};

struct PackPlan {
  std::vector<Solution> located;
  std::vector<Written> written;
  std::vector<NodeVariable> nodes;
};

/// Throws UserError, with what is in the way, if arrays do not follow from coordinates.
PackPlan plan_packing(const Layout& layout);

}  // namespace filigree::layouts
