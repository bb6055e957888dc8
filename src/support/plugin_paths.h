// Where plug-ins of Filigree may be: shared objects that are opened when they are needed.
#pragma once

#include <string>
#include <vector>

namespace filigree {

/// Paths of the plug-in `file`, best first: what the environment variable names, or else beside the program or library
/// that this code is part of, where the loader looks, and in `installed`.
std::vector<std::string> plugin_paths(const std::string& file, const char* variable, const std::string& installed);

}  // namespace filigree
