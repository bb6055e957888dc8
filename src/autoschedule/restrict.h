// A smaller universe: the schedules for which the TACO compiler has code (P4, 7.5 to 7.8), to compare with.
#pragma once

#include "autoschedule/enumerate.h"

namespace filigree::autoschedule {

/// Whatever the protocols: there is at most one temporary; it has at most one dimension, and a loop that fills it; at
/// most one dimension of a sparse result is inserted into, and none if there is a temporary.
bool is_simple(const Stmt& stmt, const Tensors& tensors);

/// Everything steps but for the dimension that is bound first, which may be located.  Temporaries step where they are
/// read alone, and are located elsewhere.
bool are_simple(const Choices& choices, std::uint64_t steps, const Stmt& stmt);

}  // namespace filigree::autoschedule
