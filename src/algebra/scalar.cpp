#include "algebra/scalar.h"

#include <cmath>
#include <cstring>
#include <limits>

#include <fmt/format.h>

#include "support/check.h"

namespace filigree {
namespace {

std::int64_t wrap(ElementType type, std::int64_t value) {
  switch (type) {
    case ElementType::Bool: return value != 0;
    case ElementType::Int8: return static_cast<std::int8_t>(value);
    case ElementType::Int16: return static_cast<std::int16_t>(value);
    case ElementType::Int32: return static_cast<std::int32_t>(value);
    case ElementType::UInt8: return static_cast<std::uint8_t>(value);
    case ElementType::UInt16: return static_cast<std::uint16_t>(value);
    case ElementType::UInt32: return static_cast<std::uint32_t>(value);
    case ElementType::Int64:
    case ElementType::UInt64: return value;
    case ElementType::Float32:
    case ElementType::Float64:
    case ElementType::Complex64:
    case ElementType::Complex128: break;
  }
  throw InternalError("algebra", "wrap of a type that is no integer");
}

bool holds_integer(ElementType type) { return is_integer(type) || type == ElementType::Bool; }

bool is_single(ElementType type) { return type == ElementType::Float32 || type == ElementType::Complex64; }

/// Through memory, because g++ 12 at -O2 drops the rounding when it vectorizes two of these.
double rounded_to_single(double value) {
  volatile float single = static_cast<float>(value);
  return single;
}

template <class T>
Scalar load_as(ElementType type, const void* address) {
  T value;
  std::memcpy(&value, address, sizeof value);
  if constexpr (std::is_integral_v<T>) {
    return Scalar::of(type, static_cast<std::int64_t>(value));
  } else if constexpr (std::is_floating_point_v<T>) {
    return Scalar::of(type, static_cast<double>(value));
  } else {
    return Scalar::of(type, std::complex<double>(value));
  }
}

template <class T>
void store_as(T value, void* address) {
  std::memcpy(address, &value, sizeof value);
}

}  // namespace

Scalar Scalar::of(ElementType type, std::int64_t value) {
  Scalar s(type);
  if (holds_integer(type)) {
    s.integer_ = wrap(type, value);
  } else {
    s.number_ = is_single(type) ? static_cast<double>(static_cast<float>(value)) : static_cast<double>(value);
  }
  return s;
}

Scalar Scalar::of(ElementType type, double value) { return of(type, std::complex<double>(value, 0)); }

Scalar Scalar::of(ElementType type, std::complex<double> value) {
  Scalar s(type);
  if (type == ElementType::Bool) {
    s.integer_ = value != std::complex<double>(0);
  } else if (is_integer(type)) {
    double real = value.real();
    if (std::isnan(real)) {
      s.integer_ = 0;
    } else if (type == ElementType::UInt64) {
      s.integer_ = real <= 0 ? 0 : real >= 0x1p64 ? -1 : static_cast<std::int64_t>(static_cast<std::uint64_t>(real));
    } else {
      std::int64_t whole = real >= 0x1p63   ? std::numeric_limits<std::int64_t>::max()
                           : real < -0x1p63 ? std::numeric_limits<std::int64_t>::min()
                                            : static_cast<std::int64_t>(real);
      s.integer_ = wrap(type, whole);
    }
  } else {
    double real = value.real(), imaginary = is_complex(type) ? value.imag() : 0;
    if (is_single(type)) {
      real = rounded_to_single(real);
      imaginary = rounded_to_single(imaginary);
    }
    s.number_ = {real, imaginary};
  }
  return s;
}

std::int64_t Scalar::as_int() const {
  return holds_integer(type_) ? integer_ : Scalar::of(ElementType::Int64, number_).integer_;
}

double Scalar::as_double() const { return as_complex().real(); }

std::complex<double> Scalar::as_complex() const {
  if (!holds_integer(type_)) return number_;
  if (type_ == ElementType::UInt64) return static_cast<double>(static_cast<std::uint64_t>(integer_));
  return static_cast<double>(integer_);
}

bool Scalar::as_bool() const { return !is_zero(); }

Scalar Scalar::cast(ElementType type) const {
  if (type == type_) return *this;
  if (holds_integer(type_) && holds_integer(type)) return of(type, integer_);
  return of(type, as_complex());
}

bool Scalar::is_zero() const { return holds_integer(type_) ? integer_ == 0 : number_ == std::complex<double>(0); }

bool Scalar::is_finite() const {
  return holds_integer(type_) || (std::isfinite(number_.real()) && std::isfinite(number_.imag()));
}

bool Scalar::is_nan() const {
  return !holds_integer(type_) && (std::isnan(number_.real()) || std::isnan(number_.imag()));
}

bool Scalar::operator==(const Scalar& other) const {
  if (type_ != other.type_) return false;
  if (holds_integer(type_)) return integer_ == other.integer_;
  auto same = [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); };
  return same(number_.real(), other.number_.real()) && same(number_.imag(), other.number_.imag());
}

