// The sorts and tables that kernels compiled in this process call.
#pragma once

#include <cstdint>

#include "ir/runtime/kernel.h"
#include "ir/runtime/functions.h"

namespace filigree::ir {

/// What `filigree_runtime::functions` must point to for text that is not stand-alone.
extern const filigree_functions host_functions;

}  // namespace filigree::ir
