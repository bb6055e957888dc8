// How evenly threads share the work, for --explain.
#pragma once

#include <string>
#include <vector>

#include "compiler/program.h"

namespace filigree::tool {

/// Runs the statements in the interpreter and counts what each iteration of parallel loops does.  Remarks on the
/// schedule that was made for them, if none is given, and on the loop that does the most; none if no loop is parallel.
std::vector<std::string> balance_remarks(const std::vector<notation::Statement>& statements, ProgramOptions options,
                                         const Arguments& inputs, const Sizes& sizes);

}  // namespace filigree::tool
