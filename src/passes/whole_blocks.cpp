#include "passes/whole_blocks.h"

#include <algorithm>

#include "ir/rewrite.h"

namespace filigree::passes {

using namespace ir;
namespace {

std::vector<Stmt> statements_of(const Stmt& stmt) {
  const Block* block = stmt.as<Block>();
  return block ? block->statements : std::vector<Stmt>{stmt};
}

int count_statements(const Stmt& stmt) {
  int count = stmt.as<Block>() ? 0 : 1;
  for_each_child(stmt, [&](const Stmt& child) { count += count_statements(child); }, [](const Expr&) {});
  return count;
}

bool reads_any(const Expr& expr, const VarSet& vars) {
  bool found = false;
  for_each_read(expr, [&](const Var& read) { found = found || vars.contains(read); });
  return found;
}

/// How often a loop over the places of a block runs: a small number that is known, from 0 on.
std::optional<std::int64_t> places_of(const For& loop, std::int64_t most) {
  const Literal* end = loop.end.as<Literal>();
  if (!end || !is_literal(loop.begin, 0) || (loop.loop != LoopKind::Serial && loop.loop != LoopKind::Simd))
    return std::nullopt;
  std::int64_t places = end->value.as_int();
  return places > 1 && places <= most ? std::optional(places) : std::nullopt;
}

/// Takes the questions out of a nest of loops over places.
class Unasked {
 public:
  explicit Unasked(const policy::WholeBlocks& policy) : policy_(policy) {}

  Stmt of(const Stmt& stmt) {
    if (const For* loop = stmt.as<For>()) {
      if (std::optional<std::int64_t> places = places_of(*loop, policy_.most_places))
        loops_.push_back({loop->var, *places});
      varying_.insert_all(variables_written(stmt));
      varying_.insert(loop->var);
      return loop->with(loop->begin, loop->end, of(loop->body));
    }
    if (stmt.as<Block>()) {
      std::vector<Stmt> code;
      for (const Stmt& child : statements_of(stmt)) code.push_back(of(child));
      return block(code);
    }
    if (const Declare* declared = stmt.as<Declare>(); declared && declared->value) {
      if (reads_any(*declared->value, varying_)) varying_.insert(declared->var);
      declared_.push_back(*declared);
    }
    const If* asked = stmt.as<If>();
    std::optional<Expr> always = asked && asked->otherwise.is_empty() ? always_holds(asked->condition) : std::nullopt;
    if (!always) return stmt;
    if (std::find(conditions_.begin(), conditions_.end(), *always) == conditions_.end()) conditions_.push_back(*always);
    return of(asked->then);
  }
  /// Where all of these hold, none of the questions is needed.
  const std::vector<Expr>& conditions() const { return conditions_; }

 private:
  struct Places {
    Var var;
    std::int64_t count;
  };

  /// What tells before the loops that `i < size` holds at all places: i = base + place.
  std::optional<Expr> always_holds(const Expr& condition) const {
    const Apply* less_than = condition.as<Apply>();
    if (!less_than || less_than->op != Operator::Less || reads_any(less_than->operands[1], varying_)) return {};
    const VarRef* asked = less_than->operands[0].as<VarRef>();
    auto found = std::find_if(declared_.rbegin(), declared_.rend(),
                              [&](const Declare& declared) { return asked && declared.var == asked->var; });
    const Apply* sum = found == declared_.rend() ? nullptr : found->value->as<Apply>();
    if (!sum || sum->op != Operator::Add || reads_any(sum->operands[0], varying_)) return {};
    for (const Places& places : loops_) {
      if (sum->operands[1] == Expr(places.var))
        return less(add(sum->operands[0], integer(places.count - 1)), less_than->operands[1]);
    }
    return {};
  }

  const policy::WholeBlocks& policy_;
  std::vector<Places> loops_;
  std::vector<Declare> declared_;
  std::vector<Expr> conditions_;
  VarSet varying_;
};

using Policy = policy::WholeBlocks;

Stmt rewrite(const Stmt& stmt, const Policy& policy);

Stmt rewrite_inside(const Stmt& stmt, const Policy& policy) {
  Stmt inside = map_children(
      stmt, [&](const Stmt& child) { return rewrite(child, policy); }, [](const Expr& expr) { return expr; });
  const Block* list = inside.as<Block>();
  return list ? block(list->statements) : inside;
}

Stmt rewrite(const Stmt& stmt, const Policy& policy) {
  const For* loop = stmt.as<For>();
  if (loop && is_grid(loop->loop)) return stmt;
  if (loop && places_of(*loop, policy.most_places) && count_statements(stmt) <= policy.most_statements) {
    Unasked unasked(policy);
    Stmt whole = unasked.of(stmt);
    Expr all = boolean(true);
    for (const Expr& condition : unasked.conditions()) all = both(all, condition);
    // What depends on the place is asked further inside.
    if (!unasked.conditions().empty()) return if_then(all, rewrite_inside(whole, policy), stmt);
  }
  return rewrite_inside(stmt, policy);
}

}  // namespace

FunctionDef whole_blocks(const FunctionDef& function, const Policy& policy) {
  FunctionDef out = function;
  out.body = rewrite(function.body, policy);
  return out;
}

}  // namespace filigree::passes
