#include "lower/branch_free.h"

#include <algorithm>

namespace filigree::lowering {

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

namespace {

/// What is done where a condition holds, and what may be done where it does not.
struct Branch {
  std::vector<ir::Stmt> steps;
  ir::Expr condition;
  ir::Substitution elsewhere;
  bool has_room;  // to store where the next entry goes

  bool counts_up(const ir::Stmt& step) const {
    const ir::Assign* assign = step.as<ir::Assign>();
    return has_room && assign && step == ir::increment(assign->var);
  }
  /// Is it an index that is counted up with what is stored there?
  bool is_next(const ir::Expr& index) const {
    const ir::VarRef* at = index.as<ir::VarRef>();
    return at && std::any_of(steps.begin(), steps.end(), [&](const ir::Stmt& step) {
             return counts_up(step) && step.as<ir::Assign>()->var == at->var;
           });
  }
  bool does_something(const ir::Stmt& step) const {
    return counts_up(step) || (step.as<ir::Assign>() && adds_to_itself(*step.as<ir::Assign>()));
  }
};

/// A step that is done where the condition holds, as one that is done in any case and then changes nothing.
std::optional<ir::Stmt> in_any_case(const ir::Stmt& step, const Branch& branch) {
  const ir::Expr& condition = branch.condition;
  if (const ir::Declare* declared = step.as<ir::Declare>())
    return declared->value && is_simple(*declared->value) ? std::optional(step) : std::nullopt;
  if (const ir::Store* store = step.as<ir::Store>()) {
    bool is_written_over = !store->atomic && branch.is_next(store->index) && is_simple(store->value);
    return is_written_over ? std::optional(step) : std::nullopt;
  }
  const ir::Assign* assign = step.as<ir::Assign>();
  if (!assign) return std::nullopt;
  if (branch.counts_up(step))
    return ir::assign(assign->var, ir::add(assign->var, ir::convert(condition, ElementType::Int64)));
  if (ir::is_true(assign->value)) return ir::assign(assign->var, ir::either(assign->var, condition));
  if (!adds_to_itself(*assign)) return std::nullopt;
  ir::Var term("term", assign->var.type());
  ir::Expr none = ir::constant(Scalar(term.type().element)),
           counted = ir::Apply{Operator::Select, {condition, term, none}};
  return ir::block({ir::declare(term, assign->value.as<ir::Apply>()->operands[1]),
                    ir::assign(assign->var, ir::Apply{Operator::Add, {assign->var, counted}})});
}

std::optional<ir::Stmt> in_any_case(const Branch& branch) {
  std::vector<ir::Stmt> code;
  for (const ir::Stmt& step : branch.steps) {
    std::optional<ir::Stmt> done = in_any_case(ir::substitute(step, branch.elsewhere), branch);
    if (!done) return std::nullopt;
    code.push_back(*done);
  }
  bool is_worth_it = std::any_of(branch.steps.begin(), branch.steps.end(),
                                 [&](const ir::Stmt& step) { return branch.does_something(step); });
  return is_worth_it ? std::optional(ir::block(code)) : std::nullopt;
}

ir::Stmt rewritten(const ir::Stmt& stmt, const std::optional<ir::Expr>& condition, const ir::Substitution& elsewhere,
                   bool has_room) {
  const ir::If* branch = stmt.as<ir::If>();
  if (!branch) {
    return ir::map_children(
        stmt, [&](const ir::Stmt& child) { return rewritten(child, condition, elsewhere, has_room); },
        [](const ir::Expr& expr) { return expr; });
  }
  if (!branch->otherwise.is_empty() || (condition && !(branch->condition == *condition))) return stmt;
  const ir::Block* list = branch->then.as<ir::Block>();
  Branch found{list ? list->statements : std::vector<ir::Stmt>{branch->then}, branch->condition, elsewhere, has_room};
  return in_any_case(found).value_or(stmt);
}

}  // namespace

ir::Stmt without_branches(const ir::Stmt& stmt, const std::optional<ir::Expr>& condition,
                          const ir::Substitution& elsewhere) {
  return rewritten(stmt, condition, elsewhere, false);
}

ir::Stmt append_without_branches(const ir::Stmt& stmt) { return rewritten(stmt, {}, {}, true); }

}  // namespace filigree::lowering
