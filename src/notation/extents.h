// The extents of index variables, from the dimensions of tensors.
#pragma once

#include <map>

#include "notation/notation.h"

namespace filigree::notation {

/// A variable of which only indices that wrap around are known, i of wrap(x(i+1)), goes around once, or waits: another
/// statement may still tell it.
enum class Around { Once, Waits };

/// The extent of every index variable, and the dimension that every index such as i+1 runs in.  `dimensions` are the
/// tensors' known dimensions (a negative entry is unknown), `given` the extents a user stated.
///
///  * A dimension with a plain index gives its extent, and so do windows and lists.
///  * Otherwise a variable runs as far as the indices that use it stay inside: n - 2 for x in I(x+u) if I has n and u
///  three.
///  * A dimension that is not known, as the result's, is the smallest that holds all indices.
///
/// Throws UserError naming both tensors and both extents where two disagree, or the index that is outside of its
/// dimension; variables about which nothing is known are left out.
std::map<IndexVar, std::int64_t> infer_extents(const Statement& statement,
                                               const std::map<TensorVar, std::vector<std::int64_t>>& dimensions,
                                               const std::map<IndexVar, std::int64_t>& given,
                                               Around around = Around::Once);

/// In a statement of its own: do the variables of a part of `whole`, or of what is left of it, run as far as they do
/// there?  Not where an index such as i+1 is all that is left to tell how far i runs.
bool keeps_extents(const Expr& part, const Statement& whole);

/// "A.1" for the first dimension of 'A', among extents by name.
std::string dimension_name(const TensorVar& tensor, size_t dimension);

/// The statement's own extents, for those of its variables that are among these.
void give_extents(Statement& statement, const std::map<std::string, std::int64_t>& extents);

}  // namespace filigree::notation
