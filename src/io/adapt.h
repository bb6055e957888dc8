// What was expected of a binary file, made of what is in it.
#pragma once

#include <string>

#include "io/contents.h"
#include "io/files.h"

namespace filigree::io {

/// With the order, dimensions and type that are asked for.  Throws UserError where they are others, or a value does not fit the type.
Contents adapted(Contents contents, const ReadOptions& options, const std::string& path);

/// A fill as a value of this type.  Throws UserError if it does not fit.
Scalar adapted_fill(const Scalar& fill, ElementType type, const std::string& path);

}  // namespace filigree::io
