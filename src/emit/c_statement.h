// Statements of the IR as C that people enjoy reading.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ir/ir.h"
#include "ir/names.h"

namespace filigree::emit {

std::string c_text(const ir::Expr& expr);
std::string c_text(const ir::Stmt& stmt);

struct TextOptions {
  int indentation = 0;  // of the outermost statements, in levels of two blanks
  /// Follow every call that can run out of memory by a jump to `out_of_memory`.
  bool memory_checks = false;
  /// The lines that stand for a statement, which begin in this column; nothing: the statement itself.
  std::function<std::optional<std::vector<std::string>>(const ir::Stmt& stmt, int column)> stand_in = {};
};

/// Prints with names that the caller began to hand out; adds the helper functions that the text
/// calls ("min_i64", "multiply_c128", "sort_i32", "sort_segment", "table", "parts") to `helpers`.
std::string c_text(const ir::Stmt& stmt, ir::Names& names, std::set<std::string>& helpers, const TextOptions& options);
/// How memory of this kind is given back: "FREE", "FREE_TABLE".
const char* release_name(const ir::Var& var);
/// Names what a statement uses but does not declare, and all arrays and tables, in order of appearance.
void declare_free_variables(const ir::Stmt& stmt, ir::Names& names);

}  // namespace filigree::emit
