#include "lower/lower.h"

#include <algorithm>

#include "lower/lowerer.h"
#include "lower/make_result.h"
#include "support/check.h"

namespace filigree::lowering {

using concrete::Assign;
using concrete::Stmt;

Lowerer::Lowerer(const plan::Plan& plan, const Options& options)
    : plan_(plan), program_(plan.program), options_(options), parameters_(plan, options) {
  concrete::for_each(program_.statement, [&](const Stmt& s) {
    const Assign* assign = s.as<Assign>();
    if (!assign || !parameters_.has(assign->lhs.tensor) || results_.count(assign->lhs.tensor)) return;
    results_[assign->lhs.tensor] =
        make_result(plan.fillings.at(assign->lhs.tensor), {*assign, parameters_, plan.mode, threads_, plan.memory});
  });
}

ir::FunctionDef Lowerer::run() {
  Scope scope;
  ir::Stmt body = bind_computed(plan_.root, scope, {}, [&] {
    // Indices such as the 3 of A(3,j) are known before any loop.
    std::vector<ir::Stmt> code = {extend_operands(program_.statement, scope)};
    for (Result* r : results_of(program_.statement)) code.push_back(r->extend(scope));
    code.push_back(lower(plan_.root.stmt, scope).code);
    return ir::block(code);
  });

  ir::FunctionDef function;
  function.name = options_.name;
  function.parameters = parameters_.inputs();
  std::vector<ir::Stmt> before, after;
  for (const TensorVar& tensor : program_.results) {
    function.tensors.push_back(tensor.name());
    const Result& result = *results_.at(tensor);
    before.push_back(result.prologue());
    after.push_back(result.epilogue());
    function.parameters.insert(function.parameters.end(), result.parameters().begin(), result.parameters().end());
  }
  if (plan::uses_threads(plan_))
    function.parameters.push_back({threads_, {0, ir::Binding::Part::Threads, 0}, ir::Direction::In, std::nullopt});
  for (const TensorVar& tensor : program_.operands) function.tensors.push_back(tensor.name());
  for (const Workspace* workspace : workspace_order_) {
    before.push_back(workspace->prologue());
    after.push_back(workspace->epilogue());
  }
  for (const List& list : lists_) {
    before.push_back(ir::Alloc{list.array, ir::integer(static_cast<std::int64_t>(list.entries.size()))});
    for (size_t n = 0; n < list.entries.size(); n++)
      before.push_back(ir::store(list.array, ir::integer(static_cast<std::int64_t>(n)), ir::integer(list.entries[n])));
    after.push_back(ir::Free{list.array});
  }
  for (const MapMemory& map : maps_) {
    before.push_back(map.open);
    after.push_back(map.close);
  }
  function.body = ir::block({parameters_.setup(), ir::block(before), body, ir::block(after)});
  return function;
}

Lowered Lowerer::lower(const plan::Stmt& stmt, const Scope& scope) {
  return match(
      stmt, [&](const plan::Loop&) { return lower_forall(stmt, scope); },
      [&](const plan::Pieces&) { return lower_forall(stmt, scope); },
      [&](const plan::Where& n) { return lower_where(n, scope); },
      [&](const plan::Sequence& n) { return lower_all(n.statements, scope); },
      [&](const plan::Multi& n) { return lower_together(n.statements, scope); },
      [&](const plan::Assign&) { return lower_assign(*stmt.what().as<Assign>(), scope); });
}

Lowered Lowerer::lower_all(const std::vector<plan::Stmt>& statements, const Scope& scope) {
  std::vector<ir::Stmt> code;
  bool certain = false;
  for (const plan::Stmt& s : statements) {
    Lowered lowered = lower(s, scope);
    code.push_back(lowered.code);
    certain |= lowered.certain;
  }
  return {ir::block(code), certain};
}

Lowered Lowerer::lower_together(const std::vector<plan::Stmt>& statements, const Scope& scope) {
  std::vector<ir::Stmt> code;
  bool certain = true;  // of every result
  for (const plan::Stmt& s : statements) {
    Lowered lowered = lower(s, scope);
    code.push_back(lowered.code);
    certain = certain && lowered.certain;
  }
  return {ir::block(code), certain};
}

const level::Instance& Lowerer::instance(const TensorVar& tensor, int level) const {
  auto workspace = workspaces_.find(tensor);
  return workspace != workspaces_.end() ? workspace->second->level(level) : parameters_.tensor(tensor).levels[level];
}

const ir::Var& Lowerer::values(const TensorVar& tensor) const {
  auto workspace = workspaces_.find(tensor);
  return workspace != workspaces_.end() ? workspace->second->values() : parameters_.tensor(tensor).values;
}

Result* Lowerer::result(const TensorVar& tensor) {
  auto found = results_.find(tensor);
  return found == results_.end() ? nullptr : found->second.get();
}

std::vector<Result*> Lowerer::results_of(const Stmt& stmt) {
  std::vector<Result*> out;
  for (const TensorVar& tensor : concrete::written(stmt)) {
    if (Result* r = result(tensor)) out.push_back(r);
  }
  return out;
}

ir::FunctionDef lower(const plan::Plan& plan, const Options& options) { return Lowerer(plan, options).run(); }

}  // namespace filigree::lowering
