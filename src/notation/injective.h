// Do different values of the variables of an access give different components?
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "notation/notation.h"

namespace filigree::notation {

enum class Injectivity {
  Always,            // A(i, 2*i+j), A(i({3,1}))
  DependsOnExtents,  // A(61*j+k): where k has at most 61 coordinates
  Never,             // A(i+k), as soon as both have two coordinates; a list that repeats a coordinate
};
Injectivity injectivity(const Access& access);

/// Always, whatever the extents are?
bool is_injective(const Access& access);

/// Two points that give one component.
struct Collision {
  struct Difference {
    IndexVar var;
    std::int64_t first, second;
  };
  std::vector<Difference> vars;  // those that differ; none if the search was given up
};

/// Such points where variables have these extents, if there are any.  Requires: no list repeats a coordinate, and every
/// variable has an extent.
std::optional<Collision> find_collision(const Access& access, const std::map<IndexVar, std::int64_t>& extents);

}  // namespace filigree::notation
