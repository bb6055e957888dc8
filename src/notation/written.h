// Statements as they are written, for messages.
#pragma once

#include <string>

#include "notation/notation.h"

namespace filigree::notation {

/// The left side: the user's text where there is one, so that no variable of ours is in it.
std::string written_left(const Statement& statement);

}  // namespace filigree::notation
