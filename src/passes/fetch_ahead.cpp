#include "passes/fetch_ahead.h"

#include <algorithm>

#include "ir/rewrite.h"

namespace filigree::passes {

using namespace ir;
namespace {

/// A loop that writes each entry to the next free place of its row.
struct Scatter {
  For loop;
  Var coordinates;           // by position, the loop's variable
  Expr next;                 // the place of the entry at the loop's variable
  std::vector<Var> targets;  // what is written there
};

const Load* as_load(const Expr& expr) {
  const Cast* cast = expr.as<Cast>();
  return cast ? as_load(cast->value) : expr.as<Load>();
}

bool is_variable(const Expr& expr, const Var& var) {
  const VarRef* ref = expr.as<VarRef>();
  return ref && ref->var == var;
}

std::vector<Stmt> statements_of(const Stmt& stmt) {
  const Block* block = stmt.as<Block>();
  return block ? block->statements : std::vector<Stmt>{stmt};
}

std::vector<Var> stored_at(const std::vector<Stmt>& body, const Expr& index) {
  std::vector<Var> arrays;
  for (const Stmt& stmt : body) {
    const Store* store = stmt.as<Store>();
    if (store && store->index == index) arrays.push_back(store->array);
  }
  return arrays;
}

/// Variables that are not the same in all iterations.
VarSet varying_in(const For& loop) {
  VarSet varying = variables_written(loop);
  varying.insert(loop.var);
  for (const Stmt& stmt : statements_of(loop.body)) {
    if (const Declare* declared = stmt.as<Declare>()) varying.insert(declared->var);
    if (const For* inner = stmt.as<For>()) varying.insert_all(varying_in(*inner));
  }
  return varying;
}

/// Of the varying variables, does an expression read just this one?
bool varies_with(const Expr& expr, const Var& var, const VarSet& varying) {
  bool reads = false, others = false;
  for_each_read(expr, [&](const Var& read) {
    reads |= read == var;
    others |= !(read == var) && varying.contains(read);
  });
  return reads && !others;
}

/// The scatter if `place` is declared as the next free place of a row that a coordinate of the entry tells.
std::optional<Scatter> scatter_to(const Declare& place, const For& loop, const VarSet& varying) {
  const Load* next = place.value ? as_load(*place.value) : nullptr;
  if (!next) return std::nullopt;
  std::vector<Stmt> body = statements_of(loop.body);
  std::vector<Var> targets = stored_at(body, Expr(place.var));
  if (targets.empty() || stored_at(body, next->index) != std::vector<Var>{next->array}) return std::nullopt;
  for (const Stmt& stmt : body) {
    const Declare* coordinate = stmt.as<Declare>();
    const Load* entry = coordinate && coordinate->value ? as_load(*coordinate->value) : nullptr;
    if (!entry || !is_variable(entry->index, loop.var) || varying.contains(entry->array)) continue;
    if (!varies_with(next->index, coordinate->var, varying)) continue;
    Substitution from_entry;
    from_entry.set(coordinate->var, *coordinate->value);
    return Scatter{loop, entry->array, substitute(*place.value, from_entry), targets};
  }
  return std::nullopt;
}

std::optional<Scatter> find_scatter(const For& loop, const VarSet& varying) {
  std::vector<Stmt> body = statements_of(loop.body);
  bool straight = std::all_of(body.begin(), body.end(),
                              [](const Stmt& s) { return s.as<Declare>() || s.as<Store>() || s.as<Comment>(); });
  if (loop.loop != LoopKind::Serial || !straight) return std::nullopt;
  for (const Stmt& stmt : body) {
    const Declare* place = stmt.as<Declare>();
    std::optional<Scatter> found = place ? scatter_to(*place, loop, varying) : std::nullopt;
    if (found) return found;
  }
  return std::nullopt;
}

/// The scatter's loop, where `jumps` tells whether it is worth looking ahead, up to the entry at `last`.
Stmt looking_ahead(const Scatter& scatter, const Var& jumps, const Var& last, std::int64_t distance) {
  Var next = int64_var("next");
  Substitution later;
  later.set(scatter.loop.var, min(add(scatter.loop.var, integer(distance)), last));
  std::vector<Stmt> fetches = {declare(next, substitute(scatter.next, later))};
  for (const Var& target : scatter.targets) fetches.push_back(Evaluate{call(Function::Fetch, {target, next})});
  return scatter.loop.with(scatter.loop.begin, scatter.loop.end,
                           block({if_then(jumps, block(fetches)), scatter.loop.body}));
}

/// The loop inside, if nothing else is, and it goes on in each iteration where it ended in the one before.
const For* continued_inside(const For& loop, const VarSet& varying) {
  const For* inner = statements_of(loop.body).size() == 1 ? statements_of(loop.body)[0].as<For>() : nullptr;
  if (!inner || !varies_with(inner->begin, loop.var, varying)) return nullptr;
  Substitution next_iteration;
  next_iteration.set(loop.var, add(loop.var, integer(1)));
  return substitute(inner->begin, next_iteration) == inner->end ? inner : nullptr;
}

Expr at(const Expr& expr, const Var& var, const Expr& value) {
  Substitution substitution;
  substitution.set(var, value);
  return substitute(expr, substitution);
}

std::optional<Stmt> rewritten(const For& loop, std::int64_t distance) {
  VarSet varying = varying_in(loop);
  const For* inner = continued_inside(loop, varying);
  std::optional<Scatter> scatter = find_scatter(inner ? *inner : loop, varying);
  if (!scatter) return std::nullopt;
  Expr begin = inner ? at(inner->begin, loop.var, loop.begin) : loop.begin;
  Expr end = inner ? at(inner->begin, loop.var, loop.end) : loop.end;
  Var jumps = bool_var("jumps"), last = int64_var("last");
  Stmt ahead = looking_ahead(*scatter, jumps, last, distance);
  return block({Comment{"If the entries are scattered, the places they go to are fetched ahead of time."},
                declare(jumps, not_equal(call(Function::Scattered, {scatter->coordinates, begin, end}), integer(0))),
                declare(last, subtract(end, integer(1))),
                inner ? Stmt(loop.with(loop.begin, loop.end, ahead)) : ahead});
}

/// In blocks and in parallel loops, but not in other loops: the question would be asked too often, and device code
/// cannot ask it.
Stmt rewrite(const Stmt& stmt, std::int64_t distance) {
  const For* loop = stmt.as<For>();
  if (loop && loop->loop == LoopKind::Serial) return rewritten(*loop, distance).value_or(stmt);
  if (loop ? is_grid(loop->loop) : !stmt.as<Block>()) return stmt;
  Stmt inside = map_children(
      stmt, [&](const Stmt& child) { return rewrite(child, distance); }, [](const Expr& expr) { return expr; });
  const Block* list = inside.as<Block>();
  return list ? block(list->statements) : inside;
}

}  // namespace

FunctionDef fetch_ahead(const FunctionDef& function, std::int64_t distance) {
  FunctionDef out = function;
  out.body = rewrite(function.body, distance);
  return out;
}

}  // namespace filigree::passes
