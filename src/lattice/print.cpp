#include "lattice/lattice.h"
#include "support/text.h"

namespace filigree::lattice {
namespace {

void describe(const Stmt& stmt, std::vector<IndexVar> bound, std::string& out) {
  match(
      stmt,
      [&](const concrete::Forall& n) {
        out += indent(to_string(build_lattice(n.body, n.var, bound)), 2 * static_cast<int>(bound.size()));
        bound.push_back(n.var);
        describe(n.body, bound, out);
      },
      [&](const concrete::Where& n) { describe(n.producer, bound, out), describe(n.consumer, bound, out); },
      [&](const concrete::Sequence& n) { for (const Stmt& s : n.statements) describe(s, bound, out); },
      [&](const concrete::Multi& n) { for (const Stmt& s : n.statements) describe(s, bound, out); },
      [&](const concrete::Assign&) {});
}

}  // namespace

std::string to_string(const Lattice& lattice) {
  std::string out = "forall " + lattice.var.name() + "\n";
  for (const Point& point : lattice.points) {
    std::vector<std::string> names;
    for (size_t k = 0; k < lattice.operands.size(); k++) {
      if (point.present >> k & 1) names.push_back(lattice.operands[k].tensor.name() + std::to_string(lattice.operands[k].level + 1));
    }
    std::string set = point.present == 0 ? "universe" : "{" + join(names, ", ") + "}";
    out += "  " + set + ": " + concrete::to_string(point.body) + "\n";
  }
  return out;
}

std::string describe_lattices(const Stmt& stmt) {
  std::string out;
  describe(stmt, {}, out);
  return out;
}

}  // namespace filigree::lattice
