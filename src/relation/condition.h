// A condition on coordinates, such as j <= i: where offset + sum of factor*coordinate is at least 0, is 0, or is not.
//
//   j <= i       i - j >= 0          i + 1 == j     1 + i - j == 0          i < 3     2 - i >= 0
//
// With all coordinates but one known, those for which it holds are neighbours (unless it says "is not"): so it bounds a
// loop.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace filigree::relation {

struct Condition {
  enum class Kind { AtLeast, Equal, NotEqual };
  std::vector<std::int64_t> factors;  // by dimension; none is 0
  std::int64_t offset = 0;
  Kind kind = Kind::AtLeast;
  bool operator==(const Condition&) const = default;
};

/// "j <= i", with these names of dimensions: no number in it is negative.
std::string to_string(const Condition& condition, const std::vector<std::string>& names);

}  // namespace filigree::relation
