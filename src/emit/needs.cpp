#include "emit/needs.h"

#include <algorithm>

#include <fmt/format.h>

#include "emit/c_statement.h"
#include "ir/rewrite.h"

namespace filigree::emit {

void collect_needs(const ir::Stmt& stmt, Needs& needs, std::set<std::string>& helpers) {
  if (const ir::Alloc* n = stmt.as<ir::Alloc>()) {
    bool parts = n->array.type().kind == ir::Type::Kind::Parts;
    helpers.insert(n->zeroed || parts ? "allocate_zero" : "allocate");
    needs.allocates = true;
  }
  if (stmt.as<ir::Grow>()) {
    helpers.insert("resize");
    needs.allocates = true;
  }
  if (const ir::Declare* n = stmt.as<ir::Declare>())
    needs.allocates |= !n->value || ir::call_that_can_run_out_of_memory(*n->value);
  if (const ir::Assign* n = stmt.as<ir::Assign>())
    needs.allocates |= ir::call_that_can_run_out_of_memory(n->value) != nullptr;
  needs.parallel |= ir::as_parallel_loop(stmt) != nullptr;
  if (const ir::Evaluate* n = stmt.as<ir::Evaluate>()) {
    needs.sorts |= n->call.as<ir::Call>()->function == ir::Function::Sort;
    needs.allocates |= ir::call_that_can_run_out_of_memory(n->call) != nullptr;
  }
  if (const ir::Return* n = stmt.as<ir::Return>()) {
    needs.returns_early |= n->status == ir::Status::Ok;
    needs.allocates |= n->status == ir::Status::OutOfMemory;
    needs.mismatches |= n->status == ir::Status::PatternMismatch;
    needs.overflows |= n->status == ir::Status::DoesNotFit;
  }
  ir::for_each_child(
      stmt, [&](const ir::Stmt& child) { collect_needs(child, needs, helpers); }, [](const ir::Expr&) {});
}

std::vector<ir::Var> memory_of_loops(const ir::Stmt& body) {
  if (const ir::For* loop = ir::as_parallel_loop(body)) return ir::variables_allocated(loop->body);
  std::vector<ir::Var> found;
  auto visit = [&](const ir::Stmt& child) {
    std::vector<ir::Var> inside = memory_of_loops(child);
    found.insert(found.end(), inside.begin(), inside.end());
  };
  ir::for_each_child(body, visit, [](const ir::Expr&) {});
  return found;
}

std::vector<ir::Var> own_memory(const ir::Stmt& body) {
  std::vector<ir::Var> all = ir::variables_allocated(body), of_loops = memory_of_loops(body);
  std::erase_if(all,
                [&](const ir::Var& var) { return std::find(of_loops.begin(), of_loops.end(), var) != of_loops.end(); });
  return all;
}

std::string memory_name(const ir::Var& var) {
  if (var.type().kind == ir::Type::Kind::Parts) return "filigree_parts";
  return var.type().kind == ir::Type::Kind::Table ? "filigree_table" : c_name(var.type().element);
}

std::string type_text(const ir::Var& var, const ir::VarSet& constants) {
  if (var.type().kind == ir::Type::Kind::Scalar) return std::string(c_name(var.type().element)) + " ";
  return (constants.contains(var) ? "const " : "") + memory_name(var) + " *";
}

std::string parameter_text(const ir::Var& var, const ir::VarSet& constants, ir::Names& names) {
  bool array = var.type().kind == ir::Type::Kind::Array;
  return type_text(var, constants) + (array ? "restrict " : "") + names.declare(var);
}

std::string declarations_of(const std::vector<ir::Var>& locals, ir::Names& names) {
  std::string out;
  for (const ir::Var& var : locals) {
    out += fmt::format("  {} *{} = NULL;\n", memory_name(var), names.declare(var));
  }
  return out;
}

std::vector<std::string> releases(const std::vector<ir::Var>& memory, ir::Names& names,
                                  std::set<std::string>& helpers) {
  std::vector<std::string> lines;
  for (const ir::Var& var : memory) {
    helpers.insert(var.type().kind == ir::Type::Kind::Table ? "table" : "release");
    lines.push_back(fmt::format("{}({});", release_name(var), names.of(var)));
  }
  return lines;
}

std::string failures(const Needs& needs, const std::vector<ir::Var>& locals, ir::Names& names,
                     std::set<std::string>& helpers) {
  std::string out;
  auto way_out = [&](bool needed, const char* label, ir::Status status) {
    if (!needed) return;
    out += fmt::format("\n{}:\n", label);
    for (const std::string& line : releases(locals, names, helpers)) out += "  " + line + "\n";
    out += fmt::format("  return {};\n", static_cast<int>(status));
  };
  way_out(needs.allocates, "out_of_memory", ir::Status::OutOfMemory);
  way_out(needs.mismatches, "pattern_mismatch", ir::Status::PatternMismatch);
  way_out(needs.overflows, "does_not_fit", ir::Status::DoesNotFit);
  return out;
}

}  // namespace filigree::emit
