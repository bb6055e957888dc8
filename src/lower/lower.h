// Plan -> imperative IR: loops, co-iteration, assembly of results.
#pragma once

#include <vector>

#include "ir/ir.h"
#include "plan/plan.h"

namespace filigree::lowering {

using plan::Mode;

/// Element types of a tensor's level arrays, in the order kernels number them.
using ArrayTypes = std::vector<ElementType>;

struct Options {
  std::string name = "kernel";
  std::vector<ArrayTypes> array_types;  // per tensor: results first, then operands
};

/// Ensures: a function whose tensors are the program's results and operands, in that order.
ir::FunctionDef lower(const plan::Plan& plan, const Options& options);

/// The array types for tensors whose index arrays are all of one width.
std::vector<ArrayTypes> uniform_array_types(const concrete::Program& program, ElementType positions,
                                            ElementType coordinates);

}  // namespace filigree::lowering
