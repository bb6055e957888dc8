#include "io/decimal.h"

#include <array>
#include <bit>

namespace filigree::io {
namespace {

struct Bits128 {
  std::uint64_t high, low;
};

/// An integer of 256 bits, least significant words first: room for 5^80, and for 2^255.
using Wide = std::array<std::uint32_t, 8>;

constexpr int bit_length(const Wide& n) {
  for (int w = 7; w >= 0; w--) {
    if (n[w] != 0) return 32 * w + static_cast<int>(std::bit_width(n[w]));
  }
  return 0;
}

constexpr bool bit(const Wide& n, int b) { return b >= 0 && (n[b / 32] >> (b % 32) & 1) != 0; }

constexpr Wide times_five(const Wide& n) {
  Wide out{};
  std::uint64_t carry = 0;
  for (int w = 0; w < 8; w++) {
    carry += std::uint64_t{n[w]} * 5;
    out[w] = static_cast<std::uint32_t>(carry);
    carry >>= 32;
  }
  return out;
}

/// The leading 128 bits, the rest cut off.
constexpr Bits128 leading(const Wide& n) {
  Bits128 out{0, 0};
  int length = bit_length(n);
  for (int b = 0; b < 128; b++) {
    std::uint64_t one = bit(n, length - 1 - b);
    (b < 64 ? out.high : out.low) |= one << (63 - b % 64);
  }
  return out;
}

/// The leading 128 bits of 1 / n, rounded up, by long division.
constexpr Bits128 leading_of_reciprocal(const Wide& n) {
  Wide rest{};
  rest[0] = 1;
  int length = bit_length(n);
  auto at_least = [](const Wide& a, const Wide& b) {
    for (int w = 7; w >= 0; w--) {
      if (a[w] != b[w]) return a[w] > b[w];
    }
    return true;
  };
  auto doubled = [](Wide& a) {
    std::uint32_t carry = 0;
    for (std::uint32_t& word : a) {
      std::uint32_t next = word >> 31;
      word = word << 1 | carry;
      carry = next;
    }
  };
  auto subtract = [](Wide& a, const Wide& b) {
    std::int64_t borrow = 0;
    for (int w = 0; w < 8; w++) {
      std::int64_t difference = std::int64_t{a[w]} - std::int64_t{b[w]} + borrow;
      a[w] = static_cast<std::uint32_t>(difference);
      borrow = difference < 0 ? -1 : 0;
    }
  };
  for (int b = 0; b < length - 1; b++) doubled(rest);
  Bits128 out{0, 0};
  for (int b = 0; b < 128; b++) {
    doubled(rest);
    bool one = at_least(rest, n);
    if (one) subtract(rest, n);
    (b < 64 ? out.high : out.low) |= std::uint64_t{one} << (63 - b % 64);
  }
  out.low++;  // no power of 5 divides a power of 2, so it was cut off
  if (out.low == 0) out.high++;
  return out;
}

constexpr int power_count = greatest_power - least_power + 1;

constexpr std::array<Bits128, power_count> powers_of_five() {
  std::array<Bits128, power_count> out{};
  Wide power{};
  power[0] = 1;
  for (int q = 0; q <= greatest_power || q <= -least_power; q++) {
    if (q <= greatest_power) out[q - least_power] = leading(power);
    if (q > 0 && q <= -least_power) out[-q - least_power] = leading_of_reciprocal(power);
    power = times_five(power);
  }
  return out;
}

constexpr std::array<Bits128, power_count> five_to = powers_of_five();

Bits128 product(std::uint64_t a, std::uint64_t b) {
  unsigned __int128 wide = static_cast<unsigned __int128>(a) * b;
  return {static_cast<std::uint64_t>(wide >> 64), static_cast<std::uint64_t>(wide)};
}

}  // namespace

std::optional<double> scaled_by_power(std::uint64_t w, int q) {
  if (w == 0) return 0.0;
  if (q < least_power || q > greatest_power) return std::nullopt;
  const Bits128& five = five_to[q - least_power];
  int shift = std::countl_zero(w);
  w <<= shift;
  Bits128 bits = product(w, five.high);
  constexpr std::uint64_t below = ~std::uint64_t{0} >> 55;  // the bits that are not part of the result, and one more
  if ((bits.high & below) == below) {
    Bits128 more = product(w, five.low);
    bits.low += more.high;
    if (bits.low < more.high) bits.high++;
  }
  if (bits.low == ~std::uint64_t{0} && (q < -27 || q > 55)) return std::nullopt;
  int upper = static_cast<int>(bits.high >> 63);
  std::uint64_t mantissa = bits.high >> (upper + 9);
  // floor(q * log2(10)), and where the point is.
  int power = (((152170 + 65536) * q) >> 16) + 63 + upper - shift;
  // Exactly halfway between two: to the even one.  Elsewhere bits that were left out say which way.
  bool may_be_half = bits.low <= 1 && q >= -4 && q <= 23 && (mantissa & 3) == 1;
  if (may_be_half && mantissa << (upper + 9) == bits.high) mantissa &= ~std::uint64_t{1};
  mantissa += mantissa & 1;
  mantissa >>= 1;
  if (mantissa >= std::uint64_t{1} << 53) {
    mantissa = std::uint64_t{1} << 52;
    power++;
  }
  std::uint64_t exponent = static_cast<std::uint64_t>(power + 1023);  // powers this small give normal numbers
  return std::bit_cast<double>(exponent << 52 | (mantissa & ~(std::uint64_t{1} << 52)));
}

}  // namespace filigree::io