Scalar Scalar::load(ElementType type, const void* address) {
  switch (type) {
    case ElementType::Bool: return load_as<std::uint8_t>(type, address);
    case ElementType::Int8: return load_as<std::int8_t>(type, address);
    case ElementType::Int16: return load_as<std::int16_t>(type, address);
    case ElementType::Int32: return load_as<std::int32_t>(type, address);
    case ElementType::Int64: return load_as<std::int64_t>(type, address);
    case ElementType::UInt8: return load_as<std::uint8_t>(type, address);
    case ElementType::UInt16: return load_as<std::uint16_t>(type, address);
    case ElementType::UInt32: return load_as<std::uint32_t>(type, address);
    case ElementType::UInt64: return load_as<std::uint64_t>(type, address);
    case ElementType::Float32: return load_as<float>(type, address);
    case ElementType::Float64: return load_as<double>(type, address);
    case ElementType::Complex64: return load_as<std::complex<float>>(type, address);
    case ElementType::Complex128: return load_as<std::complex<double>>(type, address);
  }
  throw InternalError("algebra", "load of an unknown element type");
}

void Scalar::store(void* address) const {
  switch (type_) {
    case ElementType::Bool:
    case ElementType::UInt8: return store_as(static_cast<std::uint8_t>(integer_), address);
    case ElementType::Int8: return store_as(static_cast<std::int8_t>(integer_), address);
    case ElementType::Int16: return store_as(static_cast<std::int16_t>(integer_), address);
    case ElementType::Int32: return store_as(static_cast<std::int32_t>(integer_), address);
    case ElementType::Int64: return store_as(integer_, address);
    case ElementType::UInt16: return store_as(static_cast<std::uint16_t>(integer_), address);
    case ElementType::UInt32: return store_as(static_cast<std::uint32_t>(integer_), address);
    case ElementType::UInt64: return store_as(static_cast<std::uint64_t>(integer_), address);
    case ElementType::Float32: return store_as(static_cast<float>(number_.real()), address);
    case ElementType::Float64: return store_as(number_.real(), address);
    case ElementType::Complex64: return store_as(std::complex<float>(number_), address);
    case ElementType::Complex128: return store_as(number_, address);
  }
}

namespace {

std::string shortest(double value, bool single) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return single ? fmt::format("{}", static_cast<float>(value)) : fmt::format("{}", value);
}

}  // namespace

std::string to_string(const Scalar& value, const char* separator) {
  ElementType type = value.type();
  if (type == ElementType::UInt64) return fmt::format("{}", static_cast<std::uint64_t>(value.as_int()));
  if (holds_integer(type)) return fmt::format("{}", value.as_int());
  std::complex<double> number = value.as_complex();
  std::string text = shortest(number.real(), is_single(type));
  return is_complex(type) ? text + separator + shortest(number.imag(), is_single(type)) : text;
}

}  // namespace filigree
