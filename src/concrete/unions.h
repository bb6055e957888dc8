// Keeps unions small: a loop over the union of n sparse operands needs 2^n cases.
#pragma once

#include <vector>

#include "notation/notation.h"
#include "policy/policy.h"

namespace filigree::concrete {

using policy::UnionLimits;

/// An upper bound on the lattice points a loop over `var` needs for `expr`: the sets of sparse
/// operands that can be present together.  Saturates at 1000.
int union_points(const notation::Expr& expr, const IndexVar& var, const UnionLimits& limits = {});

/// Does some loop over `expr` need more points than we want to generate loops for?
bool is_oversized(const notation::Expr& expr, const UnionLimits& limits);

/// Would a loop over `var` around all of `expr`, marked parts included, be oversized?
bool is_oversized_inside(const notation::Expr& expr, const IndexVar& var, const UnionLimits& limits);

/// The terms of a chain of + and -, flat, each with its sign; `expr` alone if it is no chain.
std::vector<notation::Expr> additive_terms(const notation::Expr& expr);

/// Is the term a number that is written in the text?
bool is_number(const notation::Expr& term);
/// And does it add nothing?
bool is_zero(const notation::Expr& term);

/// `expr` with large unions below its root marked to be computed into temporaries of their own, so that
/// its own loops stay small: a mark is a reduction over no variables.  Expressions of many operands are taken apart
/// into unions of two.
notation::Expr mark_unions(const notation::Expr& expr, const UnionLimits& limits);

}  // namespace filigree::concrete
