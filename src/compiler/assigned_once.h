// Scatters that assign: no component may get several values, which only the coordinates that tensors hold can tell.
#pragma once

#include <map>

#include "notation/notation.h"
#include "tensor/any_tensor.h"

namespace filigree::compiler {

/// Throws UserError that names two points, if the left side gives one component for both.
///
///   A(p(i),q(i)) = w(i)   asks for different pairs of coordinates     y(p(q(i))) = w(i)   for what q selects in p
///   y(i+1,P(i,j)) = ...   for different coordinates in each row       T(p(i),q(j)) = ...  for p and q, each by itself
///
/// `made` has the statement's selections.  Requires: the left side is injective in its own variables
/// (notation/injective.h), selected ones included.
void check_assigned_once(const notation::Statement& statement, const std::map<TensorVar, const AnyTensor*>& made,
                         const std::map<IndexVar, std::int64_t>& extents);

}  // namespace filigree::compiler
