// Values of every element type for tests: the special ones and random ones.
#pragma once

#include <limits>
#include <random>
#include <vector>

#include "algebra/scalar.h"

namespace filigree {

/// Zero, one, extremes, small and random values; no NaN.
inline std::vector<Scalar> values_of(ElementType type) {
  std::vector<Scalar> values;
  for (std::int64_t small : {0, 1, 2, 3, 7}) values.push_back(Scalar::of(type, small));
  if (type == ElementType::Bool) return values;
  if (!is_integer(type) || is_signed_integer(type)) {
    for (std::int64_t small : {-1, -2, -5}) values.push_back(Scalar::of(type, small));
  }
  std::mt19937_64 random(1);
  for (int n = 0; n < 50; n++) {
    if (is_integer(type)) {
      values.push_back(Scalar::of(type, static_cast<std::int64_t>(random())));
    } else {
      double real = static_cast<double>(random() % 2001) / 8 - 125,
             imaginary = static_cast<double>(random() % 2001) / 8 - 125;
      values.push_back(Scalar::of(type, std::complex<double>(real, is_complex(type) ? imaginary : 0)));
    }
  }
  if (!is_integer(type) && !is_complex(type)) {
    for (double special :
         {0.1, -0.0, 1e30, std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()}) {
      values.push_back(Scalar::of(type, special));
    }
  }
  return values;
}

}  // namespace filigree
