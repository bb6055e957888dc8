// What a stand-alone file says around its kernels: how to compile and call them.  Internal.
#pragma once

#include <string>

#include "ir/ir.h"

namespace filigree::emit {

/// The comment at the top of the file.
std::string usage_text(const ir::Module& module, bool with_main);
/// A `main` that calls one kernel on empty tensors, to be edited.
std::string main_text(const ir::FunctionDef& function);

}  // namespace filigree::emit
