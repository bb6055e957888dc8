// What every operator computes, on one value of any type: what the interpreter and generated code have to agree with.
#include <cmath>
#include <limits>

#include "algebra/operator.h"
#include "algebra/user_function.h"
#include "support/check.h"

namespace filigree {
namespace {

bool is_integral(ElementType type) { return is_integer(type) || type == ElementType::Bool; }

bool less(const Scalar& a, const Scalar& b) {
  if (a.type() == ElementType::UInt64)
    return static_cast<std::uint64_t>(a.as_int()) < static_cast<std::uint64_t>(b.as_int());
  if (is_integral(a.type())) return a.as_int() < b.as_int();
  return a.as_double() < b.as_double();
}

/// NaN wins in min and max, as in NumPy.
Scalar pick(const Scalar& a, const Scalar& b, bool smaller) {
  if (a.is_nan()) return a;
  if (b.is_nan()) return b;
  return less(b, a) == smaller ? b : a;
}

// --- Integers ------------------------------------------------------------------------------------------------

/// a // b and a % b in unsigned arithmetic, for which C's operators round down already.
Scalar divide_unsigned(bool quotient, const Scalar& a, const Scalar& b) {
  auto x = static_cast<std::uint64_t>(a.as_int()), y = static_cast<std::uint64_t>(b.as_int());
  return Scalar::of(a.type(), static_cast<std::int64_t>(quotient ? x / y : x % y));
}

Scalar divide_signed(bool quotient, const Scalar& a, const Scalar& b) {
  std::int64_t x = a.as_int(), y = b.as_int();
  // C leaves the lowest number divided by -1 open; it wraps here, as in NumPy.
  std::int64_t ratio = y == -1 ? static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(x)) : x / y;
  std::int64_t rest = y == -1 ? 0 : x % y;
  bool round_down = rest != 0 && (rest < 0) != (y < 0);
  if (quotient) return Scalar::of(a.type(), ratio - round_down);
  return Scalar::of(a.type(), round_down ? rest + y : rest);
}

Scalar divide_integers(bool quotient, const Scalar& a, const Scalar& b) {
  if (b.is_zero()) return Scalar(a.type());
  return is_signed_integer(a.type()) ? divide_signed(quotient, a, b) : divide_unsigned(quotient, a, b);
}

Scalar power_of_integers(const Scalar& a, const Scalar& b) {
  auto base = static_cast<std::uint64_t>(a.as_int());
  if (is_signed_integer(b.type()) && b.as_int() < 0) {
    std::int64_t x = a.as_int(), odd = b.as_int() % 2;
    return Scalar::of(a.type(), x == 1 || (x == -1 && odd == 0) ? std::int64_t{1} : std::int64_t{x == -1 ? -1 : 0});
  }
  std::uint64_t result = 1;
  for (auto exponent = static_cast<std::uint64_t>(b.as_int()); exponent > 0; exponent >>= 1, base *= base) {
    if (exponent & 1) result *= base;
  }
  return Scalar::of(a.type(), static_cast<std::int64_t>(result));
}

Scalar arithmetic_of_integers(Operator op, const Scalar& a, const Scalar& b) {
  auto x = static_cast<std::uint64_t>(a.as_int()), y = static_cast<std::uint64_t>(b.as_int());
  if (a.type() == ElementType::Bool) return Scalar::boolean(op == Operator::Multiply ? (x && y) : (x || y));
  std::uint64_t value = op == Operator::Add ? x + y : op == Operator::Subtract ? x - y : x * y;
  return Scalar::of(a.type(), static_cast<std::int64_t>(value));
}

// --- Floats and complex numbers --------------------------------------------------------------------------------

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
  if (is_integral(type)) return arithmetic_of_integers(op, a, b);
  std::complex<double> x = a.as_complex(), y = b.as_complex();
  if (op == Operator::Add) return Scalar::of(type, x + y);
  if (op == Operator::Subtract) return Scalar::of(type, x - y);
  if (is_complex(type)) return Scalar::of(type, op == Operator::Multiply ? multiply(x, y) : divide(x, y));
  return Scalar::of(type, op == Operator::Multiply ? x.real() * y.real() : x.real() / y.real());
}

