// Fetches what a loop will write in places that nobody could guess.
#pragma once

#include "ir/ir.h"
#include "policy/policy.h"

namespace filigree::passes {

/// Where a loop goes over the coordinates of entries and writes each to the next free place of its row, and those
/// places are far apart, the processor waits for memory in every iteration.  Such loops look `distance` entries ahead
/// then:
///
///     for (p = B_pos[0]; p < B_pos[1]; p++) {          bool jumps = scattered(B_crd, B_pos[0], B_pos[1]) != 0;
///       j = B_crd[p];                                  for (p = B_pos[0]; p < B_pos[1]; p++) {
///       q = A_pos[j];                           =>       if (jumps) fetch(A_vals, A_pos[B_crd[min(p + 16, last)]]);
///       A_pos[j]++;                                      ...
///       A_vals[q] = B_vals[p];                         }
///     }
///
/// also if the entries are those of one row in each iteration of a loop around it.  Whether entries are scattered is
/// found out at run time: fetching what is near takes longer than it saves.  C compilers make two loops of it.
/// Requires: verify(function) passes.  Ensures: it still does.
ir::FunctionDef fetch_ahead(const ir::FunctionDef& function, std::int64_t distance = policy::Finishing().fetched_ahead);

}  // namespace filigree::passes
