#include "ir/rewrite.h"

#include "support/check.h"

namespace filigree::ir {
namespace {

/// Maps a list; `changed` tells whether any element is a different handle.
template <class Handle, class Map>
std::vector<Handle> map_list(const std::vector<Handle>& list, const Map& map, bool& changed) {
  std::vector<Handle> result;
  result.reserve(list.size());
  for (const Handle& element : list) {
    result.push_back(map(element));
    changed = changed || !result.back().same_as(element);
  }
  return result;
}

}  // namespace

void for_each_child(const Expr& expr, ExprVisitor visit) {
  match(
      expr, [](const Literal&) {}, [](const VarRef&) {},
      [&](const Apply& n) {
        for (const Expr& operand : n.operands) visit(operand);
      },
      [&](const Load& n) { visit(n.index); }, [&](const Cast& n) { visit(n.value); },
      [&](const Call& n) {
        for (const Expr& argument : n.arguments) visit(argument);
      });
}

void for_each_child(const Stmt& stmt, StmtVisitor statement, ExprVisitor expression) {
  match(
      stmt,
      [&](const Block& n) {
        for (const Stmt& child : n.statements) statement(child);
      },
      [&](const Declare& n) {
        if (n.value) expression(*n.value);
      },
      [&](const Assign& n) { expression(n.value); },
      [&](const Store& n) {
        expression(n.index);
        expression(n.value);
      },
      [&](const For& n) {
        expression(n.begin);
        expression(n.end);
        statement(n.body);
      },
      [&](const While& n) {
        expression(n.condition);
        statement(n.body);
      },
      [&](const If& n) {
        expression(n.condition);
        statement(n.then);
        statement(n.otherwise);
      },
      [&](const Alloc& n) { expression(n.count); }, [&](const Grow& n) { expression(n.count); }, [](const Free&) {},
      [&](const Keep& n) {
        expression(n.index);
        expression(n.count);
      },
      [&](const Take& n) { expression(n.index); }, [&](const Copy& n) { expression(n.count); }, [](const Barrier&) {},
      [&](const LaneReduce& n) {
        expression(n.value);
        if (n.segments) expression(n.segments->key);
      },
      [&](const Evaluate& n) { expression(n.call); }, [](const Break&) {}, [](const Continue&) {}, [](const Return&) {},
      [](const Comment&) {});
}

Expr map_children(const Expr& expr, ExprMap map) {
  return match(
      expr, [&](const Literal&) { return expr; }, [&](const VarRef&) { return expr; },
      [&](const Apply& n) {
        bool changed = false;
        std::vector<Expr> operands = map_list(n.operands, map, changed);
        return changed ? Expr(Apply{n.op, std::move(operands)}) : expr;
      },
      [&](const Load& n) {
        Expr index = map(n.index);
        return index.same_as(n.index) ? expr : Expr(Load{n.array, index});
      },
      [&](const Cast& n) {
        Expr value = map(n.value);
        return value.same_as(n.value) ? expr : Expr(Cast{n.type, value});
      },
      [&](const Call& n) {
        bool changed = false;
        std::vector<Expr> arguments = map_list(n.arguments, map, changed);
        return changed ? Expr(Call{n.function, std::move(arguments)}) : expr;
      });
}

Stmt map_children(const Stmt& stmt, StmtMap statement, ExprMap expression) {
  return match(
      stmt,
      [&](const Block& n) {
        bool changed = false;
        std::vector<Stmt> statements = map_list(n.statements, statement, changed);
        return changed ? Stmt(Block{std::move(statements)}) : stmt;
      },
      [&](const Declare& n) {
        if (!n.value) return stmt;
        Expr value = expression(*n.value);
        return value.same_as(*n.value) ? stmt : Stmt(Declare{n.var, value});
      },
      [&](const Assign& n) {
        Expr value = expression(n.value);
        return value.same_as(n.value) ? stmt : Stmt(Assign{n.var, value});
      },
      [&](const Store& n) {
        Expr index = expression(n.index), value = expression(n.value);
        return index.same_as(n.index) && value.same_as(n.value) ? stmt : Stmt(Store{n.array, index, value, n.atomic});
      },
      [&](const For& n) {
        Expr begin = expression(n.begin), end = expression(n.end);
        Stmt body = statement(n.body);
        bool same = begin.same_as(n.begin) && end.same_as(n.end) && body.same_as(n.body);
        return same ? stmt : Stmt(n.with(begin, end, body));
      },
      [&](const While& n) {
        Expr condition = expression(n.condition);
        Stmt body = statement(n.body);
        return condition.same_as(n.condition) && body.same_as(n.body) ? stmt : Stmt(While{condition, body});
      },
      [&](const If& n) {
        Expr condition = expression(n.condition);
        Stmt then = statement(n.then), otherwise = statement(n.otherwise);
        bool same = condition.same_as(n.condition) && then.same_as(n.then) && otherwise.same_as(n.otherwise);
        return same ? stmt : Stmt(If{condition, then, otherwise});
      },
      [&](const Alloc& n) {
        Expr count = expression(n.count);
        return count.same_as(n.count) ? stmt : Stmt(Alloc{n.array, count, n.zeroed});
      },
      [&](const Grow& n) {
        Expr count = expression(n.count);
        return count.same_as(n.count) ? stmt : Stmt(Grow{n.array, count});
      },
      [&](const Free&) { return stmt; },
      [&](const Keep& n) {
        Expr index = expression(n.index), count = expression(n.count);
        return index.same_as(n.index) && count.same_as(n.count) ? stmt : Stmt(Keep{n.parts, index, n.array, count});
      },
      [&](const Take& n) {
        Expr index = expression(n.index);
        return index.same_as(n.index) ? stmt : Stmt(Take{n.array, n.parts, index});
      },
      [&](const Copy& n) {
        Expr count = expression(n.count);
        return count.same_as(n.count) ? stmt : Stmt(Copy{n.to, n.from, count});
      },
      [&](const Barrier&) { return stmt; },
      [&](const LaneReduce& n) {
        LaneReduce done = n;
        done.value = expression(n.value);
        if (n.segments) done.segments->key = expression(n.segments->key);
        bool same = done.value.same_as(n.value) && (!n.segments || done.segments->key.same_as(n.segments->key));
        return same ? stmt : Stmt(done);
      },
      [&](const Evaluate& n) {
        Expr call = expression(n.call);
        return call.same_as(n.call) ? stmt : Stmt(Evaluate{call});
      },
      [&](const Break&) { return stmt; }, [&](const Continue&) { return stmt; }, [&](const Return&) { return stmt; },
      [&](const Comment&) { return stmt; });
}

namespace {

Var renamed(const Var& var, const Substitution& substitution) {
  const Expr* value = substitution.find(var);
  if (!value) return var;
  const VarRef* other = value->as<VarRef>();
  internal_check(other != nullptr, "ir substitute", "an array can only be replaced by another variable", var.name());
  return other->var;
}

}  // namespace

Expr substitute(const Expr& expr, const Substitution& substitution) {
  if (const VarRef* n = expr.as<VarRef>()) {
    const Expr* value = substitution.find(n->var);
    return value ? *value : expr;
  }
  Expr done = map_children(expr, [&](const Expr& child) { return substitute(child, substitution); });
  if (const Load* n = done.as<Load>(); n && substitution.find(n->array)) {
    return Load{renamed(n->array, substitution), n->index};
  }
  return done;
}

Stmt substitute(const Stmt& stmt, const Substitution& substitution) {
  Stmt done = map_children(
      stmt, [&](const Stmt& child) { return substitute(child, substitution); },
      [&](const Expr& child) { return substitute(child, substitution); });
  if (const Store* n = done.as<Store>(); n && substitution.find(n->array)) {
    return Store{renamed(n->array, substitution), n->index, n->value, n->atomic};
  }
  if (const Alloc* n = done.as<Alloc>(); n && substitution.find(n->array)) {
    return Alloc{renamed(n->array, substitution), n->count, n->zeroed};
  }
  if (const Grow* n = done.as<Grow>(); n && substitution.find(n->array)) {
    return Grow{renamed(n->array, substitution), n->count};
  }
  if (const Free* n = done.as<Free>(); n && substitution.find(n->var)) return Free{renamed(n->var, substitution)};
  if (const Keep* n = done.as<Keep>(); n && substitution.find(n->array)) {
    return Keep{n->parts, n->index, renamed(n->array, substitution), n->count};
  }
  if (const Take* n = done.as<Take>(); n && substitution.find(n->array)) {
    return Take{renamed(n->array, substitution), n->parts, n->index};
  }
  if (const Copy* n = done.as<Copy>(); n && (substitution.find(n->to) || substitution.find(n->from))) {
    return Copy{renamed(n->to, substitution), renamed(n->from, substitution), n->count};
  }
  if (const For* n = done.as<For>(); n && n->units && !n->units->sums.empty()) {
    Units units = *n->units;
    for (Units::Sum& sum : units.sums) sum.array = renamed(sum.array, substitution);
    For loop = *n;
    loop.units = std::make_shared<const Units>(units);
    return loop;
  }
  return done;
}

std::optional<Update> atomic_update(const Store& store) {
  const Apply* apply = store.value.as<Apply>();
  if (!apply || apply->operands.size() != 2) return std::nullopt;
  const Load* load = apply->operands[0].as<Load>();
  bool own = load && load->array == store.array && load->index == store.index;
  return own ? std::optional(Update{apply->op, apply->operands[1]}) : std::nullopt;
}

void for_each_read(const Expr& expr, VarVisitor visit) {
  if (const VarRef* n = expr.as<VarRef>()) visit(n->var);
  if (const Load* n = expr.as<Load>()) visit(n->array);
  for_each_child(expr, [&](const Expr& child) { for_each_read(child, visit); });
}

namespace {

void collect_reads(const Stmt& stmt, VarSet& reads) {
  if (const Keep* n = stmt.as<Keep>()) reads.insert(n->array);
  if (const Take* n = stmt.as<Take>()) reads.insert(n->parts);
  if (const Copy* n = stmt.as<Copy>()) reads.insert(n->from);
  for_each_child(
      stmt, [&](const Stmt& child) { collect_reads(child, reads); },
      [&](const Expr& child) { for_each_read(child, [&](const Var& var) { reads.insert(var); }); });
}

void collect_effects(const Expr& expr, VarSet& writes) {
  if (const Call* n = expr.as<Call>()) {
    for (const Var& var : variables_changed(*n)) writes.insert(var);
  }
  for_each_child(expr, [&](const Expr& child) { collect_effects(child, writes); });
}

void collect_writes(const Stmt& stmt, VarSet& writes) {
  if (const Assign* n = stmt.as<Assign>()) writes.insert(n->var);
  if (const For* n = stmt.as<For>()) writes.insert(n->var);
  if (const Store* n = stmt.as<Store>()) writes.insert(n->array);
  if (const Alloc* n = stmt.as<Alloc>()) writes.insert(n->array);
  if (const Grow* n = stmt.as<Grow>()) writes.insert(n->array);
  if (const Free* n = stmt.as<Free>()) writes.insert(n->var);
  if (const Keep* n = stmt.as<Keep>()) writes.insert(n->parts), writes.insert(n->array);
  if (const Take* n = stmt.as<Take>()) writes.insert(n->array), writes.insert(n->parts);
  if (const Copy* n = stmt.as<Copy>()) writes.insert(n->to);
  if (const LaneReduce* n = stmt.as<LaneReduce>()) {
    writes.insert(n->result);
    if (n->segments) writes.insert(n->segments->first);
  }
  for_each_child(
      stmt, [&](const Stmt& child) { collect_writes(child, writes); },
      [&](const Expr& child) { collect_effects(child, writes); });
}

void collect_allocated(const Stmt& stmt, std::vector<Var>& found, VarSet& seen) {
  const Alloc* alloc = stmt.as<Alloc>();
  const Take* take = stmt.as<Take>();
  const Declare* declaration = stmt.as<Declare>();
  if (alloc && seen.insert(alloc->array)) found.push_back(alloc->array);
  if (take && seen.insert(take->array)) found.push_back(take->array);
  if (declaration && !declaration->value && seen.insert(declaration->var)) found.push_back(declaration->var);
  for_each_child(stmt, [&](const Stmt& child) { collect_allocated(child, found, seen); }, [](const Expr&) {});
}

/// Calls `visit` for each variable a statement mentions, in order of appearance; `declared` collects
/// the scalars it declares itself.
void for_each_mention(const Stmt& stmt, VarSet& declared, VarVisitor visit) {
  if (const Declare* n = stmt.as<Declare>(); n && n->value) declared.insert(n->var);
  if (const Declare* n = stmt.as<Declare>(); n && !n->value) visit(n->var);
  if (const For* n = stmt.as<For>()) declared.insert(n->var);
  if (const Assign* n = stmt.as<Assign>()) visit(n->var);
  if (const Store* n = stmt.as<Store>()) visit(n->array);
  if (const Alloc* n = stmt.as<Alloc>()) visit(n->array);
  if (const Grow* n = stmt.as<Grow>()) visit(n->array);
  if (const Free* n = stmt.as<Free>()) visit(n->var);
  if (const Keep* n = stmt.as<Keep>()) visit(n->parts), visit(n->array);
  if (const Take* n = stmt.as<Take>()) visit(n->array), visit(n->parts);
  if (const Copy* n = stmt.as<Copy>()) visit(n->to), visit(n->from);
  if (const LaneReduce* n = stmt.as<LaneReduce>()) {
    visit(n->result);
    if (n->segments) visit(n->segments->first);
  }
  for_each_child(
      stmt, [&](const Stmt& child) { for_each_mention(child, declared, visit); },
      [&](const Expr& child) { for_each_read(child, visit); });
}

}  // namespace

std::vector<Var> free_variables(const Stmt& stmt) {
  VarSet declared, seen;
  std::vector<Var> mentioned, free;
  for_each_mention(stmt, declared, [&](const Var& var) { mentioned.push_back(var); });
  for (const Var& var : mentioned) {
    if (!declared.contains(var) && seen.insert(var)) free.push_back(var);
  }
  return free;
}

VarSet variables_read(const Stmt& stmt) {
  VarSet reads;
  collect_reads(stmt, reads);
  return reads;
}

VarSet variables_written(const Stmt& stmt) {
  VarSet writes;
  collect_writes(stmt, writes);
  return writes;
}

const For* as_parallel_loop(const Stmt& stmt) {
  const For* loop = stmt.as<For>();
  return loop && loop->loop == LoopKind::Parallel ? loop : nullptr;
}

std::vector<Var> variables_allocated(const Stmt& stmt) {
  std::vector<Var> found;
  VarSet seen;
  collect_allocated(stmt, found, seen);
  return found;
}

bool runs_on_device(Function function) {
  switch (function) {
    case Function::Search:
    case Function::SearchDown:
    case Function::SearchPath:
    case Function::Gallop:
    case Function::HashFind: return true;
    case Function::Sort:
    case Function::SortSegment:
    case Function::Scattered:
    case Function::Fetch:
    case Function::TableInsert:
    case Function::TableAppend:
    case Function::TableFind:
    case Function::TableSize:
    case Function::TableFinish:
    case Function::TableBegin:
    case Function::TableCoordinate:
    case Function::TablePosition:
    case Function::TableClear: return false;
  }
  throw InternalError("ir", "unknown runtime function");
}

bool has_effect(Function function) {
  switch (function) {
    case Function::Sort:
    case Function::SortSegment:
    case Function::TableInsert:
    case Function::TableAppend:
    case Function::TableFinish:
    case Function::TableClear: return true;
    case Function::HashFind:
    case Function::Search:
    case Function::SearchDown:
    case Function::SearchPath:
    case Function::Gallop:
    case Function::Scattered:
    case Function::Fetch:
    case Function::TableFind:
    case Function::TableSize:
    case Function::TableBegin:
    case Function::TableCoordinate:
    case Function::TablePosition: return false;
  }
  throw InternalError("ir", "unknown runtime function");
}

std::vector<Var> variables_changed(const Call& call) {
  std::vector<Var> changed;
  if (!has_effect(call.function)) return changed;
  std::size_t targets = call.function == Function::SortSegment ? 2 : 1;
  for (std::size_t i = 0; i < targets && i < call.arguments.size(); i++) {
    if (const VarRef* target = call.arguments[i].as<VarRef>()) changed.push_back(target->var);
  }
  return changed;
}

bool can_run_out_of_memory(Function function) {
  return function == Function::SortSegment || function == Function::TableInsert || function == Function::TableAppend ||
         function == Function::TableFinish;
}

const Call* call_that_can_run_out_of_memory(const Expr& value) {
  const Call* call = value.as<Call>();
  return call && can_run_out_of_memory(call->function) ? call : nullptr;
}

}  // namespace filigree::ir
