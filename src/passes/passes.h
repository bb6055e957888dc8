// All passes over a lowered function, in one readable list.
#pragma once

#include <vector>

#include "passes/offload.h"
#include "policy/policy.h"

namespace filigree::passes {

/// What passes have to know beside the function.
struct Options {
  policy::Finishing policy = {};
  AskedLoops asked = {};  // to be shared by units of a GPU
};

using Pass = ir::FunctionDef(const ir::FunctionDef&, const Options&);

/// Passes that run one after the other; then the function is verified, and shown to whoever listens.
struct Stage {
  const char* name;
  std::vector<Pass*> passes;
  bool (*is_needed)(const ir::FunctionDef&) = nullptr;  // none: always

  ir::FunctionDef run(ir::FunctionDef function, const Options& options) const;
};

/// From what lowering writes to what back ends read.  Every pass requires a function that ir::verify passes, and makes
/// one; its header says what it does, with a before and an after.
const std::vector<Stage>& stages();

}  // namespace filigree::passes
