// How variables follow from each other: one set of words for formats, indices, loops and schedules.
//
//   digits      ib = i/4, ii = i%4      blocks and what is inside of them
//   difference  d = j - i               diagonals
//   sum         a = 2*i + u + 1         indices; and the way back from parts to the whole: i = 4*ib + ii
//   entry       a = {3,5,8}[n]          indices
//   counter     #i                      the entries within a coordinate, numbered: follows from nothing
//
// What a variable is differs.  A format derives what levels store from dimensions, which have numbers (coordinate.h);
// a statement derives index variables from each other, and its formulas for values and extents are made here.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "relation/formula.h"

namespace filigree::relation {

template <class V>
struct TermOf {
  V var;
  std::int64_t factor;
  bool operator==(const TermOf&) const = default;
};
/// offset + sum of factor*var
template <class V>
struct SumOf {
  std::vector<TermOf<V>> terms = {};
  std::int64_t offset = 0;
  bool operator==(const SumOf&) const = default;
};
/// (whole / divisor) % modulus; a modulus of 0 takes no remainder.
template <class V>
struct DigitsOf {
  V whole;
  std::int64_t divisor = 1;
  std::int64_t modulus = 0;
  bool operator==(const DigitsOf&) const = default;
};
/// plus - minus
template <class V>
struct DifferenceOf {
  V plus, minus;
  SumOf<V> sum() const { return {{{plus, 1}, {minus, -1}}}; }
  bool operator==(const DifferenceOf&) const = default;
};
/// The entry of a list that has this number.
template <class V>
struct EntryOf {
  SumOf<V> number;
  std::vector<std::int64_t> list;
  bool operator==(const EntryOf&) const = default;
};
/// 0, 1, 2, ... for the entries with one coordinate; no function of the coordinates.
template <class V>
struct CounterOf {
  V within;
  bool operator==(const CounterOf&) const = default;
};

using Sum = SumOf<IndexVar>;
using Entry = EntryOf<IndexVar>;

/// The coordinates a variable can have: `extent` of them from `origin` on.
struct RangeFormulas {
  Formula origin, extent;
  bool operator==(const RangeFormulas&) const = default;
};
RangeFormulas from_zero(const Formula& extent);
RangeFormulas from_zero(std::int64_t extent);
/// Of digits and differences of what has so many coordinates, from 0 on.
RangeFormulas digits_range(const Formula& whole, std::int64_t divisor, std::int64_t modulus);
RangeFormulas difference_range(const Formula& plus, const Formula& minus);

// Values, from those of the variables.
Formula value(const Sum& sum);
Formula value(const DigitsOf<IndexVar>& digits);
Formula value(const Entry& entry);

/// How many values `var` can have with the sum, to which it belongs, inside of 0 .. `size`: from 0 on, with the other
/// variables wherever they can be.
Formula room_in(const Sum& sum, const IndexVar& var, const Formula& size);

}  // namespace filigree::relation
