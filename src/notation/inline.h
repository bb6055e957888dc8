// A temporary as a part of the statement that reads it.
#pragma once

#include <optional>

#include "notation/notation.h"

namespace filigree::notation {

/// `consumer` with the right side of `producer` in the place where it reads what that assigns; nothing unless values,
/// types and stored components stay the same and nothing is computed twice:
///
///  1. The temporary is read once, at plain and different indices, inside no other loops than those over them.
///  2. Its element type is that of its right side, so that nothing is rounded on the way.
///  3. It stores what its right side reaches and nothing else.  A format that pads makes absent components present:
///  then nothing in the
///     consumer may tell the difference, which are sums into a dense result.  Nor is it a copy that leaves padding
///     behind, or pruned.
///  4. The consumer's result keeps its fill.
///
///   T(i,j) = sum(k, B(i,k)*C(k,j))  and  y(i) = sum(j, T(i,j)*x(j))   ->   y(i) = sum(j, sum(k, B(i,k)*C(k,j))*x(j))
///
/// Requires: linked statements (program.h); nothing that `producer` reads changes between the two.
std::optional<Statement> inlined(const Statement& producer, const Statement& consumer);

}  // namespace filigree::notation
