// Functions as a user would add them, for random programs and cases.
#pragma once

namespace filigree::reference {

///  joined(a, b)    a + b, of which nothing is known but that it can reduce
///  masked(a, b)    a where b is not 0, else 0: decided by either operand's 0
///  squared(a)      a*a
/// Once per process.
void add_functions();

}  // namespace filigree::reference
