// Kernels of statements that were evaluated before, so that the same statement is compiled once.
#pragma once

#include "compiler/kernel.h"

namespace filigree::front {

/// The kernel for a statement with these options, compiled if there is none yet.  Those with an observer are never
/// kept.
Kernel kernel_for(const notation::Statement& statement, const KernelOptions& options);

/// How many are kept.
size_t kept_kernels();

}  // namespace filigree::front