/// Python's // and % of floats: the quotient is rounded down, and what is left has the divisor's sign.
template <class Float>
Float floor_divide(Float a, Float b) {
  if (b == 0) return a / b;
  Float rest = std::fmod(a, b), ratio = (a - rest) / b;
  if (rest != 0 && (b < 0) != (rest < 0)) ratio -= 1;
  if (ratio == 0) return std::copysign(Float(0), a / b);
  Float down = std::floor(ratio);
  return ratio - down > Float(0.5) ? down + 1 : down;
}

template <class Float>
Float remainder(Float a, Float b) {
  Float rest = std::fmod(a, b);
  if (b == 0) return rest;
  if (rest == 0) return std::copysign(Float(0), b);
  return (b < 0) != (rest < 0) ? rest + b : rest;
}

/// Calls a function in the precision of the type, as the functions of C's libm do.
template <class Function>
Scalar in_precision(const Scalar& a, Function function) {
  switch (a.type()) {
    case ElementType::Float32:
      return Scalar::of(a.type(), static_cast<double>(function(static_cast<float>(a.as_double()))));
    case ElementType::Complex64:
      return Scalar::of(a.type(), std::complex<double>(function(std::complex<float>(a.as_complex()))));
    case ElementType::Complex128: return Scalar::of(a.type(), function(a.as_complex()));
    default: return Scalar::of(a.type(), function(a.as_double()));
  }
}

template <class Function>
Scalar in_precision(const Scalar& a, const Scalar& b, Function function) {
  if (a.type() != ElementType::Float32) return Scalar::of(a.type(), function(a.as_double(), b.as_double()));
  return Scalar::of(
      a.type(), static_cast<double>(function(static_cast<float>(a.as_double()), static_cast<float>(b.as_double()))));
}

/// Whole powers by multiplication, as in NumPy: exact where that is.
std::complex<double> power_of_complex(std::complex<double> a, std::complex<double> b) {
  if (b == 0.0) return 1;
  if (a == 0.0) return b.imag() == 0 && b.real() > 0 ? 0 : std::numeric_limits<double>::quiet_NaN();
  if (b.imag() != 0 || std::abs(b.real()) > 100 || b.real() != std::floor(b.real())) return std::pow(a, b);
  std::complex<double> result = a;
  for (int n = static_cast<int>(std::abs(b.real())); n > 1; n--) result = multiply(result, a);
  return b.real() < 0 ? divide(1, result) : result;
}

Scalar power(const Scalar& a, const Scalar& b) {
  if (is_integer(a.type())) return power_of_integers(a, b);
  if (is_complex(a.type())) return Scalar::of(a.type(), power_of_complex(a.as_complex(), b.as_complex()));
  return in_precision(a, b, [](auto x, auto y) { return std::pow(x, y); });
}

Scalar absolute(const Scalar& a) {
  if (is_complex(a.type())) {
    return a.type() == ElementType::Complex64
               ? Scalar::of(ElementType::Float32, static_cast<double>(std::abs(std::complex<float>(a.as_complex()))))
               : Scalar::of(ElementType::Float64, std::abs(a.as_complex()));
  }
  if (is_floating(a.type())) return Scalar::of(a.type(), std::abs(a.as_double()));
  return is_signed_integer(a.type()) && a.as_int() < 0 ? arithmetic(Operator::Subtract, Scalar(a.type()), a) : a;
}

Scalar sign(const Scalar& a) {
  if (a.is_nan()) return a;
  Scalar zero(a.type());
  return Scalar::of(a.type(), std::int64_t{less(zero, a)} - std::int64_t{less(a, zero)});
}

Scalar negate(const Scalar& a) {
  return is_integer(a.type()) ? arithmetic(Operator::Subtract, Scalar(a.type()), a)
                              : Scalar::of(a.type(), -a.as_complex());
}

Scalar real_or_imaginary(const Scalar& a, bool real) {
  if (!is_complex(a.type())) return real ? a : Scalar(a.type());
  ElementType type = a.type() == ElementType::Complex64 ? ElementType::Float32 : ElementType::Float64;
  return Scalar::of(type, real ? a.as_complex().real() : a.as_complex().imag());
}

