// Ways to compute an expression in parts: rewrites by the operators' algebra, and temporaries for parts (P4, 7.1
// and 7.2).
#pragma once

#include <vector>

#include "autoschedule/problem.h"

namespace filigree::autoschedule {

/// `expr` and what it becomes by distributing one operator over another, each with chains of associative operators flat
/// and sorted; no two alike.  Chains are flat only where that changes no type.
///
///   a*(b + c)   ->   a*(b + c),  a*b + a*c
std::vector<Expr> rewrites(const Expr& expr, const Tensors& tensors);

/// All groupings of `problem.body`: parts of at least two operands go into temporaries, and parts of these, and so on.
/// Where operators are associative and commutative, any operands of a chain are such a part.  With a reduction, the
/// temporary may reduce, if that is the same, or not:
///
///   a += b*c*d   ->   a += w*d where w += b*c      a += w*d where w = b*c      ...
///
/// Nothing if there are more than `most`.
std::optional<std::vector<Grouping>> groupings(const Problem& problem, size_t most);

}  // namespace filigree::autoschedule
