// What is certain about one or two points of a layout: the relation, places within arrays, and what the properties say
// of them.  Questions about layouts are asked of someone who can prove them (polyhedral/prove.h).
#pragma once

#include <functional>
#include <vector>

#include "layouts/layout.h"

namespace filigree::layouts {

/// Does the conclusion follow from the premises, whatever integers variables and arrays hold?  A yes is certain; a no
/// may also mean that nobody found out.
struct Question {
  std::vector<Formula> premises;
  Formula conclusion;
};
using Prover = std::function<bool(const Question&)>;

/// The same formula or expression about the second point.
Formula second(const Formula& formula, const Term& term);
Expr second(const Expr& expr, const Term& term);

/// What holds at a point: the relation, coordinates within the dimensions, sizes that are not negative.
std::vector<Formula> facts_of_point(const Layout& layout, const Term& term);
/// What the properties say about the points (of the term, if `two` also about a second one) and the places that are
/// read in `about`.
std::vector<Formula> facts_of_properties(const Layout& layout, size_t term, bool two,
                                         const std::vector<Formula>& about);

/// Both, for two points of the term of which `premises` hold.
Question about_two_points(const Layout& layout, size_t term, std::vector<Formula> premises, const Formula& conclusion);
/// For one point; its own relation is not taken for granted.
Question about_one_point(const Layout& layout, size_t term, std::vector<Formula> premises, const Formula& conclusion);

}  // namespace filigree::layouts
