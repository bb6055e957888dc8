// The system's C compiler as a child process.
#pragma once

#include <string>

#include "jit/compile.h"

namespace filigree::jit {

/// Which compiler would run and how, found without running it: its command, the files it names with sizes
/// and dates, and its arguments.  A UserError if there is none.
std::string system_compiler_identity(const CompileOptions& options);

/// C text -> the bytes of an ELF shared object.  Text the compiler rejects is an InternalError with its output.
std::string compile_with_system_compiler(const std::string& c_text, const CompileOptions& options,
                                         CompileReport& report);

/// A library with the address sanitizer ends a process that does not already run under it; so that
/// case is a UserError here.
void require_sanitizer_runtime();

}  // namespace filigree::jit
