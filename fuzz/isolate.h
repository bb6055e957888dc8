// check_program in a process of its own, so that a crash or a hang is a verdict like any other.
#pragma once

#include "fuzz/check_program.h"

namespace filigree::fuzz {

/// Requires: the calling process has one thread.
Verdict check_isolated(const Program& program, compiler::Target target, const CheckOptions& how = {},
                       int seconds = 60 * slowed_down);

/// "crash: Segmentation fault"
Verdict crash(int signal);
Verdict hang();
/// A program that asks for all memory fails alone, with an exception.
void limit_memory();

}  // namespace filigree::fuzz
