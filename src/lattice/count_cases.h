// How much code the loops of a program take, before any is made.
#pragma once

#include "concrete/concrete.h"

namespace filigree::lattice {

/// The assignments that code for the program will have: a loop over several operands has one for each point of its
/// lattice, and each of the points below it comes again in the loop of the point; all of these have the loops inside.
///
///   a(i) = b(i) + c(i), b and c compressed       5: three in the loop over both, one in each of the loops over what is
///   left
///
/// Stops counting above `enough`, which is then less than what is returned.
std::int64_t count_cases(const concrete::Program& program, std::int64_t enough);

}  // namespace filigree::lattice
