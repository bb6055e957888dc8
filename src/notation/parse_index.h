// One index of an access: i, i+1, 2*i-3, x+u, 3, i(2,10), i(2,10,2), i({1,4,7}).
#pragma once

#include "notation/cursor.h"
#include "notation/syntax.h"

namespace filigree::notation {

/// Takes the index up to the ',' or ')' that ends it.  `tensor` and `open` are the access's name and parenthesis, for messages.
IndexUse parse_index(Cursor& cursor, const Token& tensor, const Token& open);

}  // namespace filigree::notation
