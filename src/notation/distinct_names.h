// Names tell things apart: operands are given by name, sizes and schedules speak of index variables by name.  Programs in C++ can
// give one name to several.
#pragma once

#include "notation/notation.h"

namespace filigree::notation {

/// Refuses different tensors of one name, in one statement or in several that run together: nobody could say which operand is whose.
void check_tensor_names(const std::vector<Statement>& statements);

/// The statement with a name of its own for each index variable: the first of one name keeps it.
///
///   y(i) = sum(k, A(i,k)) + sum(k', B(i,k')), both named k    becomes    y(i) = sum(k, A(i,k)) + sum(k2, B(i,k2))
Statement with_distinct_index_names(const Statement& statement);

}  // namespace filigree::notation
