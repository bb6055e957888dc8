// How many points loops have that were numbered through, in the data of one run.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "concrete/concrete.h"
#include "tensor/any_tensor.h"

namespace filigree::compiler {

/// How many points there are in iterations of the loops around, each number once: as coordinates, which are always as
/// many, or as positions of an operand, below each of its nodes that the loops around reach.
/// `operands` are the program's, in its order; `extents` those of the statement's variables.
std::set<std::int64_t> count_points(const concrete::Points& points, const concrete::Program& program,
                                    const std::vector<const AnyTensor*>& operands,
                                    const std::map<IndexVar, std::int64_t>& extents);

}  // namespace filigree::compiler
