// IR as text: C that people enjoy reading.  The C back end prints bodies with this too, so what
// `--print ir` shows is what is compiled.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ir/ir.h"
#include "ir/names.h"

namespace filigree::ir {

std::string print(const Expr& expr);
std::string print(const Stmt& stmt);
std::string print(const FunctionDef& function);

struct PrintOptions {
  int indentation = 0;         // of the outermost statements, in levels of two blanks
  /// Follow every call that can run out of memory by a jump to `out_of_memory`.
  bool memory_checks = false;
  /// The lines that stand for a statement, which begin in this column; nothing: the statement itself.
  std::function<std::optional<std::vector<std::string>>(const Stmt& stmt, int column)> stand_in = {};
};

/// Prints with names that the caller began to hand out; adds the helper functions that the text
/// calls ("min_i64", "multiply_c128", "sort_i32", "sort_segment", "table", "parts") to `helpers`.
std::string print(const Stmt& stmt, Names& names, std::set<std::string>& helpers, const PrintOptions& options);
/// How memory of this kind is given back: "FREE", "FREE_TABLE".
const char* release_name(const Var& var);
/// Names what a statement uses but does not declare, and all arrays and tables, in order of appearance.
void declare_free_variables(const Stmt& stmt, Names& names);

}  // namespace filigree::ir
