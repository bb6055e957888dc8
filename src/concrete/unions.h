// Keeps unions small: a loop over the union of n sparse operands needs 2^n cases.
#pragma once

#include <vector>

#include "notation/notation.h"

namespace filigree::concrete {

/// An upper bound on the lattice points a loop over `var` needs for `expr`: the sets of sparse
/// operands that can be present together.  Saturates at 1000.
int union_points(const notation::Expr& expr, const IndexVar& var);

/// Does some loop over `expr` need more points than we want to generate loops for?
bool is_oversized(const notation::Expr& expr);
bool is_oversized(const notation::Expr& expr, const IndexVar& var);

/// Would a loop over `var` around all of `expr`, marked parts included, be oversized?
bool is_oversized_inside(const notation::Expr& expr, const IndexVar& var);

/// The terms of a chain of + and -, flat, each with its sign; `expr` alone if it is no chain.
std::vector<notation::Expr> additive_terms(const notation::Expr& expr);

/// `expr` with large unions below its root marked to be computed into temporaries of their own, so that
/// its own loops stay small: a mark is a reduction over no variables.
notation::Expr mark_unions(const notation::Expr& expr);

}  // namespace filigree::concrete
