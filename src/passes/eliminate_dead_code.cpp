// Mark and sweep.  A variable is live when a statement that matters reads it; a statement matters when
// it changes a live variable, returns, or holds one that matters.  Marking repeats until nothing
// becomes live any more; going through blocks backwards, that is two or three rounds.
#include "passes/eliminate_dead_code.h"

#include <algorithm>
#include <unordered_set>

#include "ir/rewrite.h"

namespace filigree::passes {

using namespace ir;
namespace {

class Eliminator {
 public:
  explicit Eliminator(const FunctionDef& function);
  Stmt run(const Stmt& body);

 private:
  void mark_live(const Var& var) { changed_ = live_.insert(var) || changed_; }
  void mark_reads(const Expr& expr) {
    for_each_read(expr, [&](const Var& var) { mark_live(var); });
  }
  bool mark(const Stmt& stmt, bool in_live_loop);
  bool mark_loop(const Stmt& stmt, const Stmt& body);
  bool matters(const Expr& value) const;
  bool is_live(const LaneReduce& node) const {
    return live_.contains(node.result) || (node.segments && live_.contains(node.segments->first));
  }
  std::optional<Stmt> sweep(const Stmt& stmt, bool in_live_loop);
  Stmt sweep_body(const Stmt& stmt, bool in_live_loop) { return sweep(stmt, in_live_loop).value_or(Stmt()); }
  Stmt sweep_block(const Block& list, bool in_live_loop);

