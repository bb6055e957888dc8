#include "passes/settle_bounds.h"

#include "passes/linear_facts.h"
#include "ir/rewrite.h"
#include "ir/simplify_expression.h"
#include "passes/simplify.h"

namespace filigree::passes {

using namespace ir;
namespace {

/// Variables that get another value after they were declared, or are declared with several.
VarSet changing(const Stmt& body) {
  VarSet changed;
  std::vector<Stmt> left = {body};
  while (!left.empty()) {
    Stmt stmt = left.back();
    left.pop_back();
    if (const Assign* assigned = stmt.as<Assign>()) changed.insert(assigned->var);
    if (const LaneReduce* reduced = stmt.as<LaneReduce>()) {
      changed.insert(reduced->result);
      if (reduced->segments) changed.insert(reduced->segments->first);
    }
    for_each_child(stmt, [&](const Stmt& child) { left.push_back(child); }, [](const Expr&) {});
  }
  return changed;
}

bool ends_block(const Stmt& stmt) {
  if (const Block* list = stmt.as<Block>()) return !list->statements.empty() && ends_block(list->statements.back());
  return stmt.as<Break>() || stmt.as<Continue>() || stmt.as<Return>();
}

/// Does it leave the loop that it is in, or go on with it?
bool jumps(const Stmt& stmt) {
  if (stmt.as<For>() || stmt.as<While>()) return false;
  bool found = stmt.as<Break>() || stmt.as<Continue>();
  for_each_child(stmt, [&](const Stmt& child) { found = found || jumps(child); }, [](const Expr&) {});
  return found;
}

class Settler {
 public:
  explicit Settler(const FunctionDef& function) : changing_(changing(function.body)) {
    for (const Parameter& parameter : function.parameters) {
      bool size = parameter.binding.part == Binding::Part::Dimension || parameter.binding.part == Binding::Part::Count;
      if (!size || parameter.var.type() != scalar(ElementType::Int64) || changing_.contains(parameter.var)) continue;
      facts_.know(parameter.var, true);
      facts_.add_at_most(integer(0), parameter.var);
    }
  }

  Stmt statement(const Stmt& stmt) {
    return match(
        stmt, [&](const Block& n) { return list(n, stmt); }, [&](const Declare& n) { return declaration(n, stmt); },
        [&](const For& n) { return loop(n); },
        [&](const While& n) {
          Expr condition = expression(n.condition);
          return Stmt(While{condition, inside(n.body, [&] { facts_.add(condition); })});
        },
        [&](const If& n) {
          Expr condition = expression(n.condition);
          if (is_true(condition)) return inside(n.then, [] {});
          if (is_false(condition)) return inside(n.otherwise, [] {});
          Stmt then = inside(n.then, [&] { facts_.add(condition); }),
               otherwise = inside(n.otherwise, [&] { facts_.add(condition, false); });
          return if_then(condition, then, otherwise);
        },
        [&](const auto&) {
          return map_children(
              stmt, [&](const Stmt& child) { return statement(child); },
              [&](const Expr& child) { return expression(child); });
        });
  }

 private:
  /// With what is known there alone.
  template <class Enter>
  Stmt inside(const Stmt& body, const Enter& enter) {
    LinearFacts around = facts_;
    enter();
    Stmt done = statement(body);
    facts_ = std::move(around);
    return done;
  }

  Stmt list(const Block& n, const Stmt& stmt) {
    std::vector<Stmt> out;
    bool changed = false;
    for (const Stmt& child : n.statements) {
      out.push_back(statement(child));
      changed = changed || !out.back().same_as(child);
      // What comes after a question that leaves is for the other case.
      const If* question = out.back().as<If>();
      if (question && question->otherwise.is_empty() && ends_block(question->then))
        facts_.add(question->condition, false);
    }
    return changed ? block(std::move(out)) : stmt;
  }

