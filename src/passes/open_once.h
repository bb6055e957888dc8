// What only the first iteration of a loop does is done before the loop.
#pragma once

#include "ir/ir.h"

namespace filigree::passes {

/// A result whose rows are made when something is stored in them asks in every iteration whether that was done:
///
///     for (o = 0; o < n; o++) {                          if (0 < n && !stored) {
///       if (!stored) {                                     GROW(vals, ...);
///         GROW(vals, ...);                                 stored = true;
///         stored = true;                       =>        }
///       }                                                for (o = 0; o < n; o++) {
///       vals[p * n + o] += ...;                            vals[p * n + o] += ...;
///     }                                                  }
///
/// Then neither lanes nor registers are of use.  The question moves out of all loops that ask it first in each
/// iteration. Requires: verify(function) passes.  Ensures: it still does.
ir::FunctionDef open_once(const ir::FunctionDef& function);

}  // namespace filigree::passes
