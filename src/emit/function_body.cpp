#include "emit/function_body.h"

#include <algorithm>

#include "emit/divide.h"
#include "emit/needs.h"
#include "emit/part_functions.h"
#include "emit/c_statement.h"

namespace filigree::emit {
namespace {

using ir::Stmt;
using ir::Var;

std::string with_blank_line(const std::string& declarations) { return declarations.empty() ? "" : declarations + "\n"; }

BodyText print_whole(const FunctionBody& body, FileScope& scope, ir::Names& names) {
  std::string declared = body.declarations + declarations_of(body.memory, names);
  declare_free_variables(body.stmt, names);
  Outliner loops(scope, names, body.constants);
  auto stand_in = [&](const Stmt& stmt, int column) { return loops.call(stmt, column); };
  std::string lines = with_blank_line(declared);
  lines += c_text(body.stmt, names, scope.helpers, {.indentation = 1, .memory_checks = true, .stand_in = stand_in});
  if (body.returns_status) {
    Needs needs;
    collect_needs(body.stmt, needs, scope.helpers);
    std::string results = body.results ? body.results() : "";
    lines += needs.returns_early ? "\ndone:\n" : results.empty() ? "" : "\n";
    lines += results + "  return 0;\n" + failures(needs, body.memory, names, scope.helpers);
  }
  return {loops.text(), lines};
}

BodyText print_divided(const FunctionBody& body, FileScope& scope, ir::Names& names) {
  PartFunctions parts(body, scope, names);
  const Division& division = parts.division();
  std::vector<Var> own;
  for (const Var& var : body.memory) {
    bool shared = std::find(division.shared.begin(), division.shared.end(), var) != division.shared.end();
    if (!shared) own.push_back(var);
  }
  std::string declared = parts.declarations() + body.declarations + declarations_of(own, names);
  declare_free_variables(division.body, names);
  Outliner loops(scope, names, body.constants);
  auto stand_in = [&](const Stmt& stmt, int column) {
    std::optional<std::vector<std::string>> lines = parts.call(stmt, column);
    return lines ? lines : loops.call(stmt, column);
  };
  std::string lines = with_blank_line(declared);
  lines += c_text(division.body, names, scope.helpers, {.indentation = 1, .memory_checks = true, .stand_in = stand_in});
  lines += parts.ending();
  return {parts.text() + loops.text(), lines};
}

}  // namespace

BodyText print_body(const FunctionBody& body, FileScope& scope, ir::Names& names) {
  bool large = number_of_statements(body.stmt) > scope.largest_function;
  return large ? print_divided(body, scope, names) : print_whole(body, scope, names);
}

}  // namespace filigree::emit
