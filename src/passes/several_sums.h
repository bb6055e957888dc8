// Sums over places that nobody could guess are added up several at a time.
#pragma once

#include "ir/ir.h"
#include "policy/policy.h"

namespace filigree::passes {

/// Each addition to a sum waits for the one before it.  Where a loop of lanes reads from places that an array tells,
/// registers of several elements are no help: they are filled one element after the other.  So it gets several sums
/// instead, and adds these up behind the loop in a fixed order:
///
///     simd for p = begin .. end {          var p = begin
///       var j = crd[p]                     while p + 4 <= end {
///       t = t + vals[p] * x[j]               var j = crd[p]          t = t + vals[p] * x[j]
///     }                             =>       var j_1 = crd[p + 1]    t_1 = t_1 + vals[p + 1] * x[j_1]
///                                            ...                     p = p + 4
///                                          }
///                                          t = t + t_2 + (t_1 + t_3)
///                                          while p < end { ... t = t + vals[p] * x[j] ... }
///
/// Requires: verify(function) passes.  Ensures: it still does.
ir::FunctionDef several_sums(const ir::FunctionDef& function, int at_once = policy::Finishing().sums_at_once);

}  // namespace filigree::passes
