#include "notation/literals.h"

#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "notation/check.h"
#include "support/check.h"

namespace filigree::notation {

ElementType weak_promote(ElementType literal, ElementType other) {
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

/// The exact value of an integer operation, or nothing if it leaves int64.
std::optional<Scalar> fold_integers(Operator op, std::int64_t a, std::int64_t b) {
  std::int64_t value = 0;
  bool overflow = op == Operator::Add        ? __builtin_add_overflow(a, b, &value)
                  : op == Operator::Subtract ? __builtin_sub_overflow(a, b, &value)
                                             : __builtin_mul_overflow(a, b, &value);
  if (overflow) return std::nullopt;
  return Scalar::of(ElementType::Int64, value);
}

Scalar fold(Operator op, const std::vector<Scalar>& values, const Source& source, Span span) {
  bool integers = true, complex = false;
  for (const Scalar& value : values) {
    integers &= value.type() == ElementType::Int64;
    complex |= is_complex(value.type());
  }
  if (complex && (op == Operator::Min || op == Operator::Max)) {
    throw placed(no_order_of_complex(facts(op).name), source, span);
  }
  bool wraps = op == Operator::Add || op == Operator::Subtract || op == Operator::Multiply || op == Operator::Negate;
  if (integers && wraps) {
    bool negate = op == Operator::Negate;
    std::optional<Scalar> value = negate ? fold_integers(Operator::Subtract, 0, values[0].as_int())
                                         : fold_integers(op, values[0].as_int(), values[1].as_int());
    if (value) return *value;
    throw placed(UserError("This constant does not fit in a 64-bit integer")
                     .hint("write one of its numbers with a decimal point to compute it in float64"), source, span);
  }
  Scalar value = evaluate(op, values);
  std::complex<double> number = value.as_complex();
  if (std::isfinite(number.real()) && std::isfinite(number.imag())) return value;
  throw placed(UserError("This constant is not a finite number").hint("check for a division by zero"), source, span);
}

/// An integer keeps its value or is refused; floats round.
Scalar convert(const Scalar& value, ElementType type, const Source& source, Span span) {
  Scalar converted = value.cast(type);
  bool fits = !is_integer(type) ||
              (converted.as_int() == value.as_int() && !(type == ElementType::UInt64 && value.as_int() < 0));
  if (fits) {
    std::complex<double> number = converted.as_complex();
    if (std::isfinite(number.real()) && std::isfinite(number.imag())) return converted;
  }
  std::string text = to_string(Expr(Literal{value}));
  throw placed(UserError(fmt::format("The number {} does not fit in {}, the type it is combined with", text, to_string(type)))
                   .hint(is_integer(type) ? fmt::format("write {}.0 to compute in float64", text)
                                          : "declare the tensor float64"), source, span);
}

/// An expression, and whether it is a literal whose type is still open.
struct Typed { Expr expr; bool weak; };

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
    std::optional<ElementType> firm;  // of the operands whose type is settled
    for (const Typed& operand : operands) {
      if (!operand.weak) firm = firm ? promote(*firm, operand.expr.type()) : operand.expr.type();
    }
    if (!firm) {
      std::vector<Scalar> values;
      for (const Typed& operand : operands) values.push_back(operand.expr.as<Literal>()->value);
      return {Expr(Literal{fold(apply.op, values, source_, expr.span())}, expr.span()), true};
    }
    std::vector<Expr> typed;
    bool changed = false;
    for (size_t n = 0; n < operands.size(); n++) {
      const Expr& operand = operands[n].expr;
      typed.push_back(operand);
      if (operands[n].weak) {
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

  const Source& source_;
};

}  // namespace

Expr type_literals(const Expr& expr, const Source& source) { return TypeLiterals(source)(expr).expr; }

}  // namespace filigree::notation
