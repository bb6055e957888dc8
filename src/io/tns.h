// FROSTT files (.tns): one entry per line, coordinates from 1, then the value; comments start with #.
#pragma once

#include <string>

#include "io/files.h"
#include "io/input.h"

namespace filigree::io {

Contents read_tns(TextFile& file, const ReadOptions& options);
void write_tns(const std::string& path, const AnyTensor& tensor, const WriteOptions& options);

/// What plain FROSTT cannot say, in a comment that readers skip who do not know it:
/// "# filigree type=complex128 dimensions=3,4 fill=inf".  Written only where the entries do not already imply it.
inline constexpr const char* tns_mark = "filigree";

}  // namespace filigree::io
