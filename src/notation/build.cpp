#include "notation/build.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "notation/check.h"
#include "notation/parse.h"
#include "notation/parse_errors.h"
#include "notation/syntax.h"

namespace filigree {
namespace {

using notation::Access;
using notation::Apply;
using notation::Expr;
using notation::Reduce;

Access make_access(const TensorVar& tensor, std::vector<IndexVar> indices) {
  int order = tensor.order(), count = static_cast<int>(indices.size());
  if (count != order) throw notation::wrong_number_of_indices(tensor.name(), order, count);
  return Access{tensor, std::move(indices)};
}

int checked_depth(int depth) {
  if (depth > notation::max_depth) throw notation::too_many_operators();
  return depth;
}

}  // namespace

Term Term::apply(Operator op, const std::vector<Term>& operands) {
  std::vector<Expr> exprs;
  int depth = 0;
  for (const Term& operand : operands) {
    exprs.push_back(operand.expr_);
    depth = std::max(depth, operand.depth_);
  }
  return Term(Expr(Apply{op, std::move(exprs)}), checked_depth(depth + 1));
}

Term Term::reduce(Operator op, const std::vector<IndexVar>& vars, const Term& body) {
  if (vars.empty()) return body;
  for (const IndexVar& var : vars) {
    if (var.map())
      throw UserError(fmt::format("A reduction is over index variables, not over {}",
                                  to_string(*var.map(), [](const IndexVar& v) { return v.name(); })));
  }
  return Term(Expr(Reduce{op, vars, body.expr_}), checked_depth(body.depth_ + 1));
}

Term::Term(const TensorVar& scalar) : expr_(make_access(scalar, {})) {}

Term::Term(std::size_t value) : Term(Scalar::of(ElementType::Int64, static_cast<std::int64_t>(value))) {
  if (value > static_cast<std::size_t>(std::numeric_limits<std::int64_t>::max())) {
    throw UserError(fmt::format("The number '{}' is too large for a 64-bit integer", value))
        .hint("convert it to double for a floating-point number");
  }
}

IndexedTensor::IndexedTensor(const TensorVar& tensor, std::vector<IndexVar> indices)
    : Term(Expr(make_access(tensor, std::move(indices)))) {}

notation::Statement IndexedTensor::assign(std::optional<Operator> op, const Term& right) const {
  bool assigns = !op || can_reduce(*op) || *op == Operator::Subtract || *op == Operator::Divide;
  if (!assigns) throw notation::unknown_assignment(std::string(facts(*op).symbol) + "=");
  return notation::complete(notation::Statement{*expr().as<Access>(), op, right.expr()});
}

notation::Statement IndexedTensor::assign(std::optional<Operator> op, const Pruned& right) const {
  notation::Statement statement = assign(op, right.right);
  statement.prunes = true;
  return statement;
}

notation::Statement TensorVar::operator=(const Term& right) const { return IndexedTensor(*this, {}) = right; }
notation::Statement TensorVar::operator+=(const Term& right) const { return IndexedTensor(*this, {}) += right; }
notation::Statement TensorVar::operator-=(const Term& right) const { return IndexedTensor(*this, {}) -= right; }
notation::Statement TensorVar::operator*=(const Term& right) const { return IndexedTensor(*this, {}) *= right; }
notation::Statement TensorVar::operator/=(const Term& right) const { return IndexedTensor(*this, {}) /= right; }

Term operator+(const Term& a, const Term& b) { return Term::apply(Operator::Add, {a, b}); }
Term operator-(const Term& a, const Term& b) { return Term::apply(Operator::Subtract, {a, b}); }
Term operator*(const Term& a, const Term& b) { return Term::apply(Operator::Multiply, {a, b}); }
Term operator/(const Term& a, const Term& b) { return Term::apply(Operator::Divide, {a, b}); }
Term operator%(const Term& a, const Term& b) { return Term::apply(Operator::Remainder, {a, b}); }
Term operator-(const Term& a) { return Term::apply(Operator::Negate, {a}); }
Term operator==(const Term& a, const Term& b) { return Term::apply(Operator::Equal, {a, b}); }
Term operator!=(const Term& a, const Term& b) { return Term::apply(Operator::NotEqual, {a, b}); }
Term operator<(const Term& a, const Term& b) { return Term::apply(Operator::Less, {a, b}); }
Term operator<=(const Term& a, const Term& b) { return Term::apply(Operator::LessEqual, {a, b}); }
Term operator>(const Term& a, const Term& b) { return Term::apply(Operator::Greater, {a, b}); }
Term operator>=(const Term& a, const Term& b) { return Term::apply(Operator::GreaterEqual, {a, b}); }
Term operator&&(const Term& a, const Term& b) { return Term::apply(Operator::And, {a, b}); }
Term operator||(const Term& a, const Term& b) { return Term::apply(Operator::Or, {a, b}); }
Term operator!(const Term& a) { return Term::apply(Operator::Not, {a}); }
Term exclusive_or(const Term& a, const Term& b) { return Term::apply(Operator::Xor, {a, b}); }
Term floor_divide(const Term& a, const Term& b) { return Term::apply(Operator::FloorDivide, {a, b}); }
Term pow(const Term& a, const Term& b) { return Term::apply(Operator::Power, {a, b}); }
Term min(const Term& a, const Term& b) { return Term::apply(Operator::Min, {a, b}); }
Term max(const Term& a, const Term& b) { return Term::apply(Operator::Max, {a, b}); }
Term abs(const Term& a) { return Term::apply(Operator::Abs, {a}); }
Term sqrt(const Term& a) { return Term::apply(Operator::Sqrt, {a}); }
Term exp(const Term& a) { return Term::apply(Operator::Exp, {a}); }
Term log(const Term& a) { return Term::apply(Operator::Log, {a}); }
Term sin(const Term& a) { return Term::apply(Operator::Sin, {a}); }
Term cos(const Term& a) { return Term::apply(Operator::Cos, {a}); }
Term tanh(const Term& a) { return Term::apply(Operator::Tanh, {a}); }
Term sign(const Term& a) { return Term::apply(Operator::Sign, {a}); }
Term relu(const Term& a) { return Term::apply(Operator::Relu, {a}); }
Term floor(const Term& a) { return Term::apply(Operator::Floor, {a}); }
Term ceil(const Term& a) { return Term::apply(Operator::Ceil, {a}); }
Term conj(const Term& a) { return Term::apply(Operator::Conjugate, {a}); }
Term real(const Term& a) { return Term::apply(Operator::Real, {a}); }
Term imag(const Term& a) { return Term::apply(Operator::Imag, {a}); }
Term select(const Term& condition, const Term& a, const Term& b) {
  return Term::apply(Operator::Select, {condition, a, b});
}

Term call(Operator function, const std::vector<Term>& operands) {
  int arity = facts(function).arity, count = static_cast<int>(operands.size());
  if (arity != count) throw notation::wrong_operands(facts(function).symbol, arity, count);
  return Term::apply(function, operands);
}

Term sum(const ReductionVars& over, const Term& body) { return Term::reduce(Operator::Add, over.vars, body); }
Term prod(const ReductionVars& over, const Term& body) { return Term::reduce(Operator::Multiply, over.vars, body); }
Term min_over(const ReductionVars& over, const Term& body) { return Term::reduce(Operator::Min, over.vars, body); }
Term max_over(const ReductionVars& over, const Term& body) { return Term::reduce(Operator::Max, over.vars, body); }
Term any(const ReductionVars& over, const Term& body) { return Term::reduce(Operator::Or, over.vars, body); }
Term all(const ReductionVars& over, const Term& body) { return Term::reduce(Operator::And, over.vars, body); }
Term count(const ReductionVars& over, const Term& body) { return Term::reduce(Operator::Add, over.vars, body != 0); }
Term reduce(Operator op, const ReductionVars& over, const Term& body) {
  if (!can_reduce(op)) throw notation::not_reducing(facts(op).symbol);
  return Term::reduce(op, over.vars, body);
}

}  // namespace filigree
