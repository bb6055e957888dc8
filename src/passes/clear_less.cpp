#include "passes/clear_less.h"

#include <algorithm>

#include "ir/rewrite.h"

namespace filigree::passes {

using namespace ir;
namespace {

std::vector<Stmt> statements_of(const Stmt& stmt) {
  const Block* block = stmt.as<Block>();
  return block ? block->statements : std::vector<Stmt>{stmt};
}

bool touches(const Stmt& stmt, const Var& array) {
  return variables_read(stmt).contains(array) || variables_written(stmt).contains(array);
}

/// Can the statement end an iteration of the loop around it, or the function?
bool leaves(const Stmt& stmt, bool is_inside_loop) {
  if (stmt.as<Return>()) return true;
  if (stmt.as<Break>() || stmt.as<Continue>()) return !is_inside_loop;
  bool found = false, inside = is_inside_loop || stmt.as<For>() || stmt.as<While>();
  for_each_child(stmt, [&](const Stmt& child) { found = found || leaves(child, inside); }, [](const Expr&) {});
  return found;
}

/// Is each of `count` elements stored, and nothing else done with the array?
bool fills(const Stmt& stmt, const Var& array, const Expr& count) {
  const For* loop = stmt.as<For>();
  if (!loop || is_grid(loop->loop) || !is_literal(loop->begin, 0) || !(loop->end == count)) return false;
  bool stored = false;
  for (const Stmt& step : statements_of(loop->body)) {
    const Store* store = step.as<Store>();
    bool is_element = store && store->array == array && store->index == Expr(loop->var) && !store->atomic;
    if (is_element) {
      bool reads = false;
      for_each_read(store->value, [&](const Var& read) { reads = reads || read == array; });
      if (reads || stored) return false;
      stored = true;
    } else if (touches(step, array) || leaves(step, false)) {
      return false;
    }
  }
  return stored;
}

struct Cleared {
  Var array;
  Expr count;
};

std::optional<Cleared> cleared_by(const Stmt& stmt) {
  if (const Alloc* alloc = stmt.as<Alloc>())
    return alloc->zeroed ? std::optional(Cleared{alloc->array, alloc->count}) : std::nullopt;
  const For* loop = stmt.as<For>();
  const Store* store = loop ? loop->body.as<Store>() : nullptr;
  bool clears = store && store->value.as<Literal>() && fills(stmt, store->array, loop->end);
  return clears ? std::optional(Cleared{store->array, loop->end}) : std::nullopt;
}

/// Is the first statement from `at` on that has to do with the array one that fills it?
bool is_filled_next(const std::vector<Stmt>& statements, size_t at, const Cleared& cleared) {
  for (; at < statements.size(); at++) {
    if (fills(statements[at], cleared.array, cleared.count)) return true;
    bool changes_count = false;
    VarSet written = variables_written(statements[at]);
    for_each_read(cleared.count, [&](const Var& read) { changes_count = changes_count || written.contains(read); });
    if (touches(statements[at], cleared.array) || changes_count) return false;
  }
  return false;
}

}  // namespace

FunctionDef clear_less(const FunctionDef& function) {
  std::vector<Stmt> statements = statements_of(function.body), kept;
  for (size_t n = 0; n < statements.size(); n++) {
    std::optional<Cleared> cleared = cleared_by(statements[n]);
    bool in_vain = cleared && is_filled_next(statements, n + 1, *cleared);
    const Alloc* alloc = statements[n].as<Alloc>();
    if (!in_vain) kept.push_back(statements[n]);
    else if (alloc) kept.push_back(Alloc{alloc->array, alloc->count, false});
  }
  FunctionDef out = function;
  out.body = block(kept);
  return out;
}

}  // namespace filigree::passes
