// What the machine has not enough of to compile or load a kernel: told by what compilers, linkers and loaders say.
#pragma once

#include <string>

#include "support/diagnostic.h"

namespace filigree::jit {

/// Does a text say that memory, room for files or processes ran out?
bool names_a_shortage(const std::string& text);

/// What ran out `when`, such as "while a kernel was compiled", and what to do.  Of a text that names nothing, it is
/// memory.
UserError compiler_ran_out(const std::string& when, const std::string& text);

/// "Cannot {what}: {reason}", of a file or folder for a compiler.  The hint is for what is wrong with the place; where
/// it is the process that may not have more, that is said instead.
UserError cannot_use_temporary(const std::string& what, int error, const std::string& hint);

}  // namespace filigree::jit
