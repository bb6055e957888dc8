// The manual page filigree(1), made from the table of options and the topics of help.
#pragma once

#include <string>

namespace filigree::tool {

std::string man_page();

}  // namespace filigree::tool
