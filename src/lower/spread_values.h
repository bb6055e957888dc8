// Sums of products with an operand that has few coordinates, as if it had all of them.  Internal to lowering.
#pragma once

#include <optional>

#include "ir/rewrite.h"

namespace filigree::lowering {

/// Values of a remembered operand (remember.cpp) with a place for each coordinate, and 0 where there is none.
struct SpreadValues {
  ir::Var place;   // where the coordinate is, or -1
  ir::Var values;  // of the operand
  ir::Var spread;  // the same by coordinate
  ir::Var flags;   // and whether it is there
  ir::Expr key;    // the coordinate, counted from the first one
};

/// A sum, as code that reads nothing but what is spread.
struct SpreadSum {
  ir::Stmt code;
  ir::Var sum;
};

/// What does not count is multiplied by 0 where nothing says that it does not:
///
///     var n = places[j]                                         t = t + vals[p] * spread[j]
///     if n >= 0 { var q = begin + n; t = t + vals[p] * x[q] }   =>
///
/// 0 times infinity and 0 times what is no number are no numbers; then `sum` is none, either.  Whoever runs the code
/// looks at that, and takes the other way to it if it is so.
/// Nothing if the branch does something else than adding a product with one of the values to a number, and noting that
/// it did, or the number is no real floating-point number.  `branch` must be the question whether there is a place.
std::optional<SpreadSum> spread_sum(const ir::If& branch, const SpreadValues& operand);

}  // namespace filigree::lowering
