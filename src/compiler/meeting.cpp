#include "compiler/meeting.h"

#include <cmath>

#include <fmt/format.h>

namespace filigree::compiler {
namespace {

/// Fewer components are gone through in no time.
constexpr double large = 0x1p15;
constexpr autoschedule::Walks::Effort little = {0.25, 256, 20'000};

}  // namespace

std::string meeting_of(const notation::Statement& statement, const autoschedule::KnownInputs& inputs) {
  autoschedule::Universe universe;
  autoschedule::Query all;
  std::map<IndexVar, std::uint8_t> vars;
  double stored = 0;
  for (const notation::Access& access : notation::accesses(statement.rhs)) {
    if (!access.tensor.may_be_absent()) continue;
    auto known = inputs.stored.find(access.tensor.name());
    stored += known == inputs.stored.end() ? 0 : known->second;
    autoschedule::Atom atom;
    if (access.indices.size() > autoschedule::most_modes) return "";
    atom.tensor = static_cast<std::uint8_t>(universe.tensors.size());
    atom.order = static_cast<std::uint8_t>(access.indices.size());
    universe.tensors.push_back(access.tensor.name());
    for (size_t d = 0; d < access.indices.size(); d++) {
      if (access.indices[d].map()) return "";
      auto [var, is_new] = vars.emplace(access.indices[d], static_cast<std::uint8_t>(vars.size()));
      if (is_new) universe.indices.push_back(access.indices[d].name());
      atom.vars[d] = var->second;
    }
    all.atoms.push_back(atom);
    if (vars.size() > autoschedule::most_variables) return "";
  }
  if (!inputs.walks || all.atoms.size() < 2 || stored < large) return "";
  all.head = (std::uint32_t{1} << vars.size()) - 1;
  std::optional<double> count = inputs.walks->count(all, universe, {}, little);
  return count ? fmt::format("meeting {}\n", std::ilogb(*count + 1)) : "";
}

}  // namespace filigree::compiler
