#include "lower/branch_free.h"

namespace filigree::lowering {
namespace {

/// Is it computed in few steps, none of which can fail?
bool is_simple(const ir::Expr& expr) {
  const ir::Apply* apply = expr.as<ir::Apply>();
  bool simple = !expr.as<ir::Call>() && (!apply || apply->op == Operator::Add || apply->op == Operator::Multiply ||
                                         apply->op == Operator::Subtract || apply->op == Operator::Negate ||
                                         (apply->op == Operator::Max && expr.type() == ElementType::Int64));
  ir::for_each_child(expr, [&](const ir::Expr& child) { simple = simple && is_simple(child); });
  return simple;
}

bool adds_to_itself(const ir::Assign& assign) {
  const ir::Apply* sum = assign.value.as<ir::Apply>();
  ElementType type = assign.var.type().element;
  return sum && sum->op == Operator::Add && is_floating(type) && sum->operands[0] == ir::Expr(assign.var) &&
         sum->operands[1].type() == type && is_simple(sum->operands[1]);
}

/// A step that is done where `condition` holds, as one that is done in any case and then changes nothing.
std::optional<ir::Stmt> in_any_case(const ir::Stmt& step, const ir::Expr& condition) {
  if (const ir::Declare* declared = step.as<ir::Declare>())
    return declared->value && is_simple(*declared->value) ? std::optional(step) : std::nullopt;
  const ir::Assign* assign = step.as<ir::Assign>();
  if (!assign) return std::nullopt;
  if (ir::is_true(assign->value)) return ir::assign(assign->var, ir::either(assign->var, condition));
  if (!adds_to_itself(*assign)) return std::nullopt;
  ir::Var term("term", assign->var.type());
  ir::Expr none = ir::constant(Scalar(term.type().element)),
           counted = ir::Apply{Operator::Select, {condition, term, none}};
  return ir::block({ir::declare(term, assign->value.as<ir::Apply>()->operands[1]),
                    ir::assign(assign->var, ir::Apply{Operator::Add, {assign->var, counted}})});
}

}  // namespace

ir::Stmt without_branches(const ir::Stmt& stmt, const std::optional<ir::Expr>& condition,
                          const ir::Substitution& elsewhere) {
  const ir::If* branch = stmt.as<ir::If>();
  if (!branch) {
    return ir::map_children(
        stmt, [&](const ir::Stmt& child) { return without_branches(child, condition, elsewhere); },
        [](const ir::Expr& expr) { return expr; });
  }
  if (!branch->otherwise.is_empty() || (condition && !(branch->condition == *condition))) return stmt;
  const ir::Block* list = branch->then.as<ir::Block>();
  std::vector<ir::Stmt> code;
  bool adds = false;
  for (const ir::Stmt& step : list ? list->statements : std::vector<ir::Stmt>{branch->then}) {
    std::optional<ir::Stmt> done = in_any_case(ir::substitute(step, elsewhere), branch->condition);
    if (!done) return stmt;
    adds = adds || (step.as<ir::Assign>() && adds_to_itself(*step.as<ir::Assign>()));
    code.push_back(*done);
  }
  return adds ? ir::block(code) : stmt;
}

}  // namespace filigree::lowering
