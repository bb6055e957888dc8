#include "emit/divide.h"

#include "emit/needs.h"
#include "ir/rewrite.h"

namespace filigree::emit {
namespace {

using ir::Expr;
using ir::Stmt;
using ir::Var;
using ir::VarSet;

/// Does a Break or Continue inside concern a loop around the statement?
bool leaves_loop(const Stmt& stmt) {
  if (stmt.as<ir::Break>() || stmt.as<ir::Continue>()) return true;
  if (stmt.as<ir::For>() || stmt.as<ir::While>()) return false;
  bool found = false;
  ir::for_each_child(stmt, [&](const Stmt& child) { found = found || leaves_loop(child); }, [](const Expr&) {});
  return found;
}

class Divider {
 public:
  explicit Divider(std::size_t largest) : largest_(largest) {}

  Stmt block(const Stmt& stmt);
  std::vector<Part> take_parts() { return std::move(parts_); }

 private:
  /// Statements that are to be a part, unless a call would be more than they are.
  Stmt part(std::vector<Stmt> statements);

  std::size_t largest_;
  std::vector<Part> parts_;
};

Stmt Divider::part(std::vector<Stmt> statements) {
  Stmt body = ir::block(std::move(statements));
  if (body.is_empty() || number_of_statements(body) < largest_ / 16) return body;
  parts_.push_back({ir::Comment{"a part of its own"}, body});
  return parts_.back().place;
}

Stmt Divider::block(const Stmt& stmt) {
  std::vector<Stmt> statements = {stmt}, result, run;
  if (const ir::Block* block = stmt.as<ir::Block>()) statements = block->statements;
  std::size_t run_size = 0;
  auto end_run = [&] {
    result.push_back(part(std::move(run)));
    run.clear();
    run_size = 0;
  };
  for (const Stmt& child : statements) {
    std::size_t size = number_of_statements(child);
    bool too_large = size > largest_;
    if (too_large || leaves_loop(child)) {
      end_run();
      auto inside = [&](const Stmt& inner) { return inner.is_empty() ? inner : block(inner); };
      result.push_back(too_large ? ir::map_children(child, inside, [](const Expr& expr) { return expr; }) : child);
      continue;
    }
    // Parts are a good deal smaller than what is divided, so that there is something to gain.
    if (run_size + size > largest_ / 4) end_run();
    run.push_back(child);
    run_size += size;
  }
  end_run();
  return ir::block(std::move(result));
}

/// The variables themselves that a statement changes, not the contents of arrays and tables.  In a parallel loop, these
/// are its own.
void collect_changed(const Stmt& stmt, VarSet& changed) {
  if (ir::as_parallel_loop(stmt)) return;
  if (const ir::Assign* n = stmt.as<ir::Assign>()) changed.insert(n->var);
  if (const ir::Declare* n = stmt.as<ir::Declare>(); n && !n->value) changed.insert(n->var);
  if (const ir::Alloc* n = stmt.as<ir::Alloc>()) changed.insert(n->array);
  if (const ir::Grow* n = stmt.as<ir::Grow>()) changed.insert(n->array);
  if (const ir::Free* n = stmt.as<ir::Free>()) changed.insert(n->var);
  if (const ir::Keep* n = stmt.as<ir::Keep>()) changed.insert(n->array);
  if (const ir::Take* n = stmt.as<ir::Take>()) changed.insert(n->array);
  ir::for_each_child(stmt, [&](const Stmt& child) { collect_changed(child, changed); }, [](const Expr&) {});
}

/// The scalars that are declared in the outermost block of a part: those that what follows can use.
std::vector<Var> declared_for_others(const Stmt& body) {
  std::vector<Var> declared;
  auto look = [&](const Stmt& stmt) {
    if (const ir::Declare* n = stmt.as<ir::Declare>(); n && n->value) declared.push_back(n->var);
  };
  look(body);
  if (const ir::Block* block = body.as<ir::Block>()) {
    for (const Stmt& stmt : block->statements) look(stmt);
  }
  return declared;
}

VarSet variables_used(const Stmt& stmt) {
  VarSet used = ir::variables_read(stmt);
  used.insert_all(ir::variables_written(stmt));
  return used;
}

std::vector<Var> shared_variables(const Division& division, const std::vector<Var>& used_after) {
  std::vector<VarSet> used = {variables_used(division.body)};
  for (const Part& part : division.parts) used.push_back(variables_used(part.body));
  for (const Var& var : used_after) used[0].insert(var);
  std::vector<Var> shared;
  VarSet seen;
  for (std::size_t n = 0; n < division.parts.size(); n++) {
    const Stmt& body = division.parts[n].body;
    VarSet changed;
    collect_changed(body, changed);
    for (const Var& var : ir::free_variables(body)) {
      if (changed.contains(var) && seen.insert(var)) shared.push_back(var);
    }
    for (const Var& var : declared_for_others(body)) {
      bool elsewhere = false;
      for (std::size_t other = 0; other < used.size(); other++)
        elsewhere = elsewhere || (other != n + 1 && used[other].contains(var));
      if (elsewhere && seen.insert(var)) shared.push_back(var);
    }
  }
  return shared;
}

/// Fills in which variables the part changes and which it is given.
void describe(Part& part, const std::vector<Var>& shared) {
  VarSet changed, own;
  collect_changed(part.body, changed);
  for (const Var& var : memory_of_loops(part.body)) own.insert(var);
  for (const Var& var : shared) {
    if (changed.contains(var)) part.changed.push_back(var), own.insert(var);
  }
  for (const Var& var : ir::free_variables(part.body)) {
    if (!own.contains(var)) part.given.push_back(var);
  }
}

/// Variables that exist already get their first value by assignment.
Stmt without_declarations(const Stmt& stmt, const VarSet& existing) {
  if (const ir::Declare* n = stmt.as<ir::Declare>(); n && n->value && existing.contains(n->var))
    return ir::Assign{n->var, *n->value};
  return ir::map_children(
      stmt, [&](const Stmt& child) { return without_declarations(child, existing); },
      [](const Expr& expr) { return expr; });
}

}  // namespace

std::size_t number_of_statements(const Stmt& stmt) {
  if (ir::as_parallel_loop(stmt)) return 1;
  std::size_t number = stmt.as<ir::Block>() ? 0 : 1;
  ir::for_each_child(stmt, [&](const Stmt& child) { number += number_of_statements(child); }, [](const Expr&) {});
  return number;
}

Division divide(const Stmt& body, const std::vector<Var>& used_after, std::size_t largest) {
  Divider divider(largest);
  Division division{divider.block(body), divider.take_parts(), {}};
  division.shared = shared_variables(division, used_after);
  VarSet existing;
  for (const Var& var : division.shared) existing.insert(var);
  division.body = without_declarations(division.body, existing);
  for (Part& part : division.parts) {
    part.body = without_declarations(part.body, existing);
    describe(part, division.shared);
  }
  return division;
}

}  // namespace filigree::emit
