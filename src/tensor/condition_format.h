// A condition on coordinates as a tensor that nobody stores: its components are there where the condition holds.
//
//   j <= i, loops over i, j     i: composed, j: condition       row i has coordinates 0 <= j < min(i + 1, N), all of
//   them j <= i, loops over j, i     j: composed, i: condition       column j has coordinates j <= i < N
//
// So loops meet it like any operand: it drives them between its bounds, narrows those of others, or is looked up, which
// is a test.
#pragma once

#include <vector>

#include "relation/condition.h"
#include "tensor/format.h"

namespace filigree {

/// One level for each dimension, in this order; only the last one has gaps.
Format condition_format(const relation::Condition& condition, const std::vector<int>& dimensions);

}  // namespace filigree
