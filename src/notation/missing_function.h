// Functions that people look for and that are not there: what to write instead.
#pragma once

#include <string>
#include <vector>

#include "notation/lex.h"

namespace filigree::notation {

/// Was a function more likely meant than a tensor: is this a function's name with a typo, one of libm's, or one that
/// other systems have?
bool is_likely_function(const std::string& name);

/// Number `name` of the tokens is used like a function that there is not.  Where statements can do what it does
/// elsewhere, the hint spells them with what stands in the text:
///
///   y(i) = argmax(j, A(i,j))     m(i) = max_over(j, A(i,j)); y(i) = min_over(j, select(A(i,j) == m(i), j, inf))
///   s = norm(x(i))               s = sqrt(sum(i, abs(x(i))^2))
UserError no_function(const Source& source, const std::vector<Token>& tokens, size_t name);

}  // namespace filigree::notation
