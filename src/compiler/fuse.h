// Temporaries that need not be stored: their statements become parts of those that read them.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "notation/program.h"
#include "policy/policy.h"

namespace filigree::compiler {

/// The steps with temporaries inlined (notation/inline.h) where one later step reads them, nothing they are computed
/// from changes until then, and the loops together copy no operand, keep no workspace but of one dimension, and walk no
/// operand more often than apart.
///
///   T(i,j) = sum(k, B(i,k)*C(k,j)); y(i) = sum(j, T(i,j)*x(j))   ->   y(i) = sum(j, sum(k, B(i,k)*C(k,j))*x(j))
///
/// Tensors in `kept` are left alone.
std::vector<notation::Step> fuse(std::vector<notation::Step> steps, const std::set<std::string>& kept,
                                 const policy::Policy& policy);

}  // namespace filigree::compiler
