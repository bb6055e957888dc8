// Which processor this is, without asking LLVM: part of every cache key.
#pragma once

#include <string>

namespace filigree::jit {

/// Text that differs whenever the compiler could choose other instructions for this machine.
/// Computed once per process.
const std::string& processor_fingerprint();

}  // namespace filigree::jit
