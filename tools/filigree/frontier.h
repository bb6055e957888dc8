// --print frontier: the ways to compute a statement that no other way beats.
#pragma once

#include <string>

#include "compiler/kernel.h"

namespace filigree::tool {

/// As JSON, or in words.  With inputs for all operands, also how many tasks each cost may have, and which candidate
/// that speaks for.  `ways` are more members of the object of JSON (ways.h).
std::string frontier_text(const notation::Statement& statement, const filigree::Arguments& inputs, bool in_words,
                          const std::string& ways);

}  // namespace filigree::tool
