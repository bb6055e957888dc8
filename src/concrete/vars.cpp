#include "concrete/vars.h"

#include "support/text.h"

namespace filigree::concrete {

void append_new(Vars& vars, const Vars& more) {
  for (const IndexVar& var : more) {
    if (!contains(vars, var)) vars.push_back(var);
  }
}

Vars without(const Vars& vars, const Vars& removed) {
  Vars left;
  for (const IndexVar& var : vars) {
    if (!contains(removed, var)) left.push_back(var);
  }
  return left;
}

Vars concat(Vars a, const Vars& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

std::string names(const Vars& vars) {
  std::vector<std::string> parts;
  for (const IndexVar& var : vars) parts.push_back(var.name());
  return join(parts, ", ");
}

Vars swapped(Vars vars, const IndexVar& a, const IndexVar& b) {
  for (IndexVar& var : vars) var = var == a ? b : var == b ? a : var;
  return vars;
}

}  // namespace filigree::concrete
