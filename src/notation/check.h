// Checks of a statement that need sizes or the whole statement; messages point into the source.
#pragma once

#include <map>
#include <string>

#include "notation/notation.h"

namespace filigree::notation {

/// Refuses what index notation of this version does not mean: an index variable used twice in one
/// access, a variable reduced twice or reduced and on the left, an access with the wrong number of indices, complex
/// numbers where an operator is not defined for them.
void check(const Statement& statement);

/// The extent of every index variable.  `dimensions` are the tensors' known dimensions (a negative entry is
/// unknown), `given` the extents a user stated.  Throws UserError naming both tensors and both extents
/// where two disagree; variables about which nothing is known are left out.
std::map<IndexVar, std::int64_t> infer_extents(const Statement& statement,
                                               const std::map<TensorVar, std::vector<std::int64_t>>& dimensions,
                                               const std::map<IndexVar, std::int64_t>& given);

// The messages that the parser, which knows better places, shares with `check`.
UserError repeated_index(const std::string& variable, const std::string& tensor);
UserError reduced_twice(const std::string& variable);
UserError reduced_but_not_used(const std::string& var, const std::string& reduction);
UserError reduced_and_on_the_left(const std::string& variable);
UserError wrong_number_of_indices(const std::string& tensor, int order, int count);
UserError no_order_of_complex(const std::string& operation);

}  // namespace filigree::notation
