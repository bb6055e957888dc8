// One typed number: literals, fill values, what the interpreter and the oracle compute with.
#pragma once

#include <complex>
#include <cstdint>
#include <string>

#include "algebra/element_type.h"

namespace filigree {

/// A value of one element type.  Integers are held exactly (as 64 bits), floats as doubles that
/// have been rounded to their type.
class Scalar {
 public:
  Scalar() : Scalar(ElementType::Float64) {}
  /// Zero of a type.
  explicit Scalar(ElementType type) : type_(type) {}

  static Scalar of(ElementType type, std::int64_t value);
  static Scalar of(ElementType type, double value);
  static Scalar of(ElementType type, std::complex<double> value);
  static Scalar boolean(bool value) { return of(ElementType::Bool, std::int64_t{value}); }

  ElementType type() const { return type_; }
  /// The bits of an integer or bool, sign- or zero-extended.
  std::int64_t as_int() const;
  double as_double() const;  // the real part of a complex
  std::complex<double> as_complex() const;
  bool as_bool() const;

  /// Converted as C converts: wraps between integers, truncates floats (beyond 64 bits saturates, NaN
  /// becomes 0, then wraps to narrower integers), drops the imaginary part.
  Scalar cast(ElementType type) const;
  bool is_zero() const;
  bool is_nan() const;
  bool is_finite() const;  // both parts of a complex

  /// Same type and same value; NaN equals NaN (used to compare fills, not for arithmetic).
  bool operator==(const Scalar&) const;

  /// The element at `address`, and back.
  static Scalar load(ElementType type, const void* address);
  void store(void* address) const;

 private:
  ElementType type_;
  std::int64_t integer_ = 0;
  std::complex<double> number_ = 0;
};

/// Shortest text that reads back as the same value; complex as "re im" parts joined by `separator`.
std::string to_string(const Scalar& value, const char* separator = " ");

}  // namespace filigree
