// Numbers in text files against the C library's functions.
#include "io/number.h"

#include <cfloat>
#include <climits>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <random>

#include <gtest/gtest.h>

#include "io/quick_number.h"

namespace filigree::io {
namespace {

using Random = std::mt19937_64;

/// A text with what the quick functions need behind it.
class Padded {
 public:
  explicit Padded(const std::string& text, char next = '\n', char rest = '\0')
      : text_(text + next), size_(text.size()) {
    text_.append(64, rest);
  }
  const char* begin() const { return text_.data(); }
  const char* end() const { return text_.data() + size_; }

 private:
  std::string text_;
  size_t size_;
};

template <class T>
bool same_bits(T a, T b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

template <class T>
T by_library(const std::string& text) {
  if constexpr (std::is_same_v<T, float>) return std::strtof(text.c_str(), nullptr);
  else return std::strtod(text.c_str(), nullptr);
}

/// Both ways to read the number give what the library does; how many the quick one leaves to the other is returned.
template <class T>
int check_float(const std::string& text, Random& random) {
  T expected = by_library<T>(text), careful = 0, quick = 0;
  Padded padded(text, " \n\t\r"[random() % 4], random() % 2 ? '7' : '\0');
  const char* at = padded.begin();
  if (std::isinf(expected)) {
    EXPECT_EQ(parse_number(at, padded.end(), careful), Parsed::DoesNotFit) << text;
    return 0;
  }
  EXPECT_EQ(parse_number(at, padded.end(), careful), Parsed::Ok) << text;
  EXPECT_EQ(at, padded.end()) << text;
  EXPECT_TRUE(same_bits(careful, expected)) << text;
  const char* stop = quick_number(padded.begin(), quick);
  if (!stop) return 1;
  EXPECT_EQ(stop, padded.end()) << text;
  EXPECT_TRUE(same_bits(quick, expected)) << text << " is " << quick;
  return 0;
}

double any_double(Random& random) {
  while (true) {
    double value = 0;
    std::uint64_t bits = random();
    switch (random() % 5) {
      case 0: std::memcpy(&value, &bits, sizeof value); break;
      case 1: value = static_cast<double>(static_cast<std::int64_t>(bits)) / 0x1p40; break;
      case 2: value = static_cast<double>(bits % 100000) / 1000; break;
      case 3: value = static_cast<double>(bits % 100); break;
      default: value = std::ldexp(static_cast<double>(bits >> 11), -53 - static_cast<int>(random() % 60));
    }
    if (std::isfinite(value)) return value;
  }
}

TEST(Numbers, PrintedInManyWaysAreWhatTheyWere) {
  Random random(1);
  const char* forms[] = {"%.17g", "%.16e", "%.15g", "%.6f", "%.3f",  "%g",   "%.20f",
                         "%.0f",  "%.9g",  "%e",    "%.1f", "%.25e", "%+.4e"};
  int left_over = 0, tried = 0;
  for (int n = 0; n < 200000; n++) {
    char text[512];
    double value = any_double(random);
    std::snprintf(text, sizeof text, forms[random() % std::size(forms)], value);
    check_float<float>(text, random);
    left_over += check_float<double>(text, random);
    tried++;
  }
  EXPECT_LT(left_over, tried / 2);
}

TEST(Numbers, OfUpTo19DigitsAndAnyPowerAreRounded) {
  Random random(2);
  for (int n = 0; n < 300000; n++) {
    std::uint64_t digits = random() >> (random() % 64);
    if (digits > 9999999999999999999u) digits /= 10;
    if (n % 5 == 0) digits = (((random() >> 11) | std::uint64_t{1} << 52) * 2 + 1) << (random() % 8);  // ties
    int power = n % 3 == 0 ? static_cast<int>(random() % 40) - 25 : static_cast<int>(random() % 700) - 360;
    std::string text = std::to_string(digits);
    if (random() % 2) text.insert(random() % (text.size() + 1), ".");
    if (random() % 4 == 0) text.insert(0, random() % 30, '0');
    check_float<double>(text + "e" + std::to_string(power), random);
    check_float<float>(text + "E" + (power >= 0 ? "+" : "") + std::to_string(power), random);
  }
}

TEST(Numbers, HalfwayBetweenTwoFloatsGoToTheEvenOne) {
  Random random(3);
  for (const char* text : {"16777217",
                           "16777219",
                           "9007199254740993",
                           "9007199254740995",
                           "1.00000017881393432617187499",
                           "1.000000178813934326171875",
                           "1.00000017881393432617187501",
                           "2.2250738585072011e-308",
                           "2.2250738585072014e-308",
                           "4.9406564584124654e-324",
                           "1.7976931348623157e308",
                           "0",
                           "-0",
                           "0.0",
                           "-0e5",
                           ".5",
                           "5.",
                           "1e22",
                           "1e23",
                           "8.5e-46",
                           "1.4e-45",
                           "3.4028235e38",
                           "3.4028236e38"}) {
    check_float<double>(text, random);
    check_float<float>(text, random);
  }
}

template <class T>
void check_integer(const std::string& text) {
  long long wide = std::strtoll(text.c_str(), nullptr, 10);
  bool is_negative = text[0] == '-';
  bool fits = is_negative ? std::is_signed_v<T> && wide >= static_cast<long long>(std::numeric_limits<T>::min())
                          : static_cast<unsigned long long>(wide) <=
                                static_cast<unsigned long long>(std::numeric_limits<T>::max());
  Padded padded(text, ' ', '9');
  T careful = 0, quick = 0;
  const char* at = padded.begin();
  if (fits) {
    EXPECT_EQ(parse_number(at, padded.end(), careful), Parsed::Ok) << text;
    EXPECT_EQ(static_cast<long long>(careful), wide) << text;
  }
  const char* stop = quick_number(padded.begin(), quick);
  if (!stop) return;
  EXPECT_TRUE(fits) << text;
  EXPECT_EQ(stop, padded.end()) << text;
  EXPECT_EQ(static_cast<long long>(quick), wide) << text;
}

TEST(Numbers, ThatAreIntegersFitOrNot) {
  Random random(4);
  for (int n = 0; n < 100000; n++) {
    long long value = static_cast<long long>(random()) >> (random() % 64);
    std::string text = std::to_string(value);
    if (random() % 8 == 0) text.insert(value < 0, random() % 4, '0');
    check_integer<std::int8_t>(text);
    check_integer<std::uint8_t>(text);
    check_integer<std::int32_t>(text);
    check_integer<std::uint32_t>(text);
    check_integer<std::int64_t>(text);
  }
}

TEST(Numbers, ThatAreNoneAreLeftToTheCarefulFunctions) {
  for (const char* text :
       {"", "-", "+", ".", "e5", "1e", "1e+", "1.5x", "0x10", "1,5", "one", "--1", "1.2.3", "nan", "inf", "1e99999"}) {
    double value = 0;
    EXPECT_EQ(quick_number(Padded(text).begin(), value), nullptr) << text;
  }
  for (const char* text : {"", "-", "x", "1.5", "1e3", "12345678901234567"}) {
    std::int64_t value = 0;
    EXPECT_EQ(quick_number(Padded(text).begin(), value), nullptr) << text;
  }
}

}  // namespace
}  // namespace filigree::io
