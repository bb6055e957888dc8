#include "passes/open_once.h"

#include <algorithm>

#include "ir/rewrite.h"

namespace filigree::passes {

using namespace ir;
namespace {

std::vector<Stmt> statements_of(const Stmt& stmt) {
  const Block* block = stmt.as<Block>();
  return block ? block->statements : std::vector<Stmt>{stmt};
}

bool reads_any(const Expr& expr, const VarSet& vars) {
  bool found = false;
  for_each_read(expr, [&](const Var& read) { found |= vars.contains(read); });
  return found;
}

/// Does it read nothing but scalars?
bool is_of_scalars(const Expr& expr) {
  bool found = true;
  std::vector<Expr> left = {expr};
  while (!left.empty()) {
    Expr one = left.back();
    left.pop_back();
    found = found && !one.as<Load>() && !one.as<Call>();
    for_each_child(one, [&](const Expr& child) { left.push_back(child); });
  }
  return found;
}

/// The variable of `... && !flag`.
std::optional<Var> flag_of(const Expr& condition) {
  const Apply* apply = condition.as<Apply>();
  if (!apply) return std::nullopt;
  if (apply->op == Operator::And) return flag_of(apply->operands.back());
  const VarRef* flag = apply->op == Operator::Not ? apply->operands[0].as<VarRef>() : nullptr;
  return flag ? std::optional(flag->var) : std::nullopt;
}

/// Is the last thing that it does to set the flag?
bool sets(const Stmt& opening, const Var& flag) {
  std::vector<Stmt> all = statements_of(opening);
  const Assign* last = all.empty() ? nullptr : all.back().as<Assign>();
  return last && last->var == flag && is_true(last->value);
}

bool jumps(const Stmt& stmt) {
  bool found = stmt.as<Break>() || stmt.as<Continue>();
  for_each_child(stmt, [&](const Stmt& child) { found = found || jumps(child); }, [](const Expr&) {});
  return found;
}

/// Where in the body of a loop the question stands.
std::optional<size_t> find_opening(const For& loop, const std::vector<Stmt>& body) {
  VarSet own;  // of the iteration
  own.insert(loop.var);
  std::vector<Expr> before = {loop.begin, loop.end};  // evaluated after the opening, once it has moved
  for (size_t at = 0; at < body.size(); at++) {
    if (body[at].as<Comment>()) continue;
    if (const Declare* declared = body[at].as<Declare>()) {
      if (!declared->value || !is_of_scalars(*declared->value)) return std::nullopt;
      own.insert(declared->var);
      before.push_back(*declared->value);
      continue;
    }
    const If* opening = body[at].as<If>();
    std::optional<Var> flag = opening && opening->otherwise.is_empty() ? flag_of(opening->condition) : std::nullopt;
    if (!flag || !sets(opening->then, *flag) || jumps(opening->then)) return std::nullopt;
    VarSet changed = variables_written(opening->then), others;
    for (size_t n = at + 1; n < body.size(); n++) others.insert_all(variables_written(body[n]));
    others.insert_all(own);
    bool is_first_time = !others.contains(*flag) && !reads_any(opening->condition, others);
    for (const Var& var : free_variables(opening->then)) is_first_time = is_first_time && !own.contains(var);
    for (const Expr& expr : before) is_first_time = is_first_time && !reads_any(expr, changed);
    // The rest of the condition must say the same in all iterations.
    VarSet but_flag = changed;
    but_flag.erase(*flag);
    return is_first_time && is_of_scalars(opening->condition) && !reads_any(opening->condition, but_flag)
               ? std::optional(at)
               : std::nullopt;
  }
  return std::nullopt;
}

Stmt opened(const Stmt& stmt) {
  Stmt inner =
      map_children(stmt, [](const Stmt& child) { return opened(child); }, [](const Expr& expr) { return expr; });
  if (const Block* all = inner.as<Block>()) return inner.same_as(stmt) ? stmt : block(all->statements);
  const For* loop = inner.as<For>();
  if (!loop || (loop->loop != LoopKind::Serial && loop->loop != LoopKind::Simd)) return inner;
  std::vector<Stmt> body = statements_of(loop->body);
  std::optional<size_t> at = find_opening(*loop, body);
  if (!at) return inner;
  const If opening = *body[*at].as<If>();
  body.erase(body.begin() + static_cast<std::ptrdiff_t>(*at));
  return block({if_then(both(less(loop->begin, loop->end), opening.condition), opening.then),
                loop->with(loop->begin, loop->end, block(body))});
}

}  // namespace

FunctionDef open_once(const FunctionDef& function) {
  FunctionDef out = function;
  out.body = opened(function.body);
  return out;
}

}  // namespace filigree::passes