bool holds(Operator op, const Scalar& a, const Scalar& b) {
  bool nan = a.is_nan() || b.is_nan(), equal = !nan && a == b;
  if (op == Operator::Equal) return equal;
  if (op == Operator::NotEqual) return !equal;
  if (nan) return false;
  bool reversed = op == Operator::Greater || op == Operator::GreaterEqual;
  bool before = reversed ? less(b, a) : less(a, b);
  return before || (equal && (op == Operator::LessEqual || op == Operator::GreaterEqual));
}

}  // namespace

Scalar evaluate(Operator op, const std::vector<Scalar>& operands) {
  std::vector<ElementType> types;
  for (const Scalar& operand : operands) types.push_back(operand.type());
  std::vector<Scalar> x;
  for (size_t n = 0; n < operands.size(); n++)
    x.push_back(operands[n].cast(operand_type(op, static_cast<int>(n), types)));
  if (is_user_function(op)) return user_function(op).value(x).cast(result_type(op, types));
  bool integral = is_integral(x[0].type());
  switch (op) {
    case Operator::Add:
    case Operator::Subtract:
    case Operator::Multiply:
    case Operator::Divide: return arithmetic(op, x[0], x[1]);
    case Operator::Quotient:
    case Operator::FloorDivide:
      if (integral) return divide_integers(true, x[0], x[1]);
      return in_precision(x[0], x[1], [](auto a, auto b) { return floor_divide(a, b); });
    case Operator::Modulus:
    case Operator::Remainder:
      if (integral) return divide_integers(false, x[0], x[1]);
      return in_precision(x[0], x[1], [](auto a, auto b) { return remainder(a, b); });
    case Operator::Power: return power(x[0], x[1]);
    case Operator::Negate: return negate(x[0]);
    case Operator::Min: return pick(x[0], x[1], true);
    case Operator::Max: return pick(x[0], x[1], false);
    case Operator::Equal:
    case Operator::NotEqual:
    case Operator::Less:
    case Operator::LessEqual:
    case Operator::Greater:
    case Operator::GreaterEqual: return Scalar::boolean(holds(op, x[0], x[1]));
    case Operator::And: return Scalar::boolean(x[0].as_bool() && x[1].as_bool());
    case Operator::Or: return Scalar::boolean(x[0].as_bool() || x[1].as_bool());
    case Operator::Xor: return Scalar::boolean(x[0].as_bool() != x[1].as_bool());
    case Operator::Not: return Scalar::boolean(!x[0].as_bool());
    case Operator::Abs: return absolute(x[0]);
    case Operator::Sqrt: return in_precision(x[0], [](auto a) { return std::sqrt(a); });
    case Operator::Exp: return in_precision(x[0], [](auto a) { return std::exp(a); });
    case Operator::Log: return in_precision(x[0], [](auto a) { return std::log(a); });
    case Operator::Sin: return in_precision(x[0], [](auto a) { return std::sin(a); });
    case Operator::Cos: return in_precision(x[0], [](auto a) { return std::cos(a); });
    case Operator::Tanh: return in_precision(x[0], [](auto a) { return std::tanh(a); });
    case Operator::Sign: return sign(x[0]);
    case Operator::Relu: return pick(x[0], Scalar(x[0].type()), false);
    case Operator::Floor: return integral ? x[0] : Scalar::of(x[0].type(), std::floor(x[0].as_double()));
    case Operator::Ceil: return integral ? x[0] : Scalar::of(x[0].type(), std::ceil(x[0].as_double()));
    case Operator::Conjugate:
      return is_complex(x[0].type()) ? Scalar::of(x[0].type(), std::conj(x[0].as_complex())) : x[0];
    case Operator::Real: return real_or_imaginary(x[0], true);
    case Operator::Imag: return real_or_imaginary(x[0], false);
    case Operator::Select: return x[0].as_bool() ? x[1] : x[2];
    case Operator::FirstUserFunction: break;
  }
  throw InternalError("algebra", "operator without a value", facts(op).name);
}

}  // namespace filigree
