#include "support/warning.h"

namespace filigree {

std::string Warning::text() const { return "warning: " + what_.text().substr(std::string("error: ").size()); }

}  // namespace filigree
