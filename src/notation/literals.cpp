#include "notation/literals.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "notation/check.h"
#include "support/check.h"

namespace filigree::notation {

ElementType weak_promote(ElementType literal, ElementType other) {
  if (literal == ElementType::Bool) return other;
  if (literal == ElementType::Int64) return other == ElementType::Bool ? ElementType::Int64 : other;
  bool exact = is_integer(other) || other == ElementType::Bool;
  if (literal == ElementType::Float64) return exact ? ElementType::Float64 : other;
  internal_check(literal == ElementType::Complex128, "notation", "a literal of a narrow type before typing");
  if (is_complex(other)) return other;
  return other == ElementType::Float32 ? ElementType::Complex64 : ElementType::Complex128;
}

namespace {

UserError placed(UserError error, const Source& source, Span span) {
  return source ? std::move(error).at(source, span) : error;
}

/// 1/0 is refused, but inf/2 is not: who writes inf knows.  Without a finite imaginary part, a number has no text that
/// would be read back.
bool may_result(const Scalar& value, const std::vector<Scalar>& operands) {
  bool all_finite =
      std::all_of(operands.begin(), operands.end(), [](const Scalar& operand) { return operand.is_finite(); });
  return value.is_finite() || (!all_finite && std::isfinite(value.as_complex().imag()));
}

[[noreturn]] void too_large(const Source& source, Span span) {
  throw placed(UserError("This constant does not fit in a 64-bit integer")
                   .hint("write one of its numbers with a decimal point to compute it in float64"),
               source, span);
}

/// The exact value of an integer operation, or nothing if it leaves int64.
std::optional<std::int64_t> fold_integers(Operator op, std::int64_t a, std::int64_t b) {
  std::int64_t value = 0;
  bool overflow = op == Operator::Add        ? __builtin_add_overflow(a, b, &value)
                  : op == Operator::Subtract ? __builtin_sub_overflow(a, b, &value)
                                             : __builtin_mul_overflow(a, b, &value);
  return overflow ? std::nullopt : std::optional(value);
}

std::optional<std::int64_t> fold_power(std::int64_t base, std::int64_t exponent) {
  std::optional<std::int64_t> value = 1;
  bool repeats = base >= -1 && base <= 1;  // ... and does not grow
  for (std::int64_t n = repeats ? exponent % 2 : exponent; n > 0 && value; n--)
    value = fold_integers(Operator::Multiply, *value, base);
  if (repeats && base == 0 && exponent > 0) return 0;
  return value;
}

/// Numbers as Python has them: truth values count as 0 and 1 in arithmetic.
std::vector<Scalar> as_numbers(Operator op, std::vector<Scalar> values) {
  Typing typing = facts(op).typing;
  if (typing == Typing::Logic || typing == Typing::Comparison || typing == Typing::Choice) return values;
  for (Scalar& value : values) {
    if (value.type() == ElementType::Bool) value = value.cast(ElementType::Int64);
  }
  return values;
}

Scalar fold(Operator op, const std::vector<Scalar>& written, const Source& source, Span span) {
  std::vector<Scalar> values = as_numbers(op, written);
  bool integers = true;
  for (const Scalar& value : values) {
    integers &= value.type() == ElementType::Int64;
    if (is_complex(value.type()) && !facts(op).takes_complex)
      throw placed(no_order_of_complex(facts(op).symbol), source, span);
  }
  std::int64_t a = values[0].as_int(), b = values.size() > 1 ? values[1].as_int() : 0;
  std::optional<std::int64_t> exact;
  bool wraps = op == Operator::Add || op == Operator::Subtract || op == Operator::Multiply;
  if (integers && (wraps || op == Operator::Negate || (op == Operator::Power && b >= 0))) {
    exact = op == Operator::Negate  ? fold_integers(Operator::Subtract, 0, a)
            : op == Operator::Power ? fold_power(a, b)
                                    : fold_integers(op, a, b);
    if (!exact) too_large(source, span);
    return Scalar::of(ElementType::Int64, *exact);
  }
  bool divides = op == Operator::FloorDivide || op == Operator::Remainder;
  if (divides && values[1].is_zero()) throw placed(UserError("This constant divides by zero"), source, span);
  if (integers && op == Operator::Power)
    values[0] = values[0].cast(ElementType::Float64);  // as in Python, 2 ^ -1 is 0.5
  Scalar value = evaluate(op, values);
  if (may_result(value, values)) return value;
  throw placed(
      UserError("This constant is not a finite number")
          .hint(op == Operator::Divide ? "check for a division by zero, or write inf or nan if that is meant"
                                       : "check what the function is given, or write inf or nan if that is meant"),
      source, span);
}

/// An integer keeps its value or is refused; floats round.
Scalar convert(const Scalar& value, ElementType type, const Source& source, Span span) {
  Scalar converted = value.cast(type);
  bool fits = !is_integer(type) ||
              (converted.as_int() == value.as_int() && !(type == ElementType::UInt64 && value.as_int() < 0));
  if (fits && (converted.is_finite() || !value.is_finite())) return converted;
  std::string text = to_string(Expr(Literal{value}));
  throw placed(
      UserError(fmt::format("The number {} does not fit in {}, the type it is combined with", text, to_string(type)))
          .hint(is_integer(type) ? fmt::format("write {}.0 to compute in float64", text)
                                 : "declare the tensor float64"),
      source, span);
}

/// An expression, and whether it is a literal whose type is still open.
struct Typed {
  Expr expr;
  bool weak;
};

class TypeLiterals {
 public:
  explicit TypeLiterals(const Source& source) : source_(source) {}

