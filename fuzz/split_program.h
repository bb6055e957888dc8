// Programs of several statements, from programs of one: parts of the right side become temporaries.
#pragma once

#include <cstdint>

#include "fuzz/check_program.h"

namespace filigree::fuzz {

/// The program with one or two parts of its right side computed by statements of their own, into temporaries of random
/// formats; the program itself where that is not possible.  Now and then its result is computed twice.  The same seed
/// makes the same split.
///
///   r(i) = A(i,j)*x(j) + b(i)   ->   part1(i) = sum(j, A(i,j)*x(j)); r(i) = part1(i) + b(i)
Program split_program(const Program& program, std::uint64_t seed);

bool is_split(const Program& program);

/// As check_program, for several statements.
Verdict check_split_program(const Program& program, const KernelOptions& options);

}  // namespace filigree::fuzz
