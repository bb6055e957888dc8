// The format of a result that no -f names.
#pragma once

#include "notation/notation.h"

namespace filigree::tool {

/// Dense in a level only if the expression reaches every coordinate there, whatever was reached above; else
/// compressed.  Dimensions in order.
///
///   y(i) = sum(j, A(i,j)*x(j))     A csr: dense            A dcsr: sparse
///   A(i,j) = B(i,j) + C(i,j)       B csr, C csr: csr       B csr, C dense: dense
Format default_result_format(const notation::Statement& statement);

}  // namespace filigree::tool
