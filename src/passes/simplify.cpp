#include "passes/simplify.h"

#include <algorithm>
#include <span>

#include "ir/rewrite.h"
#include "ir/simplify_expression.h"

namespace filigree::passes {

using namespace ir;
namespace {

class Simplifier {
 public:
  explicit Simplifier(const FunctionDef& function) : written_(variables_written(function.body)) {
    for (const Parameter& parameter : function.parameters) {
      if (parameter.count) pinned_.insert(*parameter.count);
    }
  }

  Stmt statement(const Stmt& stmt) {
    std::vector<Stmt> out;
    append(stmt, out, {});
    return block(std::move(out));
  }

 private:
  Expr expression(const Expr& expr) { return simplify(copies_.empty() ? expr : substitute(expr, copies_)); }
  void append(const Stmt& stmt, std::vector<Stmt>& out, std::span<const Stmt> rest);
  void append_block(const Block& list, std::vector<Stmt>& out);
  void append_loop(const For& loop, std::vector<Stmt>& out);
  /// An atomic store with what it has become; it stays an update, also where that is the same whatever was there.
  Store updating(const Store& store, const Expr& index, const Expr& value);
  bool forward(const Declare& declaration, const Expr& value, std::span<const Stmt> rest);

  Substitution copies_;
  VarSet written_;  // anywhere in the function
  VarSet pinned_;   // counts of Out arrays: read after the end of the body
};

/// Remembers a declaration that only gives another name to a value, and says whether it can go.  The
/// variable lives until the end of the statements in `rest`.
bool Simplifier::forward(const Declare& declaration, const Expr& value, std::span<const Stmt> rest) {
  copies_.erase(declaration.var);  // a copy of this code elsewhere may have declared it as something else
  if (written_.contains(declaration.var)) return false;
  const VarRef* original = value.as<VarRef>();
  if (!original && !value.as<Literal>()) return false;
  if (original && written_.contains(original->var)) {
    for (const Stmt& later : rest) {
      if (variables_written(later).contains(original->var)) return false;
    }
  }
  copies_.set(declaration.var, value);
  return !pinned_.contains(declaration.var);
}

bool ends_block(const Stmt& stmt) { return stmt.as<Break>() || stmt.as<Continue>() || stmt.as<Return>(); }

void flatten(const Block& list, std::vector<Stmt>& out) {
  for (const Stmt& child : list.statements) {
    if (const Block* inner = child.as<Block>()) {
      flatten(*inner, out);
    } else {
      out.push_back(child);
    }
  }
}

void Simplifier::append_block(const Block& list, std::vector<Stmt>& out) {
  // A block inside a block is no scope of its own, so what follows it counts as `rest` too.
  std::vector<Stmt> statement_list;
  flatten(list, statement_list);
  std::span<const Stmt> statements = statement_list;
  for (std::size_t i = 0; i < statements.size(); i++) {
    if (!statements[i].as<Comment>()) {
      append(statements[i], out, statements.subspan(i + 1));
      continue;
    }
    // A comment is about what follows it, up to the next comment, and goes when that goes.
    std::size_t end = i;
    while (end < statements.size() && statements[end].as<Comment>()) end++;
    std::vector<Stmt> paragraph;
    std::size_t next = end;
    for (; next < statements.size() && !statements[next].as<Comment>(); next++) {
      append(statements[next], paragraph, statements.subspan(next + 1));
    }
    if (!paragraph.empty()) out.insert(out.end(), statements.begin() + i, statements.begin() + end);
    out.insert(out.end(), paragraph.begin(), paragraph.end());
    i = next - 1;
  }
}

/// Is one of the statements the next loop of a grid?  Without it, the declarations beside it are for nobody.
bool has_grid_loop(const Stmt& body) {
  const For* loop = body.as<For>();
  bool found = loop && is_grid(loop->loop);
  if (const Block* list = body.as<Block>()) {
    for (const Stmt& child : list->statements) found = found || has_grid_loop(child);
  }
  return found;
}

void Simplifier::append_loop(const For& loop, std::vector<Stmt>& out) {
  Expr begin = expression(loop.begin), end = expression(loop.end);
  if (is_false(simplify(less(begin, end)))) return;
  Stmt body = statement(loop.body);
  bool lost_threads = (loop.loop == LoopKind::GpuBlock || loop.loop == LoopKind::GpuWarp) && !has_grid_loop(body);
  if (!body.is_empty() && !lost_threads) out.push_back(loop.with(begin, end, body));
}

Store Simplifier::updating(const Store& store, const Expr& index, const Expr& value) {
  Store simpler{store.array, index, value, true};
  if (atomic_update(simpler)) return simpler;
  Update update = *atomic_update(store);
  Expr element = Load{store.array, index};
  return Store{store.array, index, Apply{update.op, {element, expression(update.operand)}}, true};
}

void Simplifier::append(const Stmt& stmt, std::vector<Stmt>& out, std::span<const Stmt> rest) {
  if (!out.empty() && ends_block(out.back())) return;  // never reached
  match(
      stmt, [&](const Block& n) { append_block(n, out); },
      [&](const Declare& n) {
        if (!n.value) return out.push_back(stmt);
        Expr value = expression(*n.value);
        if (!forward(n, value, rest)) out.push_back(Declare{n.var, value});
      },
      [&](const Assign& n) {
        Expr value = expression(n.value);
        const VarRef* self = value.as<VarRef>();
        if (!self || !(self->var == n.var)) out.push_back(Assign{n.var, value});
      },
      [&](const Store& n) {
        Expr index = expression(n.index), value = expression(n.value);
        const Load* self = value.as<Load>();
        bool stays = self && self->array == n.array && self->index == index;
        if (!stays) out.push_back(n.atomic ? updating(n, index, value) : Store{n.array, index, value});
      },
      [&](const For& n) { append_loop(n, out); },
      [&](const While& n) {
        Expr condition = expression(n.condition);
        if (!is_false(condition)) out.push_back(While{condition, statement(n.body)});
      },
      [&](const If& n) {
        Expr condition = expression(n.condition);
        if (is_true(condition)) return append(n.then, out, {});
        if (is_false(condition)) return append(n.otherwise, out, {});
        Stmt then = statement(n.then), otherwise = statement(n.otherwise);
        if (then == otherwise) return append(then, out, {});
        Stmt done = then.is_empty() ? if_then(simplify(negate(condition)), otherwise)
                                    : if_then(condition, then, otherwise);
        if (!done.is_empty()) out.push_back(done);
      },
      [&](const Free&) { out.push_back(stmt); },
      [&](const auto&) {
        out.push_back(map_children(
            stmt, [&](const Stmt& child) { return child; }, [&](const Expr& child) { return expression(child); }));
      });
}

}  // namespace

FunctionDef simplify(const FunctionDef& function) {
  FunctionDef result = function;
  Stmt body = Simplifier(function).statement(function.body);
  if (!(body == function.body)) result.body = body;
  return result;
}

}  // namespace filigree::passes
