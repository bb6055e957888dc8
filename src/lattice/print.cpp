#include <fmt/format.h>

#include "concrete/derivations.h"
#include "lattice/lattice.h"
#include "support/text.h"

namespace filigree::lattice {
namespace {

void describe(const Stmt& stmt, std::vector<IndexVar> bound, int depth, const concrete::Environment& environment,
              std::string& out) {
  for (const concrete::Derivation& derivation : concrete::derived(environment, bound, stmt))
    bound.push_back(derivation.var);
  match(
      stmt,
      [&](const concrete::Forall& n) {
        out += indent(to_string(build_lattice(n, bound, environment)), 2 * depth);
        bound.push_back(n.var);
        describe(n.body, bound, depth + 1, environment, out);
      },
      [&](const concrete::Where& n) {
        describe(n.producer, bound, depth, environment, out), describe(n.consumer, bound, depth, environment, out);
      },
      [&](const concrete::Sequence& n) {
        for (const Stmt& s : n.statements) describe(s, bound, depth, environment, out);
      },
      [&](const concrete::Multi& n) {
        for (const Stmt& s : n.statements) describe(s, bound, depth, environment, out);
      },
      [&](const concrete::Assign&) {});
}

/// B2 is level 2 of B; a condition has no other name than what it says.
std::string name_of(const Operand& operand) {
  const TensorVar& tensor = operand.tensor;
  if (!tensor.condition()) return tensor.name() + std::to_string(operand.level + 1);
  Access access{tensor, operand.path};
  for (int level = 0; level < tensor.order(); level++)
    access.indices[static_cast<size_t>(tensor.format().levels()[level].dimension())] = operand.path[level];
  return notation::to_string(access);
}

}  // namespace

std::string to_string(const Lattice& lattice) {
  std::string out = "forall " + lattice.var.name() + "\n";
  for (const Point& point : lattice.points) {
    std::vector<std::string> names;
    for (size_t k = 0; k < lattice.operands.size(); k++) {
      if (point.present >> k & 1) names.push_back(name_of(lattice.operands[k]));
    }
    std::string set = point.present == 0 ? "universe" : "{" + join(names, ", ") + "}";
    out += "  " + set + ": " + concrete::to_string(point.body) + "\n";
  }
  if (lattice.if_empty) {
    std::vector<std::string> names;
    for (const IndexVar& var : lattice.may_be_empty) names.push_back(var.name());
    out += fmt::format("  universe, if {} is empty: {}\n", join(names, " or "), concrete::to_string(*lattice.if_empty));
  }
  if (lattice.skipped) out += "  skipped: " + concrete::to_string(*lattice.skipped) + "\n";
  return out;
}

std::string describe_lattices(const concrete::Program& program) {
  std::string out;
  describe(program.statement, {}, 0, program.environment, out);
  return out;
}

}  // namespace filigree::lattice
