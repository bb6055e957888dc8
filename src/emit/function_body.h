// The body of a C function from IR: the work of a kernel, or of a parallel loop.  Internal to the C back end.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "emit/outline.h"
#include "ir/ir.h"
#include "ir/names.h"
#include "ir/rewrite.h"

namespace filigree::emit {

struct FunctionBody {
  std::string name;  // what the names of its parts begin with
  ir::Stmt stmt;
  std::vector<ir::Var> memory;                // what it allocates, and releases when it fails
  ir::VarSet constants;                       // arrays that it only reads
  bool uses_runtime;                          // has a `runtime`
  bool returns_status;                        // else nothing, and it does not fail
  std::string declarations = {};              // at its beginning
  std::vector<ir::Var> handed_over = {};      // what `results` names
  std::function<std::string()> results = {};  // at its end, unless it fails
};

struct BodyText {
  std::string functions;  // structs and functions that it needs: parallel loops, and parts if it is large
  std::string lines;      // between the braces
};

/// Requires: `names` has the function's parameters.
BodyText print_body(const FunctionBody& body, FileScope& scope, ir::Names& names);

}  // namespace filigree::emit
