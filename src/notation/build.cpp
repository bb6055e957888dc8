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
  return notation::complete(notation::Statement{*expr().as<Access>(), op, right.expr()});
}

Term operator+(const Term& a, const Term& b) { return Term::apply(Operator::Add, {a, b}); }
Term operator-(const Term& a, const Term& b) { return Term::apply(Operator::Subtract, {a, b}); }
Term operator*(const Term& a, const Term& b) { return Term::apply(Operator::Multiply, {a, b}); }
Term operator/(const Term& a, const Term& b) { return Term::apply(Operator::Divide, {a, b}); }
Term operator-(const Term& a) { return Term::apply(Operator::Negate, {a}); }
Term min(const Term& a, const Term& b) { return Term::apply(Operator::Min, {a, b}); }
Term max(const Term& a, const Term& b) { return Term::apply(Operator::Max, {a, b}); }
Term conj(const Term& a) { return Term::apply(Operator::Conjugate, {a}); }

Term sum(const ReductionVars& over, const Term& body) { return Term::reduce(Operator::Add, over.vars, body); }
Term prod(const ReductionVars& over, const Term& body) { return Term::reduce(Operator::Multiply, over.vars, body); }
Term min_over(const ReductionVars& over, const Term& body) { return Term::reduce(Operator::Min, over.vars, body); }
Term max_over(const ReductionVars& over, const Term& body) { return Term::reduce(Operator::Max, over.vars, body); }

}  // namespace filigree
