// The second half of parsing: which names are tensors, of which order, and which are index variables.
#pragma once

#include "notation/parse.h"

namespace filigree::notation {

/// Throws UserError where a name is used in two ways.
Parsed collect_names(const Source& source, std::shared_ptr<const SyntaxTree> tree);

}  // namespace filigree::notation
