// One index of an access: i, i+1, 2*i-3, x+u, 3, i(2,10), i(2,10,2), i({1,4,7}), p(i), p(q(i))+1, i+1 mod 8.
#pragma once

#include "notation/cursor.h"
#include "notation/syntax.h"
#include "notation/tensor_names.h"

namespace filigree::notation {

/// Takes the index up to the ',' or ')' that ends it.  `tensor` and `open` are the access's name and parenthesis, for
/// messages; `tensors` tell which names are no functions with a typo.
IndexUse parse_index(Cursor& cursor, const TensorNames& tensors, const Token& tensor, const Token& open);

}  // namespace filigree::notation
