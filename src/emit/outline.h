// Parallel loops as functions of their own, which the host calls from its threads.  Internal to the C back end.
#pragma once

#include <optional>
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
/// The same for a statement that is printed from `column` on, by someone who indents every line.
std::vector<std::string> wrapped_at(int column, const std::string& opening, const std::vector<std::string>& values,
                                    const std::string& closing);

/// What the functions that one kernel becomes share.
struct FileScope {
  const ir::FunctionDef& function;
  bool standalone;
  std::size_t largest_function;  // functions of more statements are divided
  std::set<std::string>& helpers;
  ir::Names names;  // of structs and functions

  /// A name at file scope that no variable of the function around, which has `visible`, hides.
  std::string reserve(const std::string& wanted, ir::Names& visible);
};

/// The parallel loops of one function.  Each becomes a struct with what its body reads and two functions, as a kernel
/// does: the work on `restrict` arrays, and what the host calls.
class Outliner {
 public:
  /// `constants`: the arrays that the function only reads.
  Outliner(FileScope& scope, ir::Names& names, ir::VarSet constants)
      : scope_(scope), names_(names), constants_(std::move(constants)) {}

  /// The lines that run a parallel loop, which begin in `column`; nothing for another statement.
  std::optional<std::vector<std::string>> call(const ir::Stmt& stmt, int column);
  /// The structs and functions of all loops so far.
  const std::string& text() const { return text_; }

 private:
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
  std::vector<std::string> call_loop(const ir::For& loop, int column);
  void add(const Body& body);

  FileScope& scope_;
  ir::Names& names_;  // of the function
  ir::VarSet constants_;
  std::string text_;
};

}  // namespace filigree::emit
