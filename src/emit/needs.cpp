#include "emit/needs.h"

#include <fmt/format.h>

#include "ir/print.h"
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
  if (const ir::Declare* n = stmt.as<ir::Declare>(); n && !n->value) needs.allocates = true;
  if (const ir::For* n = stmt.as<ir::For>()) needs.parallel |= n->loop == ir::LoopKind::Parallel;
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

std::string memory_name(const ir::Var& var) {
  if (var.type().kind == ir::Type::Kind::Parts) return "filigree_parts";
  return var.type().kind == ir::Type::Kind::Table ? "filigree_table" : c_name(var.type().element);
}

std::string declarations_of(const std::vector<ir::Var>& locals, ir::Names& names) {
  std::string out;
  for (const ir::Var& var : locals) {
    out += fmt::format("  {} *{} = NULL;\n", memory_name(var), names.declare(var));
  }
  return out;
}

std::string failures(const Needs& needs, const std::vector<ir::Var>& locals, ir::Names& names, std::set<std::string>& helpers) {
  std::string out;
  auto way_out = [&](bool needed, const char* label, ir::Status status) {
    if (!needed) return;
    out += fmt::format("\n{}:\n", label);
    for (const ir::Var& var : locals) {
      helpers.insert(var.type().kind == ir::Type::Kind::Table ? "table" : "release");
      out += fmt::format("  {}({});\n", ir::release_name(var), names.of(var));
    }
    out += fmt::format("  return {};\n", static_cast<int>(status));
  };
  way_out(needs.allocates, "out_of_memory", ir::Status::OutOfMemory);
  way_out(needs.mismatches, "pattern_mismatch", ir::Status::PatternMismatch);
  way_out(needs.overflows, "does_not_fit", ir::Status::DoesNotFit);
  return out;
}

}  // namespace filigree::emit
