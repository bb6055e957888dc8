// The second half of parsing: which names are tensors, of which order, and which are index variables.
#pragma once

#include "notation/parse.h"

namespace filigree::notation {

/// The statements of one text with their names.  Throws UserError where a name is used in two ways, in one statement or
/// in two.
std::vector<Parsed> collect_names(const Source& source, const std::vector<std::shared_ptr<const SyntaxTree>>& trees);

}  // namespace filigree::notation
