// where(consumer, producer): a temporary between two statements.
#include <algorithm>

#include "concrete/parts.h"
#include "lower/insertion.h"
#include "lower/joined_workspace.h"
#include "lower/lowerer.h"
#include "support/check.h"

namespace filigree::lowering {

using concrete::Assign;
using concrete::Stmt;

Workspace& Lowerer::workspace(const Assign& assign, const Scope& scope) {
  const TensorVar& tensor = assign.lhs.tensor;
  std::vector<Workspace::Range> ranges;
  for (const IndexVar& var : concrete::level_vars(assign.lhs)) ranges.push_back(workspace_range(var, scope));
  auto& workspace = workspaces_[tensor];
  if (!workspace && std::holds_alternative<plan::Joined>(plan_.fillings.at(tensor))) {
    std::vector<level::Instance> joining;
    concrete::for_each(program_.statement, [&](const Stmt& s) {
      const Assign* joins = s.as<Assign>();
      if (!joins || !(joins->lhs.tensor == tensor)) return;
      for (const concrete::Access& access : notation::accesses(joins->rhs))
        joining.push_back(instance(access.tensor, access.tensor.order() - 1));
    });
    workspace = std::make_unique<JoinedWorkspace>(assign.lhs, ranges, joining, plan_.memory);
  }
  if (!workspace) workspace = make_workspace(plan_, assign, ranges);
  workspace->set_origins(ranges);
  // What makes memory for those of a loop takes them from the list.
  if (std::find(workspace_order_.begin(), workspace_order_.end(), workspace.get()) == workspace_order_.end())
    workspace_order_.push_back(workspace.get());
  return *workspace;
}

Workspace::Range Lowerer::workspace_range(const IndexVar& var, const Scope& scope) const {
  const concrete::FlatLoop* flat = flat_loop(var);
  std::optional<std::int64_t> most = concrete::most_points(program_.environment, scope.bound, var);
  std::optional<ir::Expr> all = flat ? all_points(*flat) : std::optional(parameters_.extent(var));
  if (!most && all) return {*all, flat ? ir::integer(0) : parameters_.origin(var)};
  internal_check(most.has_value(), "lower", "a workspace whose size is not known", var.name());
  const std::vector<IndexVar> loops = flat ? flat->loops : std::vector<IndexVar>{var};
  auto piece = std::find_if(scope.pieces.rbegin(), scope.pieces.rend(), [&](const Piece& p) {
    return p.cut->loops == loops && p.cut->positions == (flat ? flat->positions : std::nullopt);
  });
  internal_check(piece != scope.pieces.rend(), "lower", "a workspace for a piece that is not visited", var.name());
  ir::Expr size = ir::integer(*most);
  if (*most > plan_.memory.unasked_components && all) size = ir::min(size, *all);
  return {size, flat ? piece->begin : ir::add(parameters_.origin(var), piece->begin)};
}

/// One side may compute a variable that the other runs over.
ir::Stmt Lowerer::lower_side(const plan::Body& side, const Scope& scope) {
  return lower_side(side, scope, [&](const Scope& here) { return lower(side.stmt, here); });
}

ir::Stmt Lowerer::lower_side(const plan::Body& side, Scope scope,
                             const std::function<ir::Stmt(const Scope&)>& lower_inside) {
  if (side.computed.empty()) return lower_inside(scope);
  return bind_computed(side, scope, {}, [&] {
    ir::Stmt located = extend_operands(side.stmt.what(), scope);
    return ir::block({located, lower_inside(scope)});
  });
}

std::vector<const Assign*> Lowerer::temporaries_of(const Stmt& producer, const Scope& scope) {
  std::vector<const Assign*> found;
  for (const TensorVar& tensor : concrete::targets(producer)) {
    if (result(tensor) || scope.scalars.count(tensor)) continue;
    const Assign* writes = nullptr;
    concrete::for_each(producer, [&](const Stmt& s) {
      const Assign* assign = s.as<Assign>();
      if (!writes && assign && assign->lhs.tensor == tensor) writes = assign;
    });
    found.push_back(writes);
  }
  return found;
}

ir::Stmt Lowerer::lower_scalars(const plan::Where& where, const std::vector<const Assign*>& temporaries,
                                const Scope& scope) {
  Scope inner = scope;
  std::vector<ir::Stmt> code;
  for (const Assign* assign : temporaries) {
    const TensorVar& tensor = assign->lhs.tensor;
    ir::Var value(tensor.name(), ir::scalar(tensor.type()));
    ir::Var written = ir::bool_var(tensor.name() + "_set");
    inner.scalars.insert({tensor, ScalarTemporary{value, written}});
    code.push_back(
        ir::declare(value, ir::constant(assign->op ? *identity(*assign->op, tensor.type()) : tensor.fill())));
    code.push_back(ir::declare(written, ir::boolean(false)));
  }
  code.push_back(lower_side(where.producer, inner));
  for (const Assign* assign : temporaries) {
    ScalarTemporary& t = inner.scalars.at(assign->lhs.tensor);
    if (where.whole) t.written = ir::boolean(true);
  }
  for (const TensorVar& tensor : where.absorbing) {
    ScalarTemporary& t = inner.scalars.at(tensor);
    t.written = ir::either(t.written, differs(t.value, tensor.fill()));
  }
  code.push_back(lower_side(where.consumer, inner));
  return ir::block(code);
}

ir::Stmt Lowerer::lower_where(const plan::Where& where, const Scope& scope) {
  const Stmt& filled_by = where.producer.stmt.what();
  std::vector<const Assign*> temporaries = temporaries_of(filled_by, scope);
  bool all_scalars = std::all_of(temporaries.begin(), temporaries.end(),
                                 [](const Assign* assign) { return assign->lhs.tensor.order() == 0; });
  internal_check(!temporaries.empty() && (temporaries.size() == 1 || all_scalars), "lower",
                 "a producer of several temporaries that are no scalars", concrete::to_string(filled_by));
  for (const Assign* assign : temporaries) {
    bool starts = !assign->op || identity(*assign->op, assign->lhs.tensor.type());
    internal_check(starts, "lower", "accumulation by an operator without identity", concrete::to_string(filled_by));
  }
  if (all_scalars) return lower_scalars(where, temporaries, scope);
  const Assign& assign = *temporaries[0];
  const TensorVar& tensor = assign.lhs.tensor;

  if (auto other = scope.wheres.find(tensor); other != scope.wheres.end()) return (*other->second)(where, scope);
  Workspace& workspace = this->workspace(assign, scope);
  ir::Stmt filled = workspace.fill(*this, where, scope);
  ir::Stmt consumer = lower_side(where.consumer, scope);
  ir::Stmt finalize = plan::steps_through(where.consumer.stmt, tensor) ? workspace.finalize() : ir::Stmt();
  ir::Stmt clear = scope.is_outermost() ? ir::Stmt() : workspace.clear();
  return ir::block({filled, finalize, consumer, clear});
}

}  // namespace filigree::lowering
