// What several long loops add to, one after the other, is gone through in strips that stay in the cache.
#pragma once

#include "ir/ir.h"
#include "policy/policy.h"

namespace filigree::passes {

/// A matrix that is stored by diagonals adds to all of a vector for each diagonal.  A vector that is larger than the
/// caches is then fetched and written back each time:
///
///     for p = begin .. end {                           if end - begin <= 64 {
///       var d = crd[p]                                   for s = 0 .. (n + 2047) // 2048 {
///       for i = max(0, -d) .. min(n, m - d) {              for p = begin .. end {
///         y[i] = y[i] + vals[p * n + i] * x[d + i]           var d = crd[p]
///       }                                         =>         for i = max(max(0, -d), s * 2048) ..
///     }                                                                 min(min(n, m - d), s * 2048 + 2048) {
///                                                              y[i] = y[i] + vals[p * n + i] * x[d + i]
///                                                        ...
///                                                      } else as before
///
/// Every element is added to in the same order.  There are few loops, so that those which have nothing in a strip take
/// less than clearing `y`.  Loops over all of a range are left alone.
/// Requires: verify(function) passes.  Ensures: it still does.
ir::FunctionDef strips(const ir::FunctionDef& function, const policy::Strips& policy = {});

}  // namespace filigree::passes
