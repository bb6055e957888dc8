// What `filigree --version` prints.
#pragma once

#include <string>

namespace filigree::tool {

inline std::string version_text() { return "filigree " FILIGREE_VERSION "\n"; }

}  // namespace filigree::tool
