// Which results get edges of parents in the end that loops do not come by.
//
//   A(i,j) = B(i,j), A csr, B dcsr      no loop comes to rows of A that B does not have
#pragma once

#include "plan/plan.h"

namespace filigree::plan {

/// Notes it of results that are appended to.
void note_gaps(Plan& plan);

/// Where a way of filling says it; null if it appends nothing.
const bool* gaps_of(const Filling& filling);

/// Is there a parent of the first level that is appended to, and no loop comes to it?  Requires: the tensor is a result
/// with such a level.
bool has_gaps(const Plan& plan, const TensorVar& tensor);

}  // namespace filigree::plan
