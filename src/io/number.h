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

/// An integer that is written with a point or an exponent, as in 3.0 and 3e2: exact, whatever its size.
template <class T>
Parsed parse_unusual_integer(const char*& at, const char* end, T& value) {
  const char* stop = at;
  while (stop < end && !is_blank(*stop)) stop++;
  std::string digits(1, *at == '-' ? '-' : '+');
  const char* p = at + (*at == '-' || *at == '+');
  std::int64_t shift = 0;  // places that the point is to move to the right
  bool behind_point = false, any = false;
  for (; p < stop; p++) {
    if (*p == '.' && !behind_point) {
      behind_point = true;
    } else if (static_cast<unsigned char>(*p - '0') < 10) {
      digits += *p;
      shift -= behind_point;
      any = true;
    } else {
      break;
    }
  }
  if (!any) return Parsed::NotANumber;
  if (p < stop) {
    if (*p != 'e' && *p != 'E' && *p != 'd' && *p != 'D') return Parsed::NotANumber;
    p += p + 1 < stop && p[1] == '+' ? 2 : 1;
    int exponent = 0;
    auto [read, error] = std::from_chars(p, stop, exponent);
    if (read != stop || error == std::errc::invalid_argument) return Parsed::NotANumber;
    shift += error == std::errc() ? exponent : *p == '-' ? -1000000 : 1000000;
  }
  size_t leading = 1;
  while (leading < digits.size() && digits[leading] == '0') leading++;
  digits.erase(1, leading - 1);
  for (; shift < 0 && digits.size() > 1; shift++) {
    if (digits.back() != '0') return Parsed::NotANumber;
    digits.pop_back();
  }
  if (digits.size() == 1) digits += '0', shift = 0;
  if (static_cast<std::int64_t>(digits.size()) + shift > 24) return Parsed::DoesNotFit;
  if (shift > 0) digits.append(static_cast<size_t>(shift), '0');
  if (digits[1] == '0') digits[0] = '+';  // minus 0 is 0 for unsigned types, too
  if (std::is_unsigned_v<T> && digits[0] == '-') return Parsed::DoesNotFit;
  auto [read, error] = std::from_chars(digits.data() + (digits[0] == '+'), digits.data() + digits.size(), value);
  if (error != std::errc()) return Parsed::DoesNotFit;
  at = stop;
  return Parsed::Ok;
}

/// One number of a value.  The type decides the range; an integer may have a point or an exponent if it is whole.
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
    if (read < end && !is_blank(*read)) return parse_unusual_integer(at, end, value);
    if (error == std::errc::invalid_argument) return Parsed::NotANumber;
    if (error == std::errc::result_out_of_range) return Parsed::DoesNotFit;
    at = read;
    return Parsed::Ok;
  }
}

}  // namespace filigree::io
