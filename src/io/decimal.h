// Decimal numbers to floating point, rounded to nearest, ties to even: as std::from_chars does it, for the numbers that
// files are full of.
//
// Up to 19 digits are an integer w of 64 bits, and the number is w * 10^q.  Small w and q are exact doubles, and one
// operation rounds once (Clinger).  Otherwise w is multiplied by 128 bits of 5^q; where the bits that are left out
// could change the result, nothing is returned (Eisel and Lemire, "Number parsing at a gigabyte per second", 2021).
#pragma once

#include <cstdint>
#include <optional>

namespace filigree::io {

inline constexpr int least_power = -80, greatest_power = 80;

/// w * 10^q as a double, or nothing if this way does not tell.
std::optional<double> scaled_by_power(std::uint64_t w, int q);

/// The same for what is exact: w has at most 53 bits, and so has 10^q.
inline bool scaled_exactly(std::uint64_t w, int q, double& value) {
  constexpr double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                               1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  if (w >> 53 != 0 || q < -22 || q > 22) return false;
  value = q < 0 ? static_cast<double>(w) / powers[-q] : static_cast<double>(w) * powers[q];
  return true;
}

}  // namespace filigree::io
