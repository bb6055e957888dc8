// Solves the equations of a relation for physical variables: i = 8*pi + pr with 0 <= pr < 8 gives pi = i/8, pr = i%8.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "layouts/layout.h"

namespace filigree::layouts {

/// constant + sum of factor*atom; atoms are names, reads, quotients and so on.
struct Linear {
  std::int64_t constant = 0;
  std::vector<std::pair<Expr, std::int64_t>> terms;
  void add(const Linear& other, std::int64_t factor);
  Expr expr() const;
};
/// Nothing where products of variables, or numbers that are too large, are in the way.
std::optional<Linear> linear(const Expr& expr);

/// The range of an atom from 0 on, if it is a number: of a variable by its bounds, of a read by a property.
std::optional<std::int64_t> constant_range(const Layout& layout, const Term& term, const Expr& atom);

/// What atoms are where `whole` has the value `value`; all others are known.  Digits must follow each other without
/// gaps, the last of factor 1.  Nothing if they do not follow.  In order of falling factors.
struct Solution {
  Expr atom, value;
};
std::optional<std::vector<Solution>> solve(const Layout& layout, const Term& term, const Expr& whole, const Expr& value,
                                           const std::vector<Expr>& atoms);

}  // namespace filigree::layouts
