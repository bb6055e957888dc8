// The oracle: what a statement means, computed over dense boxes (the rules are in docs/notation.md).
//
// Written to be obviously right, not fast: one recursive function walks the expression at one
// coordinate at a time.  It shares nothing with the compiler but the notation and the scalar algebra
// of one operator.
//
// At a coordinate a subexpression is
//   absent    a structural value: it follows from operands that are not stored, which hold their fill
//   literal   a number the user wrote, and nothing else
//   present   everything else
// An operator with an absent operand is absent if the known operands decide its value (x*0, 0/x, 0+0),
// otherwise present.  A reduction is present if some point of it is; otherwise it is absent, except that
// a fill which adds up with the number of points (a sum of fills that are not 0) is a value like any other.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "notation/notation.h"
#include "tensor/any_tensor.h"

namespace filigree::reference {

struct Component {
  bool present = false;
  Scalar value;
};

/// Every component of a tensor, present or not; the last dimension runs fastest.
struct Box {
  std::vector<std::int64_t> dimensions;
  Scalar fill;
  std::vector<Component> components;
  bool may_store_fill = false;  // over an empty dimension, what equals the fill may be stored or not

  Box(std::vector<std::int64_t> dimensions, const Scalar& fill);
  Component& at(const std::vector<std::int64_t>& coordinates);
  const Component& at(const std::vector<std::int64_t>& coordinates) const;
};

/// What a tensor stores is present; the rest holds the fill.
Box box_of(const AnyTensor& tensor);

/// Calls `visit` for every coordinate of a box with these dimensions, the last one running fastest.
template <class Visit>
void for_each_coordinate(const std::vector<std::int64_t>& dimensions, Visit visit) {
  for (std::int64_t extent : dimensions) {
    if (extent == 0) return;
  }
  std::vector<std::int64_t> at(dimensions.size(), 0);
  while (true) {
    visit(const_cast<const std::vector<std::int64_t>&>(at));
    size_t d = dimensions.size();
    while (d > 0 && ++at[d - 1] == dimensions[d - 1]) at[--d] = 0;
    if (d == 0) return;
  }
}

/// Do these differ by rounding at most?
bool close(const Scalar& a, const Scalar& b, double tolerance);

using Operands = std::map<std::string, Box>;
using Extents = std::map<std::string, std::int64_t>;

/// Values and support of the result.  Requires: reductions are bound; an operand for every tensor on the right, and one
/// for the left tensor if `op=` starts from its old value; in `extents`, by name, those of variables that no operand
/// has; "A.1" is the first dimension of the result.
Box evaluate(const notation::Statement& statement, const Operands& operands, const Extents& extents = {});

/// Throws UserError if an index that a tensor holds, or a remainder, is outside, whether or not anything is read there.
void check_selected(const notation::Statement& statement, const Operands& operands, const Extents& extents = {});

/// The extents of all variables that a statement names, as `evaluate` finds them; nothing if a name stands for two of
/// different extents.
std::optional<Extents> extents_by_name(const notation::Statement& statement, const Operands& operands,
                                       const Extents& given);

/// The same for a statement whose indices are as they are written (notation::resolve_with_indices): what an index reads
/// from a tensor, and what is left of it where it wraps around, is looked up for each point.  `shape` has the
/// dimensions and the fill of the result, `extents` those of all variables, by name. Throws UserError where an index is
/// outside, or a component is assigned twice.
Box evaluate_as_written(const notation::Statement& written, const Box& shape, const Operands& operands,
                        const Extents& extents);

/// The old value of the left tensor with a part of it updated, one component after the other.  Requires: an old value;
/// where a component gets several terms, they are of its type.  What is stored is not told: all that is written counts
/// as stored.
Box updated_part(const notation::Statement& statement, const Operands& operands, const Extents& extents = {});

/// What a tensor of this format stores to hold the support: full levels pad with the fill.
Box stored_in(const Box& support, const Format& format);

/// The first difference in type, dimensions, fill, stored pattern or values, in words; nothing if there is none.
/// Values may differ by `tolerance`, relative to the larger of 1 and the values.
std::optional<std::string> compare(const Box& expected, const AnyTensor& actual, double tolerance = 0);

}  // namespace filigree::reference
