// An assignment of scalar temporaries that may not have been written: which of them were decides what it does.
//
//   s = t*u      if (t_set && u_set) s = t*u;
//   s = t + u    if (t_set || u_set) s = t + u;                           an unwritten term is 0
//   s = min(t, u)                                                          a case for each set of those that were
//   written
//
// Cases for n of them would be 2^n.  So of an expression with many, parts are computed into variables of their own, and
// the code grows with the expression.
#include <algorithm>

#include "lattice/presence.h"
#include "lower/lowerer.h"
#include "notation/substitute.h"
#include "support/check.h"

namespace filigree::lowering {
namespace {

using concrete::Access;
using concrete::Assign;
using concrete::Expr;

/// Temporaries of order 0 in `expr` that may not have been written.
std::vector<TensorVar> uncertain_temporaries(const Expr& expr, const Scope& scope) {
  std::vector<TensorVar> out;
  for (const Access& access : notation::accesses(expr)) {
    auto scalar = scope.scalars.find(access.tensor);
    if (scalar == scope.scalars.end() || ir::is_true(scalar->second.written)) continue;
    if (std::find(out.begin(), out.end(), access.tensor) == out.end()) out.push_back(access.tensor);
  }
  return out;
}

bool uses(const Expr& expr, const TensorVar& t) {
  std::vector<Access> all = notation::accesses(expr);
  return std::any_of(all.begin(), all.end(), [&](const Access& access) { return access.tensor == t; });
}

/// Is every use of `t` a term of a sum that is the whole expression?
bool is_only_added(const Expr& expr, const TensorVar& t) {
  const notation::Apply* apply = expr.as<notation::Apply>();
  if (!apply) return true;
  bool is_sum = apply->op == Operator::Add || apply->op == Operator::Subtract || apply->op == Operator::Negate ||
                apply->op == Operator::Conjugate;
  return std::all_of(apply->operands.begin(), apply->operands.end(),
                     [&](const Expr& operand) { return is_sum ? is_only_added(operand, t) : !uses(operand, t); });
}

/// Is every use of `t` a term of a sum in which something certain is left, wherever the sum stands?  Then a 0 does not
/// change it: (y - 0)^2 is y^2.
bool is_added_to_others(const Expr& expr, const TensorVar& t, const Scope& scope) {
  const notation::Apply* apply = expr.as<notation::Apply>();
  if (!uses(expr, t) || !apply) return !uses(expr, t);
  const std::vector<Expr>& terms = apply->operands;
  if (apply->op != Operator::Add && apply->op != Operator::Subtract) {
    return std::all_of(terms.begin(), terms.end(),
                       [&](const Expr& operand) { return is_added_to_others(operand, t, scope); });
  }
  // A number does not count: that is what is left of operands that are absent.
  bool leaves_something = std::any_of(terms.begin(), terms.end(), [&](const Expr& term) {
    return !notation::accesses(term).empty() && uncertain_temporaries(term, scope).empty();
  });
  return leaves_something &&
         std::all_of(terms.begin(), terms.end(), [&](const Expr& term) { return is_only_added(term, t); });
}

}  // namespace

/// Does the assignment do the same whether or not the temporaries were written?  An unwritten one must hold
/// its fill already, and then either be a zero that is added to something, or be stored where every
/// component is, over the same value.
bool Lowerer::needs_no_test(const Assign& assign, const std::vector<TensorVar>& uncertain, const Scope& scope) {
  const Access* copied = assign.rhs.as<Access>();
  bool fills_dense = copied && !assign.op && result(assign.lhs.tensor) && assign.lhs.tensor.format().is_dense();
  if (fills_dense && scope.scalars.at(copied->tensor).absorbs) return true;
  for (const TensorVar& t : uncertain) {
    if (!scope.scalars.at(t).starts_at_fill) return false;
  }
  if (copied) {
    return !assign.op && result(assign.lhs.tensor) && assign.lhs.tensor.format().is_dense() &&
           copied->tensor.fill() == assign.lhs.tensor.fill();
  }
  std::vector<Access> all = notation::accesses(assign.rhs);
  auto is_uncertain = [&](const Access& access) {
    return std::find(uncertain.begin(), uncertain.end(), access.tensor) != uncertain.end();
  };
  bool others = !std::all_of(all.begin(), all.end(), is_uncertain);
  return others && std::all_of(uncertain.begin(), uncertain.end(), [&](const TensorVar& t) {
           return t.fill().is_zero() && (is_only_added(assign.rhs, t) || is_added_to_others(assign.rhs, t, scope));
         });
}

/// Is every one a term of a sum, 0 if it was not written?  Then the sum is the same with it or without.
bool Lowerer::adds_zeros(const Assign& assign, const std::vector<TensorVar>& uncertain, const Scope& scope) const {
  return std::all_of(uncertain.begin(), uncertain.end(), [&](const TensorVar& t) {
    return scope.scalars.at(t).starts_at_fill && t.fill().is_zero() && is_only_added(assign.rhs, t);
  });
}

/// Computes an operation on two or more of them into a variable of its own, which is then one of them.
Expr Lowerer::in_steps(const Expr& expr, Scope& scope, std::vector<ir::Stmt>& code) {
  if (!expr.as<notation::Apply>()) return expr;
  Expr shorter = notation::map_children(expr, [&](const Expr& operand) {
    Expr part = in_steps(operand, scope, code);
    std::vector<TensorVar> uncertain = uncertain_temporaries(part, scope);
    if (uncertain.size() < 2) return part;
    Expr absent = notation::substitute_fill(part, [&](const Access& access) {
      return std::find(uncertain.begin(), uncertain.end(), access.tensor) != uncertain.end();
    });
    const notation::Literal* fill = absent.as<notation::Literal>();
    if (!fill) return part;  // it also depends on what is there
    TensorVar step = TensorVar::optional_scalar("step", part.type(), fill->value.cast(part.type()));
    ir::Var value("step", ir::scalar(part.type())), written = ir::bool_var("step_set");
    scope.scalars.insert({step, ScalarTemporary{value, written, true, false}});
    code.push_back(ir::declare(value, ir::constant(step.fill())));
    code.push_back(ir::declare(written, ir::boolean(false)));
    code.push_back(lower_uncertain(Assign{Access{step, {}}, std::nullopt, part}, scope).code);
    return Expr(Access{step, {}});
  });
  return shorter;
}

Lowered Lowerer::lower_uncertain(const Assign& assign, const Scope& scope) {
  std::vector<TensorVar> uncertain = uncertain_temporaries(assign.rhs, scope);
  if (uncertain.empty() || needs_no_test(assign, uncertain, scope)) return lower_certain(assign, scope);
  // What there is to do where nothing was written: the kernel ends, if something must be.
  const Result* written = result(assign.lhs.tensor);
  bool ends = written && written->needs_value();
  ir::Stmt nothing = ends ? ir::Stmt(ir::Return{ir::Status::PatternMismatch}) : ir::Stmt();
  auto is_uncertain = [&](const Access& access) {
    return std::find(uncertain.begin(), uncertain.end(), access.tensor) != uncertain.end();
  };
  auto if_written = [&](const ir::Expr& condition, const Lowered& done) {
    return ends ? ir::block({ir::if_then(ir::negate(condition), nothing), done.code})
                : ir::if_then(condition, done.code, nothing);
  };
  if (uncertain.size() > 1 && adds_zeros(assign, uncertain, scope)) {
    Lowered done = lower_certain(assign, scope);
    // Without any of them, the fill may be all that there is to do, which leaves no note that something was written.
    std::optional<concrete::Stmt> left = lattice::without_absent(concrete::Stmt(assign), is_uncertain);
    bool takes_fill = left && absorbs_fill(*left->as<Assign>(), scope);
    if (left && !takes_fill) return done;
    if (takes_fill) {
      nothing = lower_certain(*left->as<Assign>(), scope).code;
      ends = false;
    }
    ir::Expr any = scope.scalars.at(uncertain[0]).written;
    for (size_t k = 1; k < uncertain.size(); k++) any = ir::either(any, scope.scalars.at(uncertain[k]).written);
    return {if_written(any, done)};
  }
  if (uncertain.size() > static_cast<size_t>(plan_.cases.asked_together)) {
    Scope inner = scope;
    std::vector<ir::Stmt> code;
    Expr shorter = in_steps(assign.rhs, inner, code);
    if (!code.empty()) {
      Lowered rest = lower_uncertain(assign.with(assign.lhs, shorter), inner);
      code.push_back(rest.code);
      return {ir::block(code), rest.certain};
    }
  }

  auto operand_of = [&](const Access& access) {
    auto found = std::find(uncertain.begin(), uncertain.end(), access.tensor);
    return found == uncertain.end() ? -1 : static_cast<int>(found - uncertain.begin());
  };
  std::optional<ir::Stmt> code;  // none: nothing to do
  bool certain = false;
  std::vector<unsigned> sets = lattice::presence_sets(assign.rhs, operand_of);
  for (auto present = sets.rbegin(); present != sets.rend(); ++present) {  // the innermost else first
    std::optional<concrete::Stmt> left = lattice::without_absent(concrete::Stmt(assign), [&](const Access& access) {
      int operand = operand_of(access);
      return operand >= 0 && !(*present >> operand & 1);
    });
    ir::Expr condition = ir::boolean(true);
    for (size_t k = 0; k < uncertain.size(); k++) {
      if (*present >> k & 1) condition = ir::both(condition, scope.scalars.at(uncertain[k]).written);
    }
    if (!left) {  // nothing to do, and not what there is to do where fewer are written
      if (code) code = ir::if_then(condition, nothing, *code);
      continue;
    }
    Assign simplified = *left->as<Assign>();
    Lowered done = lower_certain(simplified, scope);
    certain |= *present == 0 && done.certain;
    code = code ? ir::if_then(condition, done.code, *code) : if_written(condition, done);
  }
  return {code.value_or(nothing), certain};
}

}  // namespace filigree::lowering
