// Indices that follow from index variables: i+1, 3, windows, lists, the second i of B(i,i).
#pragma once

#include "notation/notation.h"

namespace filigree::notation {

/// The statement with one variable for each index such as i+1 of a tensor's dimension, however often it is written, and
/// with the second of two equal indices of an access following from the first, the one whose level comes earlier.
Statement share_indices(const Statement& statement);

bool has_maps(const Access& access);
bool has_maps(const Statement& statement);

}  // namespace filigree::notation
