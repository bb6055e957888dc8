// Names that a statement has, so that others are made up beside them.
#pragma once

#include "notation/notation.h"
#include "support/fresh_names.h"

namespace filigree::notation {

/// Takes the names of the statement's tensors and index variables.
void use_names(FreshNames& names, const Statement& statement);

}  // namespace filigree::notation
