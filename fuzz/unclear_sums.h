// Statements whose sums stand below functions, powers, comparisons and denominators: all must be refused, and every
// spelling that the message offers run.
#pragma once

#include <optional>

#include "fuzz/check_program.h"
#include "fuzz/random_program.h"

namespace filigree::fuzz {

/// A sketch with barriers (notation/sum_places.h) around all uses of at least one variable that is on the right only;
/// nothing if the seed makes an expression without such a variable.
std::optional<Sketch> unclear_sketch(std::uint64_t seed);

/// The statement that makes an unclear one clear: what the messages's hints end in.
std::vector<std::string> spellings_in(const UserError& error);

/// Right: the statement is refused, and the interpreter agrees with the oracle on each spelling.  Refused: there is
/// nothing to compare.
Verdict check_unclear(const Sketch& sketch);

}  // namespace filigree::fuzz