  Typed operator()(const Expr& expr) const {
    if (expr.as<Literal>()) return {expr, true};
    if (const Apply* apply = expr.as<Apply>()) {
      std::vector<Typed> operands;
      for (const Expr& operand : apply->operands) operands.push_back((*this)(operand));
      return combined(expr, *apply, operands);
    }
    return {map_children(expr, [&](const Expr& body) { return (*this)(body).expr; }), false};
  }

 private:
  // Not inlined, so that the frames of the recursion above stay small: chains are thousands of operators deep.
  [[gnu::noinline]] Typed combined(const Expr& expr, const Apply& apply, const std::vector<Typed>& operands) const {
    bool all_weak = std::all_of(operands.begin(), operands.end(), [](const Typed& operand) { return operand.weak; });
    if (all_weak) {
      std::vector<Scalar> values;
      for (const Typed& operand : operands) values.push_back(operand.expr.as<Literal>()->value);
      return {Expr(Literal{fold(apply.op, values, source_, expr.span())}, expr.span()), true};
    }
    std::optional<ElementType> firm;  // of the operands whose type is settled
    for (size_t n = 0; n < operands.size(); n++) {
      if (operands[n].weak || !meets_others(apply.op, n)) continue;
      firm = firm ? promote(*firm, operands[n].expr.type()) : operands[n].expr.type();
    }
    check_exponent(expr, apply, operands);
    std::vector<Expr> typed;
    bool changed = false;
    for (size_t n = 0; n < operands.size(); n++) {
      const Expr& operand = operands[n].expr;
      typed.push_back(operand);
      if (operands[n].weak && firm && meets_others(apply.op, n)) {
        ElementType type = weak_promote(operand.type(), *firm);
        if (type != operand.type()) {
          const Scalar& value = operand.as<Literal>()->value;
          typed.back() = Expr(Literal{convert(value, type, source_, operand.span())}, operand.span());
        }
      }
      changed |= !typed.back().same_as(apply.operands[n]);
    }
    return {changed ? Expr(Apply{apply.op, std::move(typed)}, expr.span()) : expr, false};
  }

  /// NumPy refuses this too; the result would be 0 nearly everywhere.
  void check_exponent(const Expr& expr, const Apply& apply, const std::vector<Typed>& operands) const {
    if (apply.op != Operator::Power || !operands[1].weak) return;
    const Scalar& exponent = operands[1].expr.as<Literal>()->value;
    ElementType base = operands[0].expr.type();
    bool negative = exponent.type() == ElementType::Int64 && exponent.as_int() < 0;
    if (!negative || is_floating(base) || is_complex(base)) return;
    throw placed(UserError(fmt::format("An integer ({}) to a negative power is no integer", to_string(base)))
                     .hint(fmt::format("write {}.0 to compute in float64", exponent.as_int())),
                 source_, expr.span());
  }

  const Source& source_;
};

}  // namespace

bool meets_others(Operator op, size_t position) {
  Typing typing = facts(op).typing;
  return typing != Typing::Logic && (typing != Typing::Choice || position > 0);
}

Expr type_literals(const Expr& expr, const Source& source) { return TypeLiterals(source)(expr).expr; }

}  // namespace filigree::notation
