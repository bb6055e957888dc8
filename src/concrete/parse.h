// Text -> concrete index notation, so that stages can be tested from here on.
#pragma once

#include <map>
#include <string>

#include "concrete/concrete.h"

namespace filigree::concrete {

/// Reads what to_string prints: forall(i, ...), where(consumer, producer), sequence(a; b), multi(a; b) and
/// assignments.  Lines below it, which say how variables follow from others, are read over.  Requires: a variable for every tensor.  Throws UserError pointing into the text.
/// `indices` gets the index variables, by name.
Stmt parse(const std::string& text, const std::map<std::string, TensorVar>& tensors,
           std::map<std::string, IndexVar>& indices);

}  // namespace filigree::concrete
