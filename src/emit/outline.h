// Parallel loops as functions of their own, which the host calls from its threads.  Internal to the C back end.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "emit/needs.h"
#include "ir/ir.h"
#include "ir/names.h"
#include "ir/rewrite.h"

namespace filigree::emit {

/// `opening` and a list of arguments under each other: each group starts a line, and goes on in the
/// next one where it gets too long.
std::string wrapped(const std::string& opening, const std::vector<std::vector<std::string>>& groups);

/// The parallel loops of one kernel.  Each becomes a struct with what its body reads and two functions, as a kernel
/// does: the work on `restrict` arrays, and what the host calls.
class Outliner {
 public:
  Outliner(const ir::FunctionDef& function, bool standalone, ir::Names& names, std::set<std::string>& helpers);

  /// The lines that run the loop, which begin in `column`.
  std::vector<std::string> call(const ir::For& loop, int column);
  /// The structs and functions of all loops so far.
  const std::string& text() const { return text_; }

 private:
  std::string reserve(const std::string& wanted);
  /// What a loop's body is to be as a function.
  struct Body {
    std::string name;
    ir::For loop;                 // from 0 on
    std::vector<ir::Var> free;    // what it reads of its surroundings
    std::vector<ir::Var> locals;  // memory of its own
    Needs needs;
    bool uses_runtime;
    bool can_fail() const { return needs.allocates || needs.mismatches || needs.overflows; }
  };
  void add(const Body& body);
  std::string type_text(const ir::Var& var) const;

  const ir::FunctionDef& function_;
  bool standalone_;
  ir::Names& names_;               // of the kernel
  ir::Names own_;                  // of structs and functions
  std::set<std::string>& helpers_;
  std::string text_;
};

}  // namespace filigree::emit
