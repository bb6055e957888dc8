// Two iterations of a loop that write the same component, for people.
#pragma once

#include <optional>
#include <string>

#include "concrete/concrete.h"

namespace filigree::concrete {

/// Why iterations of the loop over `var` meet where `assign` is: the smallest two that do, from how the indices of the
/// left side follow from the loops.  Nothing if small coordinates show none.
///
///   forall(i, forall(j, y(i) += ...)), over j    "j = 0 and j = 1 both write y(0), where i = 0"
std::optional<std::string> meeting(const IndexVar& var, const Assign& assign, const Program& program);

}  // namespace filigree::concrete
