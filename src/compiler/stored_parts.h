// Parts of a statement that may be worth a statement of their own.
#pragma once

#include <string>
#include <vector>

#include "notation/notation.h"

namespace filigree::compiler {

/// Are all of its indices variables?
bool is_plain(const notation::Expr& expr);
/// Is it a call that takes as long as many products?
bool is_costly(const notation::Expr& expr);

/// Does it have a component at every coordinate?
bool is_everywhere(const notation::Expr& expr);
/// A tensor of that name for what `made` assigns, with a place for each coordinate: flags say in the last dimension
/// what is there, or all is.
TensorVar with_places(const std::string& name, const notation::Statement& made, bool has_flags);

/// The statements with one more before one of them, which stores a part of that with a place for each of its
/// coordinates: a reduction, or a function that has fewer variables than the statement it is in.  Each way to do so.
///
///   W(i,j) = A(i,j)*log(n/f(j))   ->   w(j) = log(n/f(j)); W(i,j) = A(i,j)*w(j)
///
/// The part has a flag for each place, unless nothing depends on whether it is there: here A says what W stores.
std::vector<std::vector<notation::Statement>> stored_parts(const std::vector<notation::Statement>& statements);

}  // namespace filigree::compiler
