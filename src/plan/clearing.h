// Where results get the fill that values are added up from.
//
//   A(i,j) += B(i,k) * C(k,j), A dense, i outermost: row i of A is cleared when the loop comes to i
#pragma once

#include "plan/plan.h"

namespace filigree::plan {

/// Notes, of results that are filled by inserting, in which loop they are cleared (Inserted::cleared_in).
void choose_clearing(Plan& plan);

/// Can what is below each coordinate of the outermost loop be cleared there?  Every coordinate of the tensor's first
/// level is visited, by one iteration, and no other iteration writes below it.
bool can_be_cleared_in(const IndexVar& var, const TensorVar& tensor, const Plan& plan);

}  // namespace filigree::plan
