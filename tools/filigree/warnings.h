// What a command does as it is written, but was probably not meant so.
#pragma once

#include "compiler/program.h"
#include "problem.h"
#include "support/warning.h"

namespace filigree::tool {

/// Values that are lost, inputs that are read for nothing else, and options without effect.
std::vector<Warning> find_warnings(const RunArguments& arguments, const Problem& problem, const Program& program,
                                   const ProgramOptions& options);

}  // namespace filigree::tool
