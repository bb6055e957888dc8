// The in-process compiler: opens the plug-in that holds clang (clang_plugin.h) on first use.
#pragma once

#include <string>

#include "jit/compile.h"

namespace filigree::jit {

/// What the plug-in must report to be used, known without opening it: LLVM's version and a digest of the
/// plug-in's sources.  Empty when Filigree was configured without clang.
std::string clang_version();

/// C text -> the bytes of an ELF shared object.  Text that clang rejects is an InternalError; a plug-in
/// that cannot be opened is a UserError.
std::string compile_with_clang(const std::string& c_text, const CompileOptions& options, CompileReport& report);

}  // namespace filigree::jit
