// Checks of a whole statement; messages point into the source.
#pragma once

#include <string>

#include "notation/notation.h"

namespace filigree::notation {

/// Refuses what index notation of this version does not mean: several values for one component of the
/// result, a variable reduced twice or reduced and on the left, an access with the wrong number of indices, complex
/// numbers where an operator is not defined for them.
void check(const Statement& statement);

// The messages that the parser, which knows better places, shares with `check`.
UserError written_several_times(const Statement& statement);
UserError reduced_twice(const std::string& variable);
UserError reduced_but_not_used(const std::string& var);
UserError reduced_and_on_the_left(const std::string& variable);
UserError wrong_number_of_indices(const std::string& tensor, int order, int count);
UserError no_order_of_complex(const std::string& operation);

}  // namespace filigree::notation