  Stmt declaration(const Declare& n, const Stmt& stmt) {
    facts_.forget(n.var);
    if (!n.value) return stmt;
    Expr value = expression(*n.value);
    if (!changing_.contains(n.var) && n.var.type() == scalar(ElementType::Int64)) {
      bool reads_itself = false;
      for_each_read(value, [&](const Var& read) { reads_itself = reads_itself || read == n.var; });
      if (!reads_itself) {
        facts_.know(n.var, facts_.is_index(value));
        facts_.add_at_most(n.var, value), facts_.add_at_most(value, n.var);
      }
    }
    return Declare{n.var, value};
  }

  Stmt loop(const For& n) {
    Expr begin = expression(n.begin), end = expression(n.end);
    const bool serial = n.loop == LoopKind::Serial && n.unrolled == 0;
    if (serial && facts_.at_most(end, begin)) return Stmt();
    const bool once = serial && runs_at_most_once(begin, end) && !changing_.contains(n.var) && !jumps(n.body);
    Stmt body = inside(n.body, [&] {
      facts_.forget(n.var);
      if (changing_.contains(n.var)) return;
      facts_.know(n.var, true);
      facts_.add_at_most(begin, n.var), facts_.add_at_most(n.var, end, 1);
    });
    if (!once) return n.with(begin, end, body);
    Expr runs = expression(less(begin, end));
    return if_then(runs, block({declare(n.var, begin), body}));
  }

  /// Of a range from a known number that is longer, the compiler makes what it is.
  bool runs_at_most_once(const Expr& begin, const Expr& end) const {
    return !begin.as<Literal>() && facts_.at_most(end, add(begin, integer(1)));
  }

  Expr expression(const Expr& expr) {
    if (expr.as<Literal>() || expr.as<VarRef>()) return expr;
    Expr done = map_children(expr, [&](const Expr& child) { return expression(child); });
    const Apply* apply = done.as<Apply>();
    if (!apply || apply->operands.size() != 2 || apply->operands[0].type() != ElementType::Int64 ||
        apply->operands[1].type() != ElementType::Int64)
      return done;
    const Expr &a = apply->operands[0], &b = apply->operands[1];
    switch (apply->op) {
      case Operator::Min: return facts_.at_most(a, b) ? a : facts_.at_most(b, a) ? b : done;
      case Operator::Max: return facts_.at_most(a, b) ? b : facts_.at_most(b, a) ? a : done;
      case Operator::Less: return settled(a, b, 1, done);
      case Operator::LessEqual: return settled(a, b, 0, done);
      case Operator::Greater: return settled(b, a, 1, done);
      case Operator::GreaterEqual: return settled(b, a, 0, done);
      default: return done;
    }
  }

  /// a + difference <= b
  Expr settled(const Expr& a, const Expr& b, std::int64_t difference, const Expr& open) const {
    if (facts_.at_most(a, b, difference)) return boolean(true);
    if (facts_.at_most(b, a, 1 - difference)) return boolean(false);
    // Below a minimum: what is below one side for certain is to be below the other.
    Expr low = without(a, Operator::Max, [&](const Expr& each) { return facts_.at_most(each, b, difference); }),
         high = without(b, Operator::Min, [&](const Expr& each) { return facts_.at_most(a, each, difference); });
    if (low.same_as(a) && high.same_as(b)) return open;
    return difference == 1 ? less(low, high) : greater_equal(high, low);
  }
  template <class Certain>
  static Expr without(const Expr& expr, Operator op, const Certain& certain) {
    const Apply* apply = expr.as<Apply>();
    if (!apply || apply->op != op || apply->operands.size() != 2) return expr;
    return certain(apply->operands[0]) ? apply->operands[1] : certain(apply->operands[1]) ? apply->operands[0] : expr;
  }

  VarSet changing_;
  LinearFacts facts_;
};

}  // namespace

FunctionDef settle_bounds(const FunctionDef& function) {
  Stmt body = Settler(function).statement(function.body);
  if (body == function.body) return function;
  FunctionDef result = function;
  result.body = body;
  return simplify(result);
}

}  // namespace filigree::passes
