// Index notation written in C++:
//
//   IndexVar i, j;
//   TensorVar y("y", ElementType::Float64, Format::dense(1)), A(...), x(...);
//   notation::Statement spmv = (y(i) = A(i,j) * x(j));
//
// Operators are + - * / % and unary -, comparisons, && || ! (`and`, `or`, `not` if you like), and the functions below
// for what C++ has no operator for: floor_divide(a, b) is a // b, pow(a, b) is a ^ b.  Assignments are = += -= *= /=
// and update(A(i), op, e) for any operator that can reduce; prune(e) as a whole right side leaves out what equals the
// fill.  Numbers are weak: `2 * A(i,j)` has A's type.  A scalar (a tensor of order 0) needs no parentheses.
//
// An assignment returns what `resolve` returns for the same text: literals typed, reductions bound, checked.
#pragma once

#include <complex>
#include <concepts>
#include <initializer_list>

#include "notation/build_indices.h"
#include "notation/notation.h"

namespace filigree {

/// A right-hand side, or a part of one.
class Term {
 public:
  /// Requires: `scalar` has order 0; throws UserError otherwise.
  Term(const TensorVar& scalar);
  template <std::signed_integral Number>
  Term(Number value) : Term(Scalar::of(ElementType::Int64, std::int64_t{value})) {}
  template <std::unsigned_integral Number>
    requires(sizeof(Number) < sizeof(std::int64_t) && !std::same_as<Number, bool>)
  Term(Number value) : Term(Scalar::of(ElementType::Int64, static_cast<std::int64_t>(value))) {}
  Term(std::size_t value);  // throws UserError above int64's range
  Term(bool value) : Term(Scalar::boolean(value)) {}
  Term(double value) : Term(Scalar::of(ElementType::Float64, value)) {}
  Term(float value) : Term(static_cast<double>(value)) {}
  Term(std::complex<double> value) : Term(Scalar::of(ElementType::Complex128, value)) {}

  const notation::Expr& expr() const { return expr_; }

  /// An operator or reduction of terms; throws UserError when the expression gets too deep for later stages.
  static Term apply(Operator op, const std::vector<Term>& operands);
  static Term reduce(Operator op, const std::vector<IndexVar>& vars, const Term& body);

  /// Requires: `depth` is that of the expression.
  explicit Term(notation::Expr expr, int depth = 1) : expr_(std::move(expr)), depth_(depth) {}

 private:
  explicit Term(const Scalar& value) : expr_(notation::Literal{value}) {}
  notation::Expr expr_;
  int depth_ = 1;
};

/// A right-hand side of whose values those that equal the result's fill are not stored.  It can only be assigned.
struct Pruned {
  Term right;
};
inline Pruned prune(const Term& right) { return {right}; }

/// T(i, j): an operand, or the left-hand side of a statement.
class IndexedTensor : public Term {
 public:
  /// Throws UserError unless `tensor` has as many dimensions as there are indices.
  IndexedTensor(const TensorVar& tensor, std::vector<IndexVar> indices);
  IndexedTensor(const IndexedTensor&) = default;

  // Assignments make statements, to be compiled: by themselves they change nothing.
  [[nodiscard]] notation::Statement operator=(const Term& right) const { return assign(std::nullopt, right); }
  [[nodiscard]] notation::Statement operator=(const IndexedTensor& right) const { return assign(std::nullopt, right); }
  [[nodiscard]] notation::Statement operator+=(const Term& right) const { return assign(Operator::Add, right); }
  [[nodiscard]] notation::Statement operator-=(const Term& right) const { return assign(Operator::Subtract, right); }
  [[nodiscard]] notation::Statement operator*=(const Term& right) const { return assign(Operator::Multiply, right); }
  [[nodiscard]] notation::Statement operator/=(const Term& right) const { return assign(Operator::Divide, right); }
  [[nodiscard]] notation::Statement operator=(const Pruned& right) const { return assign(std::nullopt, right); }
  [[nodiscard]] notation::Statement operator+=(const Pruned& right) const { return assign(Operator::Add, right); }
  [[nodiscard]] notation::Statement operator-=(const Pruned& right) const { return assign(Operator::Subtract, right); }
  [[nodiscard]] notation::Statement operator*=(const Pruned& right) const { return assign(Operator::Multiply, right); }
  [[nodiscard]] notation::Statement operator/=(const Pruned& right) const { return assign(Operator::Divide, right); }

