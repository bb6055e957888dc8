// Names for index variables that a program gave none: the same for statements that are the same, however many variables
// there were before.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "notation/notation.h"

namespace filigree::notation {

struct CanonicalNames {
  std::vector<Statement> statements;
  std::map<std::string, std::string>
      names;  // IndexVar::name() of variables without a name, and what they are called in the statements
};

/// Index variables without a name are called i, j, k, ... in the order in which they are used, by names that nothing
/// else has.  A variable that several statements use has one name in all of them.  Code and cache keys follow from
/// names.
///
///   y(k3) = A(k3,l3)*x(l3)   ->   y(i) = A(i,j)*x(j)
CanonicalNames with_canonical_names(const std::vector<Statement>& statements);

}  // namespace filigree::notation
