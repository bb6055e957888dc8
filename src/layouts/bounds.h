// What bounds the variables of a relation, and what its equations can be solved for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "layouts/layout.h"

namespace filigree::layouts {

/// From the largest of `lower` to before the smallest of `upper`.
struct VariableBounds {
  std::vector<Expr> lower, upper;
  std::optional<Expr> equal = {};  // it is this
  std::vector<Formula> used = {};  // conjuncts of the relation that say so
  bool is_bounded() const { return equal || (!lower.empty() && !upper.empty()); }
};

/// What the conjuncts of a relation say of a variable alone, in terms of sizes and of variables that are `known`.
VariableBounds find_bounds(const Layout& layout, const Term& term, const std::string& variable,
                           const std::vector<std::string>& known);

/// Places of arrays are within the arrays: what that says of a variable that is itself a place.
VariableBounds bounds_of_places(const Layout& layout, const Term& term, const std::string& variable);

/// The equation that gives a logical variable from physical ones.
std::optional<Expr> find_coordinate(const Term& term, size_t dimension);

/// A size that occurs once in an extent: how it follows from the extent's value, by sums, differences and products with
/// numbers, and quotients by numbers (then it is the largest such size, as of (rows + 7)/8).  The name `extent` stands
/// for the value.
std::optional<Expr> solve_for(const Expr& extent, const std::string& size);

/// Does it name nothing but sizes and these variables?
bool is_known(const Layout& layout, const Expr& expr, const std::vector<std::string>& variables);

/// Does it look like something that is never negative?
bool is_natural(const Layout& layout, const Expr& expr);

}  // namespace filigree::layouts
