// Products inside expressions: what decides where they are anything but zero.
#pragma once

#include "concrete/concrete.h"

namespace filigree::concrete {

/// The factors of a product, the divisors of a quotient apart; false if `expr` is not one.
bool collect_factors(const Expr& expr, std::vector<Access>& factors, std::vector<Access>& divisors);

/// Does `access` matter in a loop over `var` only where another operand leads?  That is one which every product that
/// reads `access` has as a factor, too, and whose level there can only be walked, in order.
bool is_led(const Expr& expr, const Access& access, const IndexVar& var);

/// Can loops over `path` find every component of `access` that `expr` needs where it is stored, although they cannot
/// walk its levels in order?  Then no copy is needed.  Not if a map of its coordinates would have to be built again and
/// again.
bool can_be_found(const Expr& expr, const Access& access, const std::vector<IndexVar>& path);

}  // namespace filigree::concrete
