#include "relation/coordinate.h"

#include <algorithm>

#include <fmt/format.h>

#include "support/diagnostic.h"

namespace filigree::relation {
namespace {

using Term = Recovered::Term;

/// i as a sum of its digits, if the levels have them all: each digit's divisor is the product of the moduli below it.
std::optional<Recovered> from_digits(const std::vector<Coordinate>& levels, int dimension) {
  Recovered recovered{dimension, {}, true};
  for (std::int64_t divisor = 1;;) {
    auto digit = std::find_if(levels.begin(), levels.end(), [&](const Coordinate& c) {
      const Digits* digits = c.as<Digits>();
      // A remainder of 1 is always 0 and leads nowhere.
      return digits && digits->whole == dimension && digits->divisor == divisor && digits->modulus != 1;
    });
    if (digit == levels.end()) return std::nullopt;
    recovered.terms.push_back({Term::From::Level, static_cast<int>(digit - levels.begin()), divisor});
    std::int64_t modulus = digit->as<Digits>()->modulus;
    if (modulus == 0) break;
    recovered.exact = false;  // the last block may stick out
    divisor *= modulus;
  }
  std::reverse(recovered.terms.begin(), recovered.terms.end());
  return recovered;
}

/// j = (j-i) + i, or i = j - (j-i).
std::optional<Recovered> from_difference(const std::vector<Coordinate>& levels, int dimension,
                                         const std::vector<bool>& known) {
  for (size_t k = 0; k < levels.size(); k++) {
    const Difference* difference = levels[k].as<Difference>();
    if (!difference) continue;
    int level = static_cast<int>(k);
    if (difference->plus == dimension && known[difference->minus]) {
      return Recovered{
          dimension, {{Term::From::Level, level, 1}, {Term::From::Dimension, difference->minus, 1}}, false};
    }
    if (difference->minus == dimension && known[difference->plus]) {
      return Recovered{
          dimension, {{Term::From::Dimension, difference->plus, 1}, {Term::From::Level, level, -1}}, false};
    }
  }
  return std::nullopt;
}

std::vector<Recovered> recover_from(const std::vector<Coordinate>& levels, int order) {
  std::vector<Recovered> out;
  std::vector<bool> known(static_cast<size_t>(order), false);
  for (int dimension = 0; dimension < order; dimension++) {
    if (std::optional<Recovered> recovered = from_digits(levels, dimension)) {
      out.push_back(*recovered);
      known[dimension] = true;
    }
  }
  for (int round = 0; round < order; round++) {  // a difference may need a dimension that another difference gives
    for (int dimension = 0; dimension < order; dimension++) {
      if (known[dimension]) continue;
      if (std::optional<Recovered> recovered = from_difference(levels, dimension, known)) {
        out.push_back(*recovered);
        known[dimension] = true;
      }
    }
  }
  return out;
}

}  // namespace

std::optional<int> Coordinate::plain() const {
  const Digits* digits = as<Digits>();
  return digits && digits->divisor == 1 && digits->modulus == 0 ? std::optional(digits->whole) : std::nullopt;
}

std::vector<int> Coordinate::dimensions() const {
  if (const Digits* digits = as<Digits>()) return {digits->whole};
  if (const Difference* difference = as<Difference>()) return {difference->plus, difference->minus};
  return {as<Counter>()->within};
}

std::optional<Range> range(const Coordinate& coordinate, const std::vector<std::int64_t>& dimensions) {
  auto of = [&](int dimension) { return Formula::number(dimensions[static_cast<size_t>(dimension)]); };
  auto numbers = [](const RangeFormulas& range) {
    std::optional<std::int64_t> origin = range.origin.known(), extent = range.extent.known();
    if (!origin || !extent) throw UserError("The dimensions have more diagonals than a 64-bit integer counts");
    return Range{*origin, *extent};
  };
  if (const Digits* digits = coordinate.as<Digits>())
    return numbers(digits_range(of(digits->whole), digits->divisor, digits->modulus));
  if (const Difference* difference = coordinate.as<Difference>())
    return numbers(difference_range(of(difference->plus), of(difference->minus)));
  return std::nullopt;
}

std::int64_t value(const Coordinate& coordinate, const std::vector<std::int64_t>& logical) {
  if (const Difference* difference = coordinate.as<Difference>())
    return logical[difference->plus] - logical[difference->minus];
  const Digits& digits = *coordinate.as<Digits>();
  std::int64_t quotient = logical[digits.whole] / digits.divisor;
  return digits.modulus == 0 ? quotient : quotient % digits.modulus;
}

std::vector<Recovered> recover(const std::vector<Coordinate>& levels, int order) {
  // What a level implies is no news: an offset level only repeats what the levels above it say.
  std::vector<Coordinate> news;
  for (size_t k = 0; k < levels.size(); k++) {
    bool implied = is_implied({levels.begin(), levels.begin() + static_cast<std::ptrdiff_t>(k) + 1}, order);
    news.push_back(implied ? Coordinate(Counter{0}) : levels[k]);
  }
  return recover_from(news, order);
}

bool is_implied(const std::vector<Coordinate>& levels, int order) {
  if (levels.empty() || levels.back().as<Counter>()) return false;
  std::vector<Recovered> known = recover_from({levels.begin(), levels.end() - 1}, order);
  std::vector<int> needed = levels.back().dimensions();
  return std::all_of(needed.begin(), needed.end(), [&](int dimension) {
    return std::any_of(known.begin(), known.end(), [&](const Recovered& r) { return r.dimension == dimension; });
  });
}

std::string to_string(const Coordinate& coordinate, const std::vector<std::string>& names) {
  if (const Difference* difference = coordinate.as<Difference>())
    return names[difference->plus] + "-" + names[difference->minus];
  if (const Counter* counter = coordinate.as<Counter>()) return "#" + names[counter->within];
  const Digits& digits = *coordinate.as<Digits>();
  std::string text = names[digits.whole];
  if (digits.divisor != 1) text += fmt::format("/{}", digits.divisor);
  if (digits.modulus != 0) text += fmt::format("%{}", digits.modulus);
  return text;
}

}  // namespace filigree::relation
