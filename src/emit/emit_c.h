// IR to C: one readable C11 file that compiles alone.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "ir/ir.h"

namespace filigree::emit {

struct EmitOptions {
  /// Include the standard headers and say how to use the kernel.  Otherwise the text has no #include at
  /// all and is meant for a host: it calls sorts and tables through `runtime->functions`
  /// (ir/host_functions.h), which saves compiling them with every kernel.
  bool standalone = true;
  /// Also a `main` that calls the first kernel on tensors to be filled in.  Needs `standalone`.
  bool with_main = false;
  /// A kernel of more statements than this is divided into several functions, for the sake of compilers
  /// (emit/divide.h).
  std::size_t largest_function = 1000;
};

/// A file with a function `int NAME(const filigree_runtime *, filigree_tensor *const *)` for each function
/// of the module.  Compile with -fwrapv (integers wrap) and, for results equal to the interpreter's,
/// -ffp-contract=off.  Requires: every function passes ir::verify.
std::string emit_c(const ir::Module& module, const EmitOptions& options = {});

/// The text of src/ir/runtime/NAME.h.
std::string_view runtime_text(std::string_view name);

}  // namespace filigree::emit
