#include <algorithm>

#include <fmt/format.h>

#include "layouts/layout.h"
#include "support/text.h"

namespace filigree::layouts {

std::string to_string(const Layout& layout) {
  std::string text = fmt::format("layout {}({}) {{\n", layout.name, join(layout.dimensions, ", "));
  std::vector<std::string> arrays;
  for (const ArrayShape& array : layout.arrays) arrays.push_back(to_string(Expr::read(array.name, array.extents)));
  if (!arrays.empty()) text += "  arrays   " + join(arrays, ", ") + "\n";
  for (const Term& term : layout.terms) {
    text += fmt::format("  [{}] -> [{}] : {}\n", join(term.physical, ", "), join(term.logical, ", "),
                        to_string(term.relation));
    text += "  value    " + to_string(term.value) + "\n";
  }
  for (const Formula& property : layout.properties) text += "  where    " + to_string(property) + "\n";
  return text + "}\n";
}

}  // namespace filigree::layouts
