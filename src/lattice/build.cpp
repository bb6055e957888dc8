#include <algorithm>

#include "lattice/lattice.h"
#include "lattice/presence.h"
#include "support/check.h"

namespace filigree::lattice {
namespace {

/// The level of `access` that the loop over `var` reaches next, if there is one.
std::optional<int> next_level(const Access& access, const IndexVar& var, const std::vector<IndexVar>& bound) {
  std::vector<IndexVar> vars = concrete::level_vars(access);
  for (size_t level = 0; level < vars.size(); level++) {
    if (vars[level] == var) return static_cast<int>(level);
    if (!contains(bound, vars[level])) return std::nullopt;
  }
  return std::nullopt;
}

void for_each_read(const Stmt& stmt, const std::function<void(const Access&)>& visit) {
  concrete::for_each(stmt, [&](const Stmt& s) {
    if (const concrete::Assign* assign = s.as<concrete::Assign>()) {
      for (const Access& access : notation::accesses(assign->rhs)) visit(access);
    }
  });
}

}  // namespace

bool Operand::operator<(const Operand& other) const {
  if (!(tensor == other.tensor)) return tensor < other.tensor;
  if (level != other.level) return level < other.level;
  return path < other.path;
}

Operand operand_at(const Access& access, int level) {
  std::vector<IndexVar> vars = concrete::level_vars(access);
  vars.resize(level + 1, vars.front());
  return {access.tensor, level, vars};
}

bool Lattice::groups(size_t k) const {
  return !as_stored && !operands[k].tensor.format().levels()[operands[k].level].format->properties().unique;
}

Lattice build_lattice(const concrete::Forall& forall, const std::vector<IndexVar>& bound) {
  const Stmt& body = forall.body;
  const IndexVar& var = forall.var;
  Lattice lattice{var, {}, {}, forall.as_stored};
  for_each_read(body, [&](const Access& access) {
    std::optional<int> level = next_level(access, var, bound);
    if (!level || level::is_always_found(*access.tensor.format().levels()[*level].format)) return;
    Operand operand = operand_at(access, *level);
    if (std::find(lattice.operands.begin(), lattice.operands.end(), operand) == lattice.operands.end()) {
      lattice.operands.push_back(operand);
    }
  });
  internal_check(lattice.operands.size() < 31, "lattice", "too many operands meet in one loop", concrete::to_string(body));

  auto operand_of = [&](const Access& access) {
    std::optional<int> level = next_level(access, var, bound);
    if (!level) return -1;
    auto found = std::find(lattice.operands.begin(), lattice.operands.end(), operand_at(access, *level));
    return found == lattice.operands.end() ? -1 : static_cast<int>(found - lattice.operands.begin());
  };
  for (Mask present : presence_sets(body, operand_of)) {
    std::optional<Stmt> left = without_absent(body, [&](const Access& access) {
      int operand = operand_of(access);
      return operand >= 0 && !(present >> operand & 1);
    });
    if (left) lattice.points.push_back({present, *left});
  }
  return lattice;
}

}  // namespace filigree::lattice