  /// Loops that matter, by the address of their node's contents: trees are immutable while we look.
  std::unordered_set<const void*> live_loops_;
  VarSet live_;
  bool changed_ = true;
  bool in_live_launch_ = false;
};

Eliminator::Eliminator(const FunctionDef& function) {
  for (const Parameter& parameter : function.parameters) {
    if (parameter.direction != Direction::In) live_.insert(parameter.var);
    if (parameter.count) live_.insert(*parameter.count);
  }
}

Stmt Eliminator::run(const Stmt& body) {
  while (changed_) {
    changed_ = false;
    mark(body, false);
  }
  return sweep_body(body, false);
}

/// Does evaluating this change a live table or array?
bool Eliminator::matters(const Expr& value) const {
  const Call* call = value.as<Call>();
  if (!call) return false;
  std::vector<Var> changed = variables_changed(*call);
  return std::any_of(changed.begin(), changed.end(), [&](const Var& var) { return live_.contains(var); });
}

bool Eliminator::mark_loop(const Stmt& stmt, const Stmt& body) {
  bool known = live_loops_.contains(&stmt.kind());
  const For* loop = stmt.as<For>();
  if (loop && loop->loop == LoopKind::GpuBlock) in_live_launch_ = known;
  bool live = mark(body, known) || known;
  if (live && !known) {
    live_loops_.insert(&stmt.kind());
    changed_ = true;  // what leads to a break or continue inside matters from now on
  }
  return live;
}

bool Eliminator::mark(const Stmt& stmt, bool in_live_loop) {
  auto keep = [&](bool matter) {
    if (matter) for_each_child(stmt, [](const Stmt&) {}, [&](const Expr& expr) { mark_reads(expr); });
    return matter;
  };
  return match(
      stmt,
      [&](const Block& n) {
        bool any = false;
        for (auto child = n.statements.rbegin(); child != n.statements.rend(); child++)
          any = mark(*child, in_live_loop) || any;
        return any;
      },
      [&](const Declare& n) { return keep(live_.contains(n.var) || (n.value && matters(*n.value))); },
      [&](const Assign& n) { return keep(live_.contains(n.var) || matters(n.value)); },
      [&](const Store& n) { return keep(live_.contains(n.array)); },
      [&](const For& n) { return keep(mark_loop(stmt, n.body)); },
      [&](const While& n) { return keep(mark_loop(stmt, n.body)); },
      [&](const If& n) {
        bool then = mark(n.then, in_live_loop), otherwise = mark(n.otherwise, in_live_loop);
        return keep(then || otherwise);
      },
      [&](const Alloc& n) { return keep(live_.contains(n.array)); },
      [&](const Grow& n) { return keep(live_.contains(n.array)); },
      [&](const Free& n) { return live_.contains(n.var); },
      [&](const Keep& n) {
        if (live_.contains(n.parts)) mark_live(n.array);
        return keep(live_.contains(n.parts));
      },
      [&](const Take& n) {
        if (live_.contains(n.array)) mark_live(n.parts);
        return keep(live_.contains(n.array));
      },
      [&](const Copy& n) {
        if (live_.contains(n.to)) mark_live(n.from);
        return keep(live_.contains(n.to));
      },
      [&](const Barrier&) { return in_live_launch_; },
      [&](const LaneReduce& n) {
        if (is_live(n)) mark_live(n.result);
        if (is_live(n) && n.segments) mark_live(n.segments->first);  // it sets both
        return keep(is_live(n));
      },
      [&](const Evaluate& n) { return keep(matters(n.call)); }, [&](const Break&) { return in_live_loop; },
      [&](const Continue&) { return in_live_loop; }, [](const Return&) { return true; },
      [](const Comment&) { return false; });
}

Stmt Eliminator::sweep_block(const Block& list, bool in_live_loop) {
  std::vector<Stmt> kept, comments;
  bool changed = false, after_comment = false;
  for (const Stmt& child : list.statements) {
    bool is_comment = child.as<Comment>() != nullptr;
    if (is_comment) {
      if (!after_comment) {
        changed = changed || !comments.empty();
        comments.clear();
      }
      comments.push_back(child);
    }
    after_comment = is_comment;
    if (is_comment) continue;
    std::optional<Stmt> done = sweep(child, in_live_loop);
    if (!done) {
      changed = true;
      continue;
    }
    changed = changed || !done->same_as(child);
    // A comment stays when something between it and the next one does.
    kept.insert(kept.end(), comments.begin(), comments.end());
    comments.clear();
    kept.push_back(*done);
  }
  if (!changed && comments.empty()) return Stmt(list);
  return block(std::move(kept));
}

/// The statement without what does not matter, or nothing.
std::optional<Stmt> Eliminator::sweep(const Stmt& stmt, bool in_live_loop) {
  auto keep_if = [&](bool matter) { return matter ? std::optional(stmt) : std::nullopt; };
  /// A value nobody reads may still come from a call that changes a table.
  auto keep_call = [&](const Var& var, const Expr& value) -> std::optional<Stmt> {
    if (live_.contains(var)) return stmt;
    if (matters(value)) return Stmt(Evaluate{value});
    return std::nullopt;
  };
  return match(
      stmt,
      [&](const Block& n) -> std::optional<Stmt> {
        Stmt done = sweep_block(n, in_live_loop);
        if (done.is_empty()) return std::nullopt;
        return done == stmt ? stmt : done;
      },
      [&](const Declare& n) { return n.value ? keep_call(n.var, *n.value) : keep_if(live_.contains(n.var)); },
      [&](const Assign& n) { return keep_call(n.var, n.value); },
      [&](const Store& n) { return keep_if(live_.contains(n.array)); },
      [&](const For& n) -> std::optional<Stmt> {
        if (!live_loops_.contains(&stmt.kind())) return std::nullopt;
        Stmt body = sweep_body(n.body, true);
        return body.same_as(n.body) ? stmt : Stmt(n.with(n.begin, n.end, body));
      },
      [&](const While& n) -> std::optional<Stmt> {
        if (!live_loops_.contains(&stmt.kind())) return std::nullopt;
        Stmt body = sweep_body(n.body, true);
        return body.same_as(n.body) ? stmt : Stmt(While{n.condition, body});
      },
      [&](const If& n) -> std::optional<Stmt> {
        Stmt then = sweep_body(n.then, in_live_loop), otherwise = sweep_body(n.otherwise, in_live_loop);
        if (then.is_empty() && otherwise.is_empty()) return std::nullopt;
        if (then.same_as(n.then) && otherwise.same_as(n.otherwise)) return stmt;
        return if_then(n.condition, then, otherwise);
      },
      [&](const Alloc& n) { return keep_if(live_.contains(n.array)); },
      [&](const Grow& n) { return keep_if(live_.contains(n.array)); },
      [&](const Free& n) { return keep_if(live_.contains(n.var)); },
      [&](const Keep& n) { return keep_if(live_.contains(n.parts)); },
      [&](const Take& n) { return keep_if(live_.contains(n.array)); },
      [&](const Copy& n) { return keep_if(live_.contains(n.to)); }, [&](const Barrier&) { return keep_if(true); },
      [&](const LaneReduce& n) { return keep_if(is_live(n)); },
      [&](const Evaluate& n) { return keep_if(matters(n.call)); }, [&](const Break&) { return keep_if(in_live_loop); },
      [&](const Continue&) { return keep_if(in_live_loop); }, [&](const Return&) { return keep_if(true); },
      [&](const Comment&) { return keep_if(false); });
}

}  // namespace

FunctionDef eliminate_dead_code(const FunctionDef& function) {
  FunctionDef result = function;
  result.body = Eliminator(function).run(function.body);
  return result;
}

}  // namespace filigree::passes
