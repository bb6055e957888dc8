// Numbers in text files.  Each function reads one word from `at`, which must not be a blank, up to the
// next blank or `end`, and moves `at` behind it.  Lines are split beforehand, so no newline occurs.
#pragma once

#include <charconv>
#include <complex>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <type_traits>

namespace filigree::io {

inline bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v'; }

inline const char* skip_blanks(const char* at, const char* end) {
  while (at < end && is_blank(*at)) at++;
  return at;
}

enum class Parsed { Ok, NotANumber, DoesNotFit };

/// A coordinate or a size: digits only, at most 18 of them, so that it fits.
inline bool parse_whole(const char*& at, const char* end, std::int64_t& value) {
  std::int64_t result = 0;
  const char* p = at;
  while (p < end && static_cast<unsigned char>(*p - '0') < 10) {
    if (p - at >= 18) return false;
    result = result * 10 + (*p++ - '0');
  }
  if (p == at || (p < end && !is_blank(*p))) return false;
  at = p;
  value = result;
  return true;
}

/// What std::from_chars does not read: a leading plus, Fortran's exponent letter D, and numbers too close
/// to zero, which become zero or denormal.  A number too large to be finite does not fit.
template <class T>
Parsed parse_unusual_float(const char*& at, const char* end, T& value) {
  const char* stop = at;
  while (stop < end && !is_blank(*stop)) stop++;
  std::string word(at, stop);
  if (word.size() > 1 && word[0] == '+' && word[1] != '-' && word[1] != '+') word.erase(0, 1);
  size_t exponent = word.find_first_of("dD");
  if (exponent != std::string::npos && exponent > 0) word[exponent] = 'e';
  auto [read, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (read != word.data() + word.size() || error == std::errc::invalid_argument) return Parsed::NotANumber;
  if (error == std::errc::result_out_of_range) {
    T rounded = std::is_same_v<T, float> ? static_cast<T>(std::strtof(word.c_str(), nullptr))
                                         : static_cast<T>(std::strtod(word.c_str(), nullptr));
    if (rounded > 1 || rounded < -1) return Parsed::DoesNotFit;
    value = rounded;
  }
  at = stop;
  return Parsed::Ok;
}

/// One number of a value.  The type decides the range; integers take no point and no exponent.
template <class T>
Parsed parse_number(const char*& at, const char* end, T& value) {
  if constexpr (std::is_floating_point_v<T>) {
    auto [read, error] = std::from_chars(at, end, value);
    if (error != std::errc() || (read < end && !is_blank(*read))) return parse_unusual_float(at, end, value);
    at = read;
    return Parsed::Ok;
  } else {
    const char* digits = at + (end - at > 1 && *at == '+' && at[1] != '-');
    auto [read, error] = std::from_chars(digits, end, value);
    if (read < end && !is_blank(*read)) {
      // A negative number is a number, but none of an unsigned type.
      std::int64_t negative = 0;
      if (std::is_signed_v<T> || *at != '-') return Parsed::NotANumber;
      auto [stop, failure] = std::from_chars(at, end, negative);
      if (failure == std::errc::invalid_argument || (stop < end && !is_blank(*stop))) return Parsed::NotANumber;
      if (negative != 0) return Parsed::DoesNotFit;
      value = 0;
      at = stop;
      return Parsed::Ok;
    }
    if (error == std::errc::invalid_argument) return Parsed::NotANumber;
    if (error == std::errc::result_out_of_range) return Parsed::DoesNotFit;
    at = read;
    return Parsed::Ok;
  }
}

}  // namespace filigree::io
