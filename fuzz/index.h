// The indices of a sketch's accesses: index variables, or what follows from them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace filigree::fuzz {

/// offset + the sum of factor*variable.  What a window or a list says about its variable's extent is written when the
/// sketch is, so that extents can be changed without touching indices.
struct Index {
  struct Term {
    char var;
    std::int64_t factor;
    bool operator==(const Term&) const = default;
  };
  std::vector<Term> terms = {};
  std::int64_t offset = 0;
  bool window = false;                  // i(offset, end, factor)
  std::vector<std::int64_t> list = {};  // as many as the variable's extent are used, from the first on
  std::string gathered = {};            // p(i)+offset: a tensor of integers, read at the only variable
  std::int64_t range = 0;               // p holds 0, ..., range-1
  std::int64_t modulus = 0;             // what is left by a division, if it is not 0

  bool is_variable() const { return is_sum() && terms.size() == 1 && terms[0].factor == 1 && offset == 0; }
  bool is_sum() const { return !window && list.empty() && gathered.empty() && modulus == 0; }
  bool selects() const { return !gathered.empty() || modulus != 0; }
  bool operator==(const Index&) const = default;
};

using Indices = std::vector<Index>;
constexpr std::int64_t largest_extent = 6;  // of a variable
using VarExtents = std::map<char, std::int64_t>;

/// i, j, ... as plain indices.
Indices plain_indices(const std::string& vars);
/// The variables, each once, in order.
std::string vars_of(const Indices& indices);
bool are_plain(const Indices& indices);

/// The coordinates that an index runs over; last < first if there are none.
struct Reach {
  std::int64_t first, last;
};
Reach reach(const Index& index, const VarExtents& extents);

/// Does every component of an access with these indices belong to one value of the variables, as far as can be seen at
/// once?
bool are_surely_injective(const Indices& indices);

std::string to_text(const Index& index, const VarExtents& extents);

}  // namespace filigree::fuzz
