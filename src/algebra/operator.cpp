#include "algebra/operator.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "support/check.h"

namespace filigree {
namespace {

// op, name, symbol, notation, arity, precedence, associative, commutative, idempotent, writable
constexpr OperatorFacts table[] = {
    {Operator::Add, "add", "+", Notation::Infix, 2, 5, true, true, false, true},
    {Operator::Subtract, "subtract", "-", Notation::Infix, 2, 5, false, false, false, true},
    {Operator::Multiply, "multiply", "*", Notation::Infix, 2, 6, true, true, false, true},
    {Operator::Divide, "divide", "/", Notation::Infix, 2, 6, false, false, false, true},
    {Operator::Negate, "negate", "-", Notation::Prefix, 1, 7, false, false, false, true},
    {Operator::Min, "min", "min", Notation::Call, 2, 9, true, true, true, true},
    {Operator::Max, "max", "max", Notation::Call, 2, 9, true, true, true, true},
    {Operator::Conjugate, "conj", "conj", Notation::Call, 1, 9, false, false, false, true},
    {Operator::FloorDivide, "floor_divide", "//", Notation::Infix, 2, 6, false, false, false, false},
    {Operator::Remainder, "remainder", "%", Notation::Infix, 2, 6, false, false, false, false},
    {Operator::Equal, "equal", "==", Notation::Infix, 2, 3, false, true, false, false},
    {Operator::NotEqual, "not_equal", "!=", Notation::Infix, 2, 3, false, true, false, false},
    {Operator::Less, "less", "<", Notation::Infix, 2, 4, false, false, false, false},
    {Operator::LessEqual, "less_equal", "<=", Notation::Infix, 2, 4, false, false, false, false},
    {Operator::Greater, "greater", ">", Notation::Infix, 2, 4, false, false, false, false},
    {Operator::GreaterEqual, "greater_equal", ">=", Notation::Infix, 2, 4, false, false, false, false},
    {Operator::And, "and", "&&", Notation::Infix, 2, 2, true, true, true, false},
    {Operator::Or, "or", "||", Notation::Infix, 2, 1, true, true, true, false},
    {Operator::Not, "not", "!", Notation::Prefix, 1, 7, false, false, false, false},
};

bool is_comparison(Operator op) {
  return op == Operator::Equal || op == Operator::NotEqual || op == Operator::Less || op == Operator::LessEqual ||
         op == Operator::Greater || op == Operator::GreaterEqual;
}

bool is_logical(Operator op) { return op == Operator::And || op == Operator::Or || op == Operator::Not; }

bool is_one(const Scalar& value) { return value == Scalar::of(value.type(), std::int64_t{1}); }

Scalar lowest(ElementType type) {
  if (is_floating(type)) return Scalar::of(type, -std::numeric_limits<double>::infinity());
  if (!is_signed_integer(type)) return Scalar(type);
  return Scalar::of(type, std::numeric_limits<std::int64_t>::min() >> (64 - 8 * size_in_bytes(type)));
}

Scalar highest(ElementType type) {
  if (is_floating(type)) return Scalar::of(type, std::numeric_limits<double>::infinity());
  if (type == ElementType::Bool) return Scalar::boolean(true);
  if (!is_signed_integer(type)) return Scalar::of(type, std::int64_t{-1});
  return Scalar::of(type, std::numeric_limits<std::int64_t>::max() >> (64 - 8 * size_in_bytes(type)));
}

bool less(const Scalar& a, const Scalar& b) {
  if (a.type() == ElementType::UInt64) {
    return static_cast<std::uint64_t>(a.as_int()) < static_cast<std::uint64_t>(b.as_int());
  }
  if (is_integer(a.type()) || a.type() == ElementType::Bool) return a.as_int() < b.as_int();
  return a.as_double() < b.as_double();
}

/// NaN wins in min and max, as in NumPy.
Scalar pick(const Scalar& a, const Scalar& b, bool smaller) {
  if (a.is_nan()) return a;
  if (b.is_nan()) return b;
  return less(b, a) == smaller ? b : a;
}

/// a // b and a % b in unsigned arithmetic, for which C's operators round down already.
Scalar divide_unsigned(Operator op, const Scalar& a, const Scalar& b) {
  auto x = static_cast<std::uint64_t>(a.as_int()), y = static_cast<std::uint64_t>(b.as_int());
  return Scalar::of(a.type(), static_cast<std::int64_t>(op == Operator::FloorDivide ? x / y : x % y));
}

Scalar divide_signed(Operator op, const Scalar& a, const Scalar& b) {
  std::int64_t x = a.as_int(), y = b.as_int();
  // C leaves the lowest number divided by -1 open; it wraps here, as in NumPy.
  std::int64_t quotient = y == -1 ? static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(x)) : x / y;
  std::int64_t remainder = y == -1 ? 0 : x % y;
  bool round_down = remainder != 0 && (remainder < 0) != (y < 0);
  if (op == Operator::FloorDivide) return Scalar::of(a.type(), quotient - round_down);
  return Scalar::of(a.type(), round_down ? remainder + y : remainder);
}

Scalar divide_integers(Operator op, const Scalar& a, const Scalar& b) {
  internal_check(is_integer(a.type()), "algebra", "operands that are no integers", facts(op).name);
  if (b.is_zero()) return Scalar(a.type());
  return is_signed_integer(a.type()) ? divide_signed(op, a, b) : divide_unsigned(op, a, b);
}

/// The textbook formula, as the generated C computes it.
std::complex<double> multiply(std::complex<double> a, std::complex<double> b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

std::complex<double> divide(std::complex<double> a, std::complex<double> b) {
  double d = b.real() * b.real() + b.imag() * b.imag();
  return {(a.real() * b.real() + a.imag() * b.imag()) / d, (a.imag() * b.real() - a.real() * b.imag()) / d};
}

Scalar arithmetic(Operator op, const Scalar& a, const Scalar& b) {
  ElementType type = a.type();
  if (is_integer(type) || type == ElementType::Bool) {
    auto x = static_cast<std::uint64_t>(a.as_int()), y = static_cast<std::uint64_t>(b.as_int());
    auto wrapped = [&](std::uint64_t value) { return Scalar::of(type, static_cast<std::int64_t>(value)); };
    if (type == ElementType::Bool) return Scalar::boolean(op == Operator::Multiply ? (x && y) : (x || y));
    if (op == Operator::Add) return wrapped(x + y);
    if (op == Operator::Subtract) return wrapped(x - y);
    return wrapped(x * y);
  }
  std::complex<double> x = a.as_complex(), y = b.as_complex();
  if (op == Operator::Add) return Scalar::of(type, x + y);
  if (op == Operator::Subtract) return Scalar::of(type, x - y);
  if (is_complex(type)) return Scalar::of(type, op == Operator::Multiply ? multiply(x, y) : divide(x, y));
  return Scalar::of(type, op == Operator::Multiply ? x.real() * y.real() : x.real() / y.real());
}

}  // namespace

const OperatorFacts& facts(Operator op) { return table[static_cast<int>(op)]; }

std::optional<Operator> find_function(std::string_view name) {
  for (const OperatorFacts& f : table) {
    if (f.notation == Notation::Call && f.in_index_notation && name == f.name) return f.op;
  }
  return std::nullopt;
}

std::vector<std::string> function_names() {
  std::vector<std::string> names;
  for (const OperatorFacts& f : table) {
    if (f.notation == Notation::Call && f.in_index_notation) names.push_back(f.name);
  }
  return names;
}

ElementType result_type(Operator op, const std::vector<ElementType>& operands) {
  if (is_comparison(op) || is_logical(op)) return ElementType::Bool;
  ElementType type = operands[0];
  for (ElementType other : operands) type = promote(type, other);
  if (op == Operator::Divide && (is_integer(type) || type == ElementType::Bool)) return ElementType::Float64;
  bool leaves_bools = op == Operator::Negate || op == Operator::Subtract || op == Operator::FloorDivide || op == Operator::Remainder;
  if (leaves_bools && type == ElementType::Bool) return ElementType::Int8;
  return type;
}

std::optional<Scalar> identity(Operator op, ElementType type) {
  switch (op) {
    case Operator::Add: return Scalar(type);
    case Operator::Multiply: return Scalar::of(type, std::int64_t{1});
    case Operator::Min: return is_complex(type) ? std::nullopt : std::optional(highest(type));
    case Operator::Max: return is_complex(type) ? std::nullopt : std::optional(lowest(type));
    case Operator::And: return Scalar::boolean(true);
    case Operator::Or: return Scalar::boolean(false);
    case Operator::Subtract:
    case Operator::Divide:
    case Operator::Negate:
    case Operator::Conjugate:
    case Operator::FloorDivide:
    case Operator::Remainder:
    case Operator::Equal:
    case Operator::NotEqual:
    case Operator::Less:
    case Operator::LessEqual:
    case Operator::Greater:
    case Operator::GreaterEqual:
    case Operator::Not: return std::nullopt;
  }
  return std::nullopt;
}

bool distributes_over(Operator outer, Operator inner, ElementType type) {
  if (inner == Operator::Add) return outer == Operator::Multiply;
  if (inner == Operator::Min || inner == Operator::Max) return outer == Operator::Add && is_floating(type);
  if (inner == Operator::Or) return outer == Operator::And;
  return false;
}

std::optional<Scalar> annihilated(Operator op, int position, const Scalar& value, ElementType result) {
  if (op == Operator::Multiply && value.is_zero()) return Scalar(result);
  if (op == Operator::Divide && position == 0 && value.is_zero()) return Scalar(result);
  // By zero too: x // 0 and x % 0 are 0.
  if (op == Operator::FloorDivide && value.is_zero()) return Scalar(result);
  if (op == Operator::Remainder && (value.is_zero() || (position == 1 && is_one(value)))) return Scalar(result);
  if (op == Operator::And && !value.as_bool()) return Scalar::boolean(false);
  if (op == Operator::Or && value.as_bool()) return Scalar::boolean(true);
  if (op == Operator::Min && value == lowest(value.type())) return value.cast(result);
  if (op == Operator::Max && value == highest(value.type())) return value.cast(result);
  return std::nullopt;
}

bool is_neutral(Operator op, int position, const Scalar& value) {
  if (op == Operator::Subtract) return position == 1 && value.is_zero();
  if (op == Operator::Divide || op == Operator::FloorDivide) return position == 1 && is_one(value);
  std::optional<Scalar> neutral = identity(op, value.type());
  return neutral && *neutral == value;
}

Scalar evaluate(Operator op, const std::vector<Scalar>& operands) {
  std::vector<ElementType> types;
  for (const Scalar& operand : operands) types.push_back(operand.type());
  if (is_logical(op)) {
    bool a = operands[0].as_bool();
    if (op == Operator::Not) return Scalar::boolean(!a);
    bool b = operands[1].as_bool();
    return Scalar::boolean(op == Operator::And ? a && b : a || b);
  }
  ElementType result = result_type(op, types);
  ElementType type = result;
  if (is_comparison(op)) type = promote(types[0], types[1]);
  Scalar a = operands[0].cast(type);
  if (op == Operator::Negate) return is_integer(type) ? arithmetic(Operator::Subtract, Scalar(type), a)
                                                      : Scalar::of(type, -a.as_complex());
  if (op == Operator::Conjugate) return is_complex(type) ? Scalar::of(type, std::conj(a.as_complex())) : a;
  Scalar b = operands[1].cast(type);
  switch (op) {
    case Operator::Add:
    case Operator::Subtract:
    case Operator::Multiply:
    case Operator::Divide: return arithmetic(op, a, b);
    case Operator::Min: return pick(a, b, true);
    case Operator::Max: return pick(a, b, false);
    case Operator::FloorDivide:
    case Operator::Remainder: return divide_integers(op, a, b);
    case Operator::Equal: return Scalar::boolean(!a.is_nan() && a == b);
    case Operator::NotEqual: return Scalar::boolean(a.is_nan() || !(a == b));
    case Operator::Less: return Scalar::boolean(less(a, b));
    case Operator::LessEqual: return Scalar::boolean(less(a, b) || (a == b && !a.is_nan()));
    case Operator::Greater: return Scalar::boolean(less(b, a));
    case Operator::GreaterEqual: return Scalar::boolean(less(b, a) || (a == b && !a.is_nan()));
    case Operator::Negate:
    case Operator::Conjugate:
    case Operator::And:
    case Operator::Or:
    case Operator::Not: break;
  }
  throw InternalError("algebra", "operator without a value", facts(op).name);
}

Simplified simplify(Operator op, const std::vector<std::optional<Scalar>>& known, ElementType result) {
  for (size_t i = 0; i < known.size(); i++) {
    if (!known[i]) continue;
    if (std::optional<Scalar> value = annihilated(op, static_cast<int>(i), *known[i], result)) return Constant{*value};
  }
  if (std::all_of(known.begin(), known.end(), [](const auto& k) { return k.has_value(); })) {
    std::vector<Scalar> values;
    for (const auto& k : known) values.push_back(*k);
    return Constant{evaluate(op, values).cast(result)};
  }
  if (known.size() == 2) {
    for (int i : {0, 1}) {
      if (known[i] && is_neutral(op, i, *known[i])) return Operand{1 - i};
    }
    if (op == Operator::Subtract && known[0] && known[0]->is_zero()) return Negated{1};
  }
  return Unchanged{};
}

}  // namespace filigree
