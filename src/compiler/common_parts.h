// Parts that several statements have, or one has twice, computed once.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "notation/program.h"

namespace filigree::compiler {

/// The variables of `b` by those of `a` if the expressions are the same but for the names of these.  Nothing if they
/// are not, or have indices that are no variables.
std::optional<std::map<IndexVar, IndexVar>> renaming(const notation::Expr& a, const notation::Expr& b);

/// Of temporaries that are the same but for the names and the order of their dimensions, the first one.  Requires: each
/// tensor is assigned once; the last statement assigns the result.
///
///   w(P,i) = B(P,k)*C(k,i); w2(P,j) = B(P,k)*C(k,j); K(i,j) = w(P,i)*w2(P,j)
///   w(P,i) = B(P,k)*C(k,i); K(i,j) = w(P,i)*w(P,j)
std::vector<notation::Statement> without_copies(std::vector<notation::Statement> statements);

/// Steps in which a reduction that stands in several places is computed where it is first needed; nothing if there is
/// none.  What a step assigns as a whole is read by the others; elsewhere a new temporary with a place for each
/// coordinate holds it.  Left alone is what reads tensors that are assigned more than once.
std::optional<std::vector<notation::Step>> with_parts_once(const std::vector<notation::Step>& steps);

}  // namespace filigree::compiler
