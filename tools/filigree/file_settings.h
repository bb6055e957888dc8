// What options say about files: what their coordinates count from, and which of them is a standard stream.
#pragma once

#include <optional>
#include <string>

#include "arguments.h"

namespace filigree::tool {

/// 0 or 1.  Throws UsageError.
int parse_base(const std::string& text);

/// What the coordinates in the file of a tensor count from, if --base says it; without a name it is about files that are read.
std::optional<int> file_base(const RunArguments& arguments, const std::string& tensor, bool is_read = true);

/// Throws UsageError if several tensors are read from standard input, or several written to standard output.
void check_streams(const RunArguments& arguments);

}  // namespace filigree::tool
