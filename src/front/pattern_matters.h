// Does it matter for a statement which components of a tensor are stored, or only what their values are?
#pragma once

#include <string>

#include "notation/notation.h"

namespace filigree::front {

/// False if the result is the same, its pattern included, when `tensor` stores its fill wherever it stores nothing.
///
///   W(i,j) = A(i,j)*log(n/f(j))   about 'f': no    the fill of 'f' annihilates nothing, and 'A' says what is stored
///   W(i,j) = A(i,j)*f(j)          about 'f': yes   if its fill is 0
bool pattern_matters(const notation::Statement& statement, const std::string& tensor);

}  // namespace filigree::front
