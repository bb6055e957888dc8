// Numbers as bars of text.
#pragma once

#include <string>

namespace filigree::tool {

/// Does the environment say that text is UTF-8?
bool shows_utf8();

/// A bar for a share from 0 to 1 of `width` characters: of blocks in eighths, or of '#'.  Never empty.
std::string bar(double share, int width, bool utf8);

}  // namespace filigree::tool
