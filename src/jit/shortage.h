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

}  // namespace filigree::jit
