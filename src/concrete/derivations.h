// Which variables follow from those that loops have bound.
#pragma once

#include "concrete/concrete.h"

namespace filigree::concrete {

/// Derivations that give a value to a variable that has none, when `bound` have; in an order in which they can be
/// computed.  Only variables that `stmt` uses, by itself or through others, and those that are guarded, which decide
/// whether there is anything to do; never a variable that a loop of `stmt` runs over.
std::vector<Derivation> derived(const Environment& environment, const std::vector<IndexVar>& bound, const Stmt& stmt);

/// `bound` and all that can be computed from it.
std::vector<IndexVar> with_computed(const Environment& environment, std::vector<IndexVar> bound);

/// `bound` and all that follows from it, whether or not code could compute it there.
std::vector<IndexVar> with_derived(const Environment& environment, std::vector<IndexVar> bound);
/// The same where this is assigned: what tensors tell that it does not read does not follow.
std::vector<IndexVar> with_derived(const Environment& environment, std::vector<IndexVar> bound, const Assign& at);

/// The value, from those of the variables that it follows from.  Requires: it follows from no point.
relation::Formula value(const Derivation& derivation);
/// May the value be below 0?
bool may_be_negative(const Environment& environment, const Derivation& derivation);

/// The lowest coordinate of a variable.
relation::Formula origin(const Environment& environment, const IndexVar& var);
/// How many coordinates it has, if that is known without any tensor.
std::optional<std::int64_t> constant_extent(const Environment& environment, const IndexVar& var);
/// The variable that it has as many coordinates as: itself, unless it is said to be like another.
IndexVar same_extent(const Environment& environment, const IndexVar& var);

/// A variable and the number of its coordinates.
struct DerivedExtent {
  IndexVar var;
  relation::Formula extent;
  bool is_room;  // as far as indices stay inside
};
/// All that follow from dimensions or from nothing, in an order in which they can be computed.
std::vector<DerivedExtent> derived_extents(const Environment& environment);
/// The number of coordinates of every variable that has a fixed one, given those of the statement's own variables.
/// Throws UserError if one does not fit in 64 bits.
std::map<IndexVar, std::int64_t> all_extents(const Environment& environment, std::map<IndexVar, std::int64_t> known);

/// "i = 4*ib + ii"
std::string to_string(const Derivation& derivation);
/// Is every point of the loops that are cut in one piece?  Not if an operand's positions number them that stores
/// coordinates several times.
bool divides_points(const PieceLoop& cut);
/// "i0: pieces of i, 32 coordinates each"
std::string to_string(const PieceLoop& cut);

/// The loop over `var`, if it is in place of several; else null.
const FlatLoop* flat_loop(const Environment& environment, const IndexVar& var);
/// "p1: i, j, by positions of A"
std::string to_string(const FlatLoop& flat);

/// Does a variable with this number of coordinates keep to it?
bool holds(const ExtentBound& bound, std::int64_t extent);
/// "'i' has exactly 17 coordinates"
std::string to_string(const ExtentBound& bound);
/// The number of coordinates, if the schedule says it.
std::optional<std::int64_t> exact_extent(const Environment& environment, const IndexVar& var);
/// A number that divides the number of coordinates; 1 if nothing is known.
std::int64_t known_divisor(const Environment& environment, const IndexVar& var);

/// Does the variable count entries?  Which slot an entry is in says nothing about its component.
bool is_slot(const Environment& environment, const IndexVar& var);

}  // namespace filigree::concrete
