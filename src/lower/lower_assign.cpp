// access op= expr: values, and the store.
#include <algorithm>

#include "lower/insertion.h"
#include "lower/lowerer.h"
#include "plan/written.h"
#include "support/check.h"

namespace filigree::lowering {
namespace {

using concrete::Access;
using concrete::Assign;
using concrete::Expr;

/// An operator on operands converted to the types it is computed in.
ir::Expr operation(Operator op, const std::vector<ir::Expr>& operands) {
  std::vector<ElementType> types;
  for (const ir::Expr& operand : operands) types.push_back(operand.type());
  std::vector<ir::Expr> converted;
  for (size_t n = 0; n < operands.size(); n++)
    converted.push_back(ir::convert(operands[n], operand_type(op, static_cast<int>(n), types)));
  return ir::Apply{op, converted};
}

/// The value combined by `op` with what is there.
ir::Expr combined(Operator op, const ir::Expr& current, const ir::Expr& value) {
  return operation(op, {current, value});
}

/// A condition, or several of them, where present.
bool holds(const Expr& expr) {
  if (const Access* access = expr.as<Access>()) return access->tensor.condition() || access->tensor.selection();
  const notation::Apply* apply = expr.as<notation::Apply>();
  return apply && (apply->op == Operator::And || apply->op == Operator::Multiply) &&
         std::all_of(apply->operands.begin(), apply->operands.end(), holds);
}

/// The other operand of an operation that does nothing where a condition holds, as a product with it.
std::optional<Expr> beside_condition(const Expr& expr, const notation::Apply& apply) {
  for (size_t n = 0; n < apply.operands.size() && apply.operands.size() == 2; n++) {
    const Expr& other = apply.operands[1 - n];
    bool neutral = holds(apply.operands[n]) &&
                   is_neutral(apply.op, static_cast<int>(n), Scalar::boolean(true), expr.type());
    if (neutral && other.type() == expr.type()) return other;
  }
  return std::nullopt;
}

}  // namespace

ir::Stmt Lowerer::lower_assign(const Assign& assign, const plan::Assign& how, const Scope& scope) {
  if (assign.unless_equal) {
    const auto& [a, b] = *assign.unless_equal;
    return ir::if_then(ir::not_equal(scope.coordinates.at(a), scope.coordinates.at(b)),
                       lower_assign(plan::anywhere(assign), how, scope));
  }
  if (assign.drops_fill) {
    ir::Var value("value", ir::scalar(assign.rhs.type()));
    return ir::block({ir::declare(value, lower_expr(assign.rhs, scope)),
                      ir::if_then(differs(ir::convert(value, assign.lhs.tensor.type()), assign.lhs.tensor.fill()),
                                  write(assign.lhs, assign.op, value, scope))});
  }
  if (how.cases.empty()) return lower_present(assign, scope);
  Scope inner = scope;
  std::vector<ir::Stmt> code;
  for (const plan::Step& step : how.steps) {
    ir::Var value(step.var.name(), ir::scalar(step.var.type())), written = ir::bool_var(step.var.name() + "_set");
    inner.scalars.insert({step.var, ScalarTemporary{value, written}});
    code.push_back(ir::declare(value, ir::constant(step.var.fill())));
    code.push_back(ir::declare(written, ir::boolean(false)));
    code.push_back(lower_cases(step.cases, inner, {}));
  }
  // Where there is nothing to do, the kernel ends if something must be.
  const Result* result = this->result(assign.lhs.tensor);
  bool ends = result && result->needs_value();
  code.push_back(lower_cases(how.cases, inner, ends ? ir::Stmt(ir::Return{ir::Status::PatternMismatch}) : ir::Stmt()));
  return ir::block(code);
}

ir::Stmt Lowerer::lower_cases(const std::vector<plan::Case>& cases, const Scope& scope, const ir::Stmt& otherwise) {
  ir::Stmt code = otherwise;
  for (auto one = cases.rbegin(); one != cases.rend(); ++one) {
    ir::Expr condition = ir::boolean(true);
    for (size_t n = 0; n < one->written.size(); n++) {
      const ir::Expr& written = scope.scalars.at(one->written[n]).written;
      condition = one->any && n > 0 ? ir::either(condition, written) : ir::both(condition, written);
    }
    bool is_last = one == cases.rbegin();
    if (is_last && !one->does) continue;
    ir::Stmt done = one->does ? lower_present(*one->does, scope) : otherwise;
    // What ends the kernel needs no else.
    code = is_last && !otherwise.is_empty() ? ir::block({ir::if_then(ir::negate(condition), otherwise), done})
                                            : ir::if_then(condition, done, code);
  }
  return code;
}

ir::Stmt Lowerer::lower_present(const Assign& assign, const Scope& scope) {
  ir::Expr value = lower_expr(assign.rhs, scope);
  // What is absent counts for the value of a scalar but makes nothing present.
  auto scalar = plan::only_absorbs(assign) ? scope.scalars.find(assign.lhs.tensor) : scope.scalars.end();
  if (scalar != scope.scalars.end())
    return ir::assign(scalar->second.value, combined(*assign.op, scalar->second.value, value));
  if (assign.prunes) {
    internal_check(!assign.op, "lower", "a component is left out before all of it has come", assign.lhs.tensor.name());
    ir::Var kept("value", ir::scalar(assign.lhs.tensor.type()));
    return ir::block({ir::declare(kept, ir::convert(value, assign.lhs.tensor.type())),
                      ir::if_then(differs(kept, assign.lhs.tensor.fill()), write(assign.lhs, assign.op, kept, scope))});
  }
  return write(assign.lhs, assign.op, value, scope, plan::copies_whole_nodes(assign, plan_.fillings));
}

ir::Stmt Lowerer::write(const Access& lhs, std::optional<Operator> op, const ir::Expr& value, const Scope& scope,
                        bool whole) {
  auto with_current = [&](const ir::Expr& current) { return op ? combined(*op, current, value) : value; };
  if (auto scalar = scope.scalars.find(lhs.tensor); scalar != scope.scalars.end()) {
    const ScalarTemporary& t = scalar->second;
    // Nothing that comes can change the value any more.
    std::optional<Scalar> last = op && scope.may_leave ? final_value(*op, lhs.tensor.type()) : std::nullopt;
    ir::Stmt leave;
    if (last) {
      bool truth = lhs.tensor.type() == ElementType::Bool;
      leave = ir::if_then(!truth            ? ir::equal(t.value, ir::constant(*last))
                          : last->as_bool() ? ir::Expr(t.value)
                                            : ir::negate(t.value),
                          ir::Break{});
    }
    return ir::block({ir::assign(t.value, with_current(t.value)),
                      ir::assign(t.written.as<ir::VarRef>()->var, ir::boolean(true)), leave});
  }
  Write component{lhs, scope, op, value, with_current, whole};
  if (auto other = scope.writers.find(lhs.tensor); other != scope.writers.end()) return other->second->write(component);
  if (const Result* r = result(lhs.tensor)) return r->write(component);
  return workspaces_.at(lhs.tensor)->write(component);
}

ir::Expr Lowerer::position_of(const Access& access, const Scope& scope) const {
  if (access.tensor.order() == 0) return ir::integer(0);
  auto position = scope.positions.find(lattice::operand_at(access, access.tensor.order() - 1));
  internal_check(position != scope.positions.end(), "lower", "an operand is read before its last level is reached",
                 notation::to_string(access));
  return position->second;
}

ir::Expr Lowerer::lower_expr(const Expr& expr, const Scope& scope) {
  return match(
      expr, [&](const notation::Literal& n) { return ir::constant(n.value); },
      [&](const notation::Coordinate& n) { return scope.coordinates.at(n.var); },
      [&](const Access& n) -> ir::Expr {
        if (n.tensor.condition() || n.tensor.selection()) return ir::boolean(true);  // where it is present
        auto scalar = scope.scalars.find(n.tensor);
        if (scalar != scope.scalars.end()) return scalar->second.value;
        if (n.tensor.order() > 0) {
          auto padded = scope.padded.find(lattice::operand_at(n, n.tensor.order() - 1));
          if (padded != scope.padded.end()) return padded->second;
        }
        return ir::Load{values(n.tensor), position_of(n, scope)};
      },
      [&](const notation::Apply& n) -> ir::Expr {
        if (std::optional<Expr> other = beside_condition(expr, n)) return lower_expr(*other, scope);
        std::vector<ir::Expr> operands;
        for (const Expr& operand : n.operands) operands.push_back(lower_expr(operand, scope));
        return operation(n.op, operands);
      },
      [&](const notation::Reduce&) -> ir::Expr {
        throw InternalError("lower", "a reduction is left in an assignment", notation::to_string(expr));
      });
}

}  // namespace filigree::lowering
