// What options say about files: what their coordinates count from, which of them is a standard stream, and whether they
// can be written.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "arguments.h"
#include "support/warning.h"

namespace filigree::tool {

/// 0 or 1.  Throws UsageError.
int parse_base(const std::string& text);

/// What the coordinates in the file of a tensor count from, if --base says it; without a name it is about files that
/// are read.
std::optional<int> file_base(const RunArguments& arguments, const std::string& tensor, bool is_read = true);

/// Each --base that changes nothing: no file that it is about is an edge list, or counts otherwise.
std::vector<Warning> bases_without_effect(const RunArguments& arguments);
/// The same of convert and info: `base` is about `path`.
std::optional<Warning> base_without_effect(const std::string& option, int base, const std::string& path);

/// Throws UsageError if several tensors are read from standard input, or several are written to one place, which would
/// lose all but the last; UserError if one cannot be written.
void check_streams(const RunArguments& arguments);

/// Throws UserError if a path cannot be written, as far as can be told before there is something to write.
void check_output(const std::string& path);

/// Is it standard output, "-" or /dev/stdout?  Then nothing else may be printed there.
bool is_standard_output(const std::string& path);

}  // namespace filigree::tool
