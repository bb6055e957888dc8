// Values that a program computes for nobody.
#pragma once

#include <map>
#include <vector>

#include "notation/notation.h"
#include "support/warning.h"

namespace filigree::notation {

/// One for each statement whose value is replaced before anything reads it:
///
///   H(i,j) = A(i,j); H(i,j+37) = B(i,j)     what the first assigns is lost: the second makes a new H, with its fill
///   where j+37 does not reach
///
/// Requires: linked statements (program.h), so that `op=` reads what it starts from.  `extents` are those of each, as
/// far as they are known, for hints.
std::vector<Warning> lost_values(const std::vector<Statement>& linked,
                                 const std::vector<std::map<IndexVar, std::int64_t>>& extents = {});

}  // namespace filigree::notation
