// Sums and results without branches that nobody can guess.  Internal to lowering.
#pragma once

#include <optional>

#include "ir/rewrite.h"

namespace filigree::lowering {

/// What two operands have in common cannot be guessed, and a wrong guess takes as long as a dozen steps.  So what is
/// only added up is added up as 0 where it does not count:
///
///     if (c) { var p = q + n; t = t + a[p] }   =>   var p = q + n; var term = a[p]; t = t + (c ? term : 0)
///
/// A sum that begins with 0 is the same then.  Only for statements that are not inside of another condition, as others
/// may say that something can be read at all; with `condition`, only where this one is asked.  `elsewhere`: what to
/// take for variables with which nothing can be read where it does not hold.
ir::Stmt without_branches(const ir::Stmt& stmt, const std::optional<ir::Expr>& condition = {},
                          const ir::Substitution& elsewhere = {});

/// The same, and what is appended is stored in any case, where the next entry then goes over it:
///
///     if (c) { A_crd[p] = j; A_vals[p] = a[q]; p = p + 1 }   =>   A_crd[p] = j; A_vals[p] = a[q]; p = p + int64(c)
///
/// Requires: wherever the statement runs, there is room for one entry more.
ir::Stmt append_without_branches(const ir::Stmt& stmt);

/// Is it computed in few steps, none of which can fail?
bool is_simple(const ir::Expr& expr);
/// Does something simple come to a number with a point?
bool adds_to_itself(const ir::Assign& assign);

}  // namespace filigree::lowering
