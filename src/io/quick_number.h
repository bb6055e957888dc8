// Numbers in the forms in which nearly all are written, read without looking for the end of the line first: behind the
// text is a newline, and TextBlock::padding bytes can be read there.  Where a function returns null the number is left
// to the careful functions of io/number.h, which say whether it is one.
#pragma once

#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <type_traits>

#include "io/decimal.h"

namespace filigree::io {

/// The first of the next eight characters that is no digit, 0 to 8, where `digits` gets the eight with '0' taken off.
inline int digit_count(const char* at, std::uint64_t& digits) {
  static_assert(std::endian::native == std::endian::little);
  std::memcpy(&digits, at, 8);
  digits ^= 0x3030303030303030;
  // The high bit of a byte is set if it is over 9; the first such byte is not disturbed by carries.
  std::uint64_t others = ((digits + 0x7676767676767676) | digits) & 0x8080808080808080;
  return others == 0 ? 8 : std::countr_zero(others) / 8;
}

/// The number that the first `count` digits of digit_count are.
inline std::uint64_t number_of(std::uint64_t digits, int count) {
  if (count == 0) return 0;
  digits <<= 64 - 8 * count;  // zeros in front
  digits = digits * 10 + (digits >> 8);
  constexpr std::uint64_t pairs = 0x000000ff000000ff;
  return ((digits & pairs) * (100 + (std::uint64_t{1000000} << 32)) +
          ((digits >> 16) & pairs) * (1 + (std::uint64_t{10000} << 32))) >>
         32;
}

inline constexpr std::uint64_t small_powers[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};

/// At most 16 digits.
inline const char* quick_whole(const char* at, std::uint64_t& value) {
  std::uint64_t digits = 0;
  int count = digit_count(at, digits);
  if (count == 0) return nullptr;
  value = number_of(digits, count);
  if (count < 8) return at + count;
  count = digit_count(at + 8, digits);
  if (count == 8) return nullptr;
  value = value * small_powers[count] + number_of(digits, count);
  return at + 8 + count;
}

/// Is this the end of a word?
inline bool ends_word(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

/// Digits behind a number that has `found` significant ones; null if there are more than 19.
inline const char* more_digits(const char* at, std::uint64_t& value, int& found) {
  while (true) {
    std::uint64_t digits = 0;
    int count = digit_count(at, digits);
    if (found + count > 19) return nullptr;
    value = value * small_powers[count] + number_of(digits, count);
    found = value == 0 ? 0 : found + count;
    at += count;
    if (count < 8) return at;
  }
}

/// value * 10^power is the number; without its sign.
inline const char* quick_decimal(const char* at, std::uint64_t& value, int& power) {
  value = 0;
  power = 0;
  int found = 0;
  const char* start = at;
  at = more_digits(at, value, found);
  if (!at) return nullptr;
  bool any = at > start;
  if (*at == '.') {
    const char* point = ++at;
    if (value == 0) {
      while (*at == '0' && at - point < 64) at++;
    }
    at = more_digits(at, value, found);
    if (!at) return nullptr;
    power = static_cast<int>(point - at);
    any |= at > point;
  }
  if (!any) return nullptr;
  char letter = static_cast<char>(*at | 0x20);
  if (letter == 'e' || letter == 'd') {
    at++;
    bool is_negative = *at == '-';
    at += *at == '-' || *at == '+';
    std::uint64_t digits = 0;
    int count = digit_count(at, digits);
    if (count == 0 || count > 4) return nullptr;
    int exponent = static_cast<int>(number_of(digits, count));
    power += is_negative ? -exponent : exponent;
    at += count;
  }
  return ends_word(*at) ? at : nullptr;
}

inline const char* quick_number(const char* at, double& value) {
  bool is_negative = *at == '-';
  std::uint64_t digits = 0;
  int power = 0;
  at = quick_decimal(at + is_negative, digits, power);
  if (!at) return nullptr;
  if (!scaled_exactly(digits, power, value)) {
    std::optional<double> scaled = scaled_by_power(digits, power);
    if (!scaled) return nullptr;
    value = *scaled;
  }
  if (is_negative) value = -value;
  return at;
}

/// By way of a double, unless that is halfway between two floats: then the number may have been beside it.
inline const char* quick_number(const char* at, float& value) {
  double wide = 0;
  at = quick_number(at, wide);
  if (!at) return nullptr;
  constexpr std::uint64_t below = (std::uint64_t{1} << 29) - 1, half = std::uint64_t{1} << 28;
  double size = std::fabs(wide);
  bool is_usual = wide == 0 || (size > std::numeric_limits<float>::min() && size < 1e38);
  if (!is_usual || (std::bit_cast<std::uint64_t>(wide) & below) == half) return nullptr;
  value = static_cast<float>(wide);
  return at;
}

template <std::integral T>
const char* quick_number(const char* at, T& value) {
  bool is_negative = *at == '-';
  std::uint64_t size = 0;
  at = quick_whole(at + is_negative, size);
  if (!at || !ends_word(*at)) return nullptr;
  if (size > static_cast<std::uint64_t>(std::numeric_limits<T>::max()) || (is_negative && std::is_unsigned_v<T>))
    return nullptr;
  value = is_negative ? static_cast<T>(-static_cast<std::int64_t>(size)) : static_cast<T>(size);
  return at;
}

}  // namespace filigree::io
