// What was expected of a file, made of what is in it; and what to say where it is something else.
#pragma once

#include <string>

#include "io/contents.h"
#include "io/files.h"
#include "support/diagnostic.h"

namespace filigree::io {

/// With the order, dimensions and type that are asked for.  Throws UserError where they are others, or a value does not
/// fit the type.
Contents adapted(Contents contents, const ReadOptions& options, const std::string& path);

/// "{what}, but 'A' is used with 1 index": the file holds `found` dimensions.
UserError wrong_order(const std::string& what, int found, int expected, const ReadOptions& options);
/// "write A(i,j)"
std::string access_hint(const std::string& tensor, int order);

/// A fill as a value of this type.  Throws UserError if it does not fit.
Scalar adapted_fill(const Scalar& fill, ElementType type, const std::string& path);

}  // namespace filigree::io
