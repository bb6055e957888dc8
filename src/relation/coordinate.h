// What one level of a format stores, as a function of the tensor's logical coordinates; and the way back.
//
//   i        the dimension itself            i/4   the block it is in       i%4   where in the block
//   j-i      the diagonal                    #i    the number of the entry among those with this i
//
// Blocks nest: i/16, i/4%4, i%4.  A format's map can be inverted when every dimension can be recovered from the
// coordinates of its levels; recover() says how, as sums.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "relation/derivation.h"

namespace filigree::relation {

// The words of derivation.h, about dimensions.
using Digits = DigitsOf<int>;
using Difference = DifferenceOf<int>;
using Counter = CounterOf<int>;

class Coordinate {
 public:
  using Kind = std::variant<Digits, Difference, Counter>;
  Coordinate(int dimension) : kind_(Digits{dimension}) {}
  Coordinate(Digits digits) : kind_(digits) {}
  Coordinate(Difference difference) : kind_(difference) {}
  Coordinate(Counter counter) : kind_(counter) {}

  const Kind& kind() const { return kind_; }
  template <class T>
  const T* as() const {
    return std::get_if<T>(&kind_);
  }
  /// The dimension, if this is one and nothing else.
  std::optional<int> plain() const;
  /// The dimensions it is made of.
  std::vector<int> dimensions() const;
  bool operator==(const Coordinate&) const = default;

 private:
  Kind kind_;
};

/// The coordinates a level can have: `extent` of them from `origin` on.
struct Range {
  std::int64_t origin = 0, extent = 0;
};
/// Nothing for a counter: how many there are is part of the storage.
std::optional<Range> range(const Coordinate& coordinate, const std::vector<std::int64_t>& dimensions);

/// Requires: no counter.
std::int64_t value(const Coordinate& coordinate, const std::vector<std::int64_t>& logical);

/// One dimension as a sum over levels and over dimensions that were recovered before it.
struct Recovered {
  struct Term {
    enum class From { Level, Dimension };
    From from;
    int number;  // of the level or the dimension
    std::int64_t factor;
  };
  int dimension;
  std::vector<Term> terms;
  bool exact;  // always within the dimension: the level stores nothing else
};
/// How the dimensions follow from levels with these coordinates, in an order in which each can be computed.  Dimensions
/// that do not follow are missing.
std::vector<Recovered> recover(const std::vector<Coordinate>& levels, int order);
/// Does the coordinate of the last level follow from the levels above it?
bool is_implied(const std::vector<Coordinate>& levels, int order);

/// "i/4%4" with these names of dimensions.
std::string to_string(const Coordinate& coordinate, const std::vector<std::string>& names);

}  // namespace filigree::relation
