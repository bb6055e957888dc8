// What sizes of a run must be like, because code relies on it.
#pragma once

#include <map>
#include <vector>

#include "concrete/concrete.h"
#include "tensor/any_tensor.h"

namespace filigree::compiler {

/// Throws UserError unless the bounds hold that `who`, a schedule or a plan, says.  `operands` are the program's, in
/// its order; `known` are the extents of the statement's variables.
void check_bounds(const concrete::Program& program, const std::vector<const AnyTensor*>& operands,
                  const std::map<IndexVar, std::int64_t>& known, const char* who);

/// Throws UserError for loops that are numbered through, and have more points than there are numbers.
void check_points(const concrete::Program& program, const std::map<IndexVar, std::int64_t>& known);

}  // namespace filigree::compiler
