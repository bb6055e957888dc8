// What a person is told when a kernel finds no memory: for which tensor, and how much.
#pragma once

#include "compiler/executable.h"
#include "concrete/concrete.h"
#include "support/diagnostic.h"

namespace filigree::compiler {

/// `activity` is as in "computing 'A' (3 x 4)"; `program` is what the kernel was made from.
UserError out_of_memory(const std::string& activity, const concrete::Program& program,
                        const MemoryLimit::Refused& refused);

}  // namespace filigree::compiler
