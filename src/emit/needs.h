// What a body asks of the memory helpers, and the ways out of a function that it may take.  Internal to the C back end.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "ir/ir.h"
#include "ir/names.h"
#include "ir/rewrite.h"

namespace filigree::emit {

struct Needs {
  bool allocates = false;      // can leave through out_of_memory
  bool sorts = false;          // in text for a host: through the runtime
  bool mismatches = false;     // can leave through pattern_mismatch
  bool overflows = false;      // can leave through does_not_fit
  bool returns_early = false;  // jumps to done
  bool parallel = false;       // has loops that the runtime runs
};
/// `helpers` gets what is needed of them.  What happens in parallel loops counts, too: their failures are passed on.
void collect_needs(const ir::Stmt& stmt, Needs& needs, std::set<std::string>& helpers);

/// What is allocated in parallel loops, which have memory of their own, and what is allocated outside of them.
std::vector<ir::Var> memory_of_loops(const ir::Stmt& body);
std::vector<ir::Var> own_memory(const ir::Stmt& body);

/// What a pointer to memory of this kind points to: "int32_t", "filigree_table".
std::string memory_name(const ir::Var& var);
/// "const int32_t *": a scalar by value, memory by its address; `constants` are arrays that are only read.
std::string type_text(const ir::Var& var, const ir::VarSet& constants);
/// The same as a parameter: "const int32_t *restrict crd".
std::string parameter_text(const ir::Var& var, const ir::VarSet& constants, ir::Names& names);
/// Everything that is allocated starts as NULL, so that one list of releases serves every way out.
std::string declarations_of(const std::vector<ir::Var>& locals, ir::Names& names);
/// The statements that give all of it back.
std::vector<std::string> releases(const std::vector<ir::Var>& memory, ir::Names& names, std::set<std::string>& helpers);
/// The labels that a body jumps to when it fails: everything is released, and the status told.
std::string failures(const Needs& needs, const std::vector<ir::Var>& locals, ir::Names& names,
                     std::set<std::string>& helpers);

}  // namespace filigree::emit
