#include "notation/assignment.h"

#include <algorithm>

#include <fmt/format.h>

#include "notation/index_forms.h"
#include "notation/injective.h"
#include "notation/literals.h"
#include "notation/substitute.h"
#include "notation/use_names.h"

namespace filigree::notation {

bool reads_result(const Statement& statement) {
  std::vector<Access> all = accesses(statement.rhs);
  return std::any_of(all.begin(), all.end(),
                     [&](const Access& access) { return access.tensor.name() == statement.lhs.tensor.name(); });
}

Expr combined_with_old(const Statement& statement) {
  Expr combined(Apply{*statement.op, {Expr(statement.lhs, statement.lhs_span), statement.rhs}}, statement.rhs.span());
  return statement.rhs.as<Literal>() ? type_literals(combined, statement.source) : combined;
}

Statement with_old_value(const Statement& statement) {
  if (!statement.op) return statement;
  if (has_maps(statement.lhs)) {
    UserError error =
        UserError(fmt::format("'{}' is a part of '{}' only: one kernel does not update an old value there",
                              to_string(statement.lhs), statement.lhs.tensor.name()))
            .hint("compile it as a Program, which does it in steps");
    if (statement.source) throw std::move(error).at(statement.source, statement.lhs_span);
    throw error;
  }
  Statement assigned = statement;
  assigned.op = std::nullopt;
  assigned.rhs = combined_with_old(statement);
  return assigned;
}

namespace {

/// Minus what is subtracted, in a type that has room for it: minus a uint32 is none, but an int64 can hold it.
Expr negated_for(const TensorVar& left, const Expr& rhs) {
  ElementType type = promote(left.type(), rhs.type());
  bool widens = is_integer(rhs.type()) && type != rhs.type();
  // Adding a zero of that type converts it.
  Expr wide = widens ? Expr(Apply{Operator::Add, {Expr(Literal{Scalar(type)}), rhs}}, rhs.span()) : rhs;
  return Expr(Apply{Operator::Negate, {wide}}, rhs.span());
}

}  // namespace

Statement as_assignment(const Statement& statement) {
  if (!statement.op) return statement;
  if (reads_result(statement)) return with_old_value(statement);
  bool combines = *statement.op != Operator::Divide;  // else every component gets one value, or the extents are refused
  if (combines && !is_injective(statement.lhs)) return statement;  // its values are combined with each other
  Statement assigned = statement;
  assigned.op = std::nullopt;
  const Expr& rhs = statement.rhs;
  if (statement.op == Operator::Subtract) assigned.rhs = negated_for(statement.lhs.tensor, rhs);
  if (statement.op == Operator::Divide) {
    ElementType type = rhs.type() == ElementType::Bool ? ElementType::Int64 : rhs.type();
    assigned.rhs = Expr(Apply{Operator::Divide, {Expr(Literal{Scalar::of(type, std::int64_t{1})}), rhs}}, rhs.span());
  }
  // What has no fill of its own takes the value it starts from.
  const TensorVar& left = statement.lhs.tensor;
  std::optional<Scalar> start = identity(*statement.op, left.type());
  if (start && left.fill().is_zero() && (has_maps(statement.lhs) || !fill_of(assigned.rhs))) {
    assigned.lhs.tensor = TensorVar(left.name(), left.type(), left.format(), *start);
  }
  return assigned;
}

WithOldTensor with_old_tensor(const Statement& statement, FreshNames names) {
  if (!reads_result(statement)) return {statement, std::nullopt};
  use_names(names, statement);
  const TensorVar& tensor = statement.lhs.tensor;
  std::string name = names.make(tensor.name() + "_old");
  std::optional<TensorVar> old;  // an earlier statement may have given it another type, format and fill
  std::function<Expr(const Expr&)> renamed = [&](const Expr& expr) -> Expr {
    const Access* access = expr.as<Access>();
    if (!access) return map_children(expr, renamed);
    if (access->tensor.name() != tensor.name()) return expr;
    if (!old) old.emplace(name, access->tensor.type(), access->tensor.format(), access->tensor.fill());
    return Expr(Access{*old, access->indices}, expr.span());
  };
  Statement split = statement;
  split.rhs = renamed(statement.rhs);
  return {split, old};
}

std::optional<Operator> accumulation(const Statement& assignment) {
  bool additive = assignment.op == Operator::Add || assignment.op == Operator::Subtract;
  if (additive && !is_injective(assignment.lhs)) return Operator::Add;
  return additive ? std::nullopt : assignment.op;
}

Expr signed_right_side(const Statement& assignment) {
  return assignment.op == Operator::Subtract ? negated_for(assignment.lhs.tensor, assignment.rhs) : assignment.rhs;
}

Scalar result_fill(const Statement& assignment) {
  const TensorVar& declared = assignment.lhs.tensor;
  if (std::optional<Operator> op = accumulation(assignment))
    return identity(*op, declared.type()).value_or(declared.fill());
  if (has_maps(assignment.lhs))
    return declared.fill().cast(declared.type());  // also where nothing is written, whatever is assigned elsewhere
  return fill_of(signed_right_side(assignment)).value_or(declared.fill()).cast(declared.type());
}

}  // namespace filigree::notation
