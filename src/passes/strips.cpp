#include "passes/strips.h"

#include <algorithm>

#include "ir/rewrite.h"

namespace filigree::passes {

using namespace ir;
namespace {

std::vector<Stmt> statements_of(const Stmt& stmt) {
  const Block* block = stmt.as<Block>();
  return block ? block->statements : std::vector<Stmt>{stmt};
}

bool is_plain(const For& loop) {
  return (loop.loop == LoopKind::Serial || loop.loop == LoopKind::Simd) && loop.unrolled == 0;
}

bool reads_any(const Expr& expr, const VarSet& vars) {
  bool found = false;
  for_each_read(expr, [&](const Var& read) { found = found || vars.contains(read); });
  return found;
}

bool calls(const Expr& expr) {
  bool found = expr.as<Call>() != nullptr;
  for_each_child(expr, [&](const Expr& child) { found = found || calls(child); });
  return found;
}

/// A loop around declarations and one more loop.
struct Nest {
  For outer;
  std::vector<Stmt> declared;  // between the two
  For inner;
  VarSet varying;  // from one turn of the outer loop to the next
  VarSet written;  // arrays

  bool is_invariant(const Expr& expr) const { return !reads_any(expr, varying) && !reads_any(expr, written); }
};

std::optional<Nest> nest_of(const For& outer, std::size_t most_statements) {
  std::vector<Stmt> list = statements_of(outer.body);
  const For* inner = list.empty() ? nullptr : list.back().as<For>();
  bool is_short = list.size() + (inner ? statements_of(inner->body).size() : 0) <= most_statements;
  if (!inner || !is_plain(*inner) || outer.loop != LoopKind::Serial || outer.unrolled > 0 || !is_short)
    return std::nullopt;
  list.pop_back();
  Nest nest{outer, list, *inner, {}, {}};
  nest.varying.insert(outer.var);
  for (const Stmt& stmt : list) {
    const Declare* declared = stmt.as<Declare>();
    if (!declared || !declared->value || calls(*declared->value)) return std::nullopt;
    nest.varying.insert(declared->var);
  }
  return nest;
}

/// Is an element written only where the inner loop is at its number, and read nowhere else?
bool stays_at_element(const Expr& expr, const Nest& nest) {
  const Load* load = expr.as<Load>();
  bool stays = !expr.as<Call>() &&
               (!load || !nest.written.contains(load->array) || load->index == Expr(nest.inner.var));
  for_each_child(expr, [&](const Expr& child) { stays = stays && stays_at_element(child, nest); });
  return stays;
}

bool adds_to_elements(Nest& nest) {
  std::vector<Stmt> steps = statements_of(nest.inner.body);
  for (const Stmt& step : steps) {
    const Store* store = step.as<Store>();
    if (store) nest.written.insert(store->array);
    bool is_plain = (store && !store->atomic && store->index == Expr(nest.inner.var)) ||
                    (step.as<Declare>() && step.as<Declare>()->value);
    if (!is_plain) return false;
  }
  bool stays = nest.written.size() > 0 && !reads_any(nest.outer.begin, nest.written) &&
               !reads_any(nest.outer.end, nest.written) && !reads_any(nest.inner.begin, nest.written) &&
               !reads_any(nest.inner.end, nest.written);
  for (const Stmt& stmt : nest.declared) stays = stays && !reads_any(*stmt.as<Declare>()->value, nest.written);
  for (const Stmt& step : steps) {
    const Store* store = step.as<Store>();
    stays = stays && stays_at_element(store ? store->value : *step.as<Declare>()->value, nest);
  }
  return stays;
}

/// What a bound of the inner loop is never beyond: of the operands of `op`, which is min or max, one that is the same
/// in all turns of the outer loop.
std::optional<Expr> limit(const Expr& bound, Operator op, const Nest& nest) {
  if (nest.is_invariant(bound)) return bound;
  const Apply* apply = bound.as<Apply>();
  if (!apply || apply->op != op) return std::nullopt;
  for (const Expr& operand : apply->operands) {
    if (std::optional<Expr> found = limit(operand, op, nest)) return found;
  }
  return std::nullopt;
}

Expr no_more_than(const Expr& a, const Expr& b) { return Apply{Operator::LessEqual, {a, b}}; }

std::optional<Stmt> in_strips(const For& outer, const policy::Strips& policy) {
  std::optional<Nest> nest = nest_of(outer, static_cast<std::size_t>(policy.most_statements));
  if (!nest || !adds_to_elements(*nest)) return std::nullopt;
  bool is_window = !nest->is_invariant(nest->inner.begin) || !nest->is_invariant(nest->inner.end);
  std::optional<Expr> first = limit(nest->inner.begin, Operator::Max, *nest),
                      end = limit(nest->inner.end, Operator::Min, *nest);
  if (!is_window || !first || !end) return std::nullopt;
  Expr length = integer(policy.length);
  Var number = int64_var("strip"), from = int64_var(nest->inner.var.name() + "_first");
  For inner = nest->inner.with(max(nest->inner.begin, from), min(nest->inner.end, add(from, length)), nest->inner.body);
  std::vector<Stmt> turn = nest->declared;
  turn.push_back(inner);
  Expr count = quotient(add(max(integer(0), subtract(*end, *first)), integer(policy.length - 1)), length);
  Stmt all = For{
      number, integer(0), count,
      block({declare(from, add(*first, multiply(number, length))), outer.with(outer.begin, outer.end, block(turn))})};
  return if_then(no_more_than(subtract(outer.end, outer.begin), integer(policy.most_loops)), all, outer);
}

Stmt rewrite(const Stmt& stmt, const policy::Strips& policy) {
  if (const For* loop = stmt.as<For>()) {
    if (loop->loop == LoopKind::GpuBlock) return stmt;
    if (std::optional<Stmt> done = in_strips(*loop, policy)) return *done;
  }
  Stmt inside = map_children(
      stmt, [&](const Stmt& child) { return rewrite(child, policy); }, [](const Expr& expr) { return expr; });
  const Block* list = inside.as<Block>();
  return list ? block(list->statements) : inside;
}

}  // namespace

FunctionDef strips(const FunctionDef& function, const policy::Strips& policy) {
  FunctionDef out = function;
  out.body = rewrite(function.body, policy);
  return out;
}

}  // namespace filigree::passes
