// Two results from the same loops.
#pragma once

#include <optional>

#include "concrete/concrete.h"

namespace filigree::concrete {

/// One program that does what both do in the loops that they have in common, each once; nothing unless
///
///  1. each is a nest of loops around assignments, and there are as many loops;
///  2. the variable of every loop runs over the same dimension of the same operand in both, so that it has the same
///  extent;
///  3. operands that are walked, rather than looked up, are the same in both, at the same indices;
///  4. what is absent contributes nothing, and results are dense or scalars, which can be filled in any order.
///
///   forall(i, forall(j, y(i) += A(i,j)*x(j)))  and  forall(k, forall(l, z(l) += A(k,l)*w(k)))
///       ->  forall(i, forall(j, multi(y(i) += A(i,j)*x(j); z(j) += A(i,j)*w(i))))
///
/// Requires: concretized programs without a schedule; neither reads what the other assigns, and they assign different
/// tensors.
std::optional<Program> share_loops(const Program& first, const Program& second);

}  // namespace filigree::concrete
