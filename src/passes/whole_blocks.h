// Blocks that are within their dimensions are gone through without asking at each place.
#pragma once

#include "ir/ir.h"
#include "policy/policy.h"

namespace filigree::passes {

/// The last block of a dimension may reach beyond it, so loops over the places of a block ask at each of them.  All but
/// a few blocks are within; where one is, nothing is asked, and what is known to be 4 x 4 is computed without branches:
///
///     for ii = 0 .. 4 {                        if 4 * ib + 3 < i_size {
///       var i = 4 * ib + ii                      for ii = 0 .. 4 {
///       if i < i_size { ... }          =>          var i = 4 * ib + ii
///     }                                            ...
///                                              } else {
///                                                as before
///                                              }
///
/// with one question for loops inside of each other.
/// Requires: verify(function) passes.  Ensures: it still does.
ir::FunctionDef whole_blocks(const ir::FunctionDef& function, const policy::WholeBlocks& policy = {});

}  // namespace filigree::passes
