// Lists of index variables.
#pragma once

#include <string>
#include <vector>

#include "notation/notation.h"

namespace filigree::concrete {

using Vars = std::vector<IndexVar>;

/// Those of `more` that are not there yet go to the end.
void append_new(Vars& vars, const Vars& more);
Vars without(const Vars& vars, const Vars& removed);
Vars concat(Vars a, const Vars& b);
/// The same with two index variables exchanged.
Vars swapped(Vars vars, const IndexVar& a, const IndexVar& b);
/// "i, j"
std::string names(const Vars& vars);

}  // namespace filigree::concrete
