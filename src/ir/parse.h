// Text of the IR -> the function it was printed from.
#pragma once

#include <string>

#include "ir/ir.h"

namespace filigree::ir {

/// Ensures: print(parse(print(f))) == print(f).  Throws UserError with the line for text that is no function; that the
/// function can run, verify() says.
FunctionDef parse(const std::string& text);

}  // namespace filigree::ir
