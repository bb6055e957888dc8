// Plans as text: what is printed is parsed back to an equal plan, which makes the same code.
#pragma once

#include <string>

#include "concrete/concrete.h"

namespace filigree::differential {

/// What is wrong with the text of the program's plan; nothing if it is right.  Requires: an assembled program.
std::string check_plan(const concrete::Program& program);

}  // namespace filigree::differential
