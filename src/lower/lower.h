// Plan -> imperative IR: loops, co-iteration, assembly of results.
#pragma once

#include <vector>

#include "ir/ir.h"
#include "plan/plan.h"

namespace filigree::lowering {

/// What a function does with its result; docs/architecture.md says who uses which.
enum class Mode {
  Grow,     // index and values in one pass; arrays grow as needed
  Pattern,  // index only; arrays grow as needed
  Count,    // positions only: how many children every node has
  Fill,     // coordinates and values, into arrays of the right size
  Values,   // values only; the index is there already
  Update,   // the same, but values are combined with those that are there (concrete/update.h)
};

/// Element types of a tensor's level arrays, in the order kernels number them.
using ArrayTypes = std::vector<ElementType>;

struct Options {
  Mode mode = Mode::Grow;
  std::string name = "kernel";
  std::vector<ArrayTypes> array_types;  // per tensor: results first, then operands
  /// Loops may run on several threads; how many there are is known when the function is called.
  bool parallel = false;
  /// The result is the same whatever that number is.
  bool deterministic = false;
};

/// Ensures: a function whose tensors are the program's results and operands, in that order.
ir::FunctionDef lower(const plan::Plan& plan, const Options& options);

/// The array types for tensors whose index arrays are all of one width.
std::vector<ArrayTypes> uniform_array_types(const concrete::Program& program, ElementType positions,
                                            ElementType coordinates);

}  // namespace filigree::lowering