  /// Throws UserError unless `op` is one that has an assignment.
  [[nodiscard]] notation::Statement assign(std::optional<Operator> op, const Term& right) const;
  [[nodiscard]] notation::Statement assign(std::optional<Operator> op, const Pruned& right) const;
};

template <std::same_as<IndexVar>... Indices>
IndexedTensor TensorVar::operator()(const Indices&... indices) const {
  return IndexedTensor(*this, std::vector<IndexVar>{indices...});
}

/// left op= right, for any operator that can reduce: update(A(i), Operator::Or, ...).
[[nodiscard]] inline notation::Statement update(const IndexedTensor& left, Operator op, const Term& right) {
  return left.assign(op, right);
}
[[nodiscard]] inline notation::Statement update(const IndexedTensor& left, Operator op, const Pruned& right) {
  return left.assign(op, right);
}
[[nodiscard]] inline notation::Statement min_assign(const IndexedTensor& left, const Term& right) {
  return left.assign(Operator::Min, right);
}
[[nodiscard]] inline notation::Statement max_assign(const IndexedTensor& left, const Term& right) {
  return left.assign(Operator::Max, right);
}

Term operator+(const Term& a, const Term& b);
Term operator-(const Term& a, const Term& b);
Term operator*(const Term& a, const Term& b);
Term operator/(const Term& a, const Term& b);
Term operator%(const Term& a, const Term& b);
Term operator-(const Term& a);
Term operator==(const Term& a, const Term& b);
Term operator!=(const Term& a, const Term& b);
Term operator<(const Term& a, const Term& b);
Term operator<=(const Term& a, const Term& b);
Term operator>(const Term& a, const Term& b);
Term operator>=(const Term& a, const Term& b);
Term operator&&(const Term& a, const Term& b);
Term operator||(const Term& a, const Term& b);
Term operator!(const Term& a);
Term exclusive_or(const Term& a, const Term& b);
Term floor_divide(const Term& a, const Term& b);
Term pow(const Term& a, const Term& b);
Term min(const Term& a, const Term& b);
Term max(const Term& a, const Term& b);
Term abs(const Term& a);
Term sqrt(const Term& a);
Term exp(const Term& a);
Term log(const Term& a);
Term sin(const Term& a);
Term cos(const Term& a);
Term tanh(const Term& a);
Term sign(const Term& a);
Term relu(const Term& a);
Term floor(const Term& a);
Term ceil(const Term& a);
Term conj(const Term& a);
Term real(const Term& a);
Term imag(const Term& a);
Term select(const Term& condition, const Term& a, const Term& b);
/// A user's function (algebra/user_function.h).  Throws UserError unless it takes that many operands.
Term call(Operator function, const std::vector<Term>& operands);

/// The index variables of an explicit reduction: one, or {j, k}.
struct ReductionVars {
  ReductionVars(IndexVar var) : vars{std::move(var)} {}
  ReductionVars(std::initializer_list<IndexVar> list) : vars(list) {}
  std::vector<IndexVar> vars;
};

Term sum(const ReductionVars& over, const Term& body);
Term prod(const ReductionVars& over, const Term& body);
Term min_over(const ReductionVars& over, const Term& body);
Term max_over(const ReductionVars& over, const Term& body);
Term any(const ReductionVars& over, const Term& body);
Term all(const ReductionVars& over, const Term& body);
/// How many are not 0.
Term count(const ReductionVars& over, const Term& body);
/// By any operator that can reduce; throws UserError for others.
Term reduce(Operator op, const ReductionVars& over, const Term& body);

}  // namespace filigree
