#include "support/warning.h"

namespace filigree {

std::string Warning::text(Wording wording) const {
  return "warning: " + what_.text(wording).substr(std::string("error: ").size());
}

}  // namespace filigree
