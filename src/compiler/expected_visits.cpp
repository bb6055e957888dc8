#include "compiler/expected_visits.h"

#include <algorithm>

#include "notation/substitute.h"

namespace filigree::compiler {
namespace {

using notation::Access;
using notation::Expr;

/// What no longer matters where `leader` is absent.
std::vector<Access> led_by(const Expr& rhs, const Access& leader) {
  std::vector<Access> left = notation::accesses(
                          notation::substitute_fill(rhs, [&](const Access& other) { return other == leader; })),
                      led;
  for (const Access& access : notation::accesses(rhs)) {
    if (!(access == leader) && std::find(left.begin(), left.end(), access) == left.end()) led.push_back(access);
  }
  return led;
}

}  // namespace

ExpectedVisits::ExpectedVisits(const notation::Statement& statement) {
  std::vector<Access> accesses = notation::accesses(statement.rhs);
  for (const Access& access : accesses) all_.push_back({access, {}});
  // Every leader is compared with all: of very long expressions a coarser estimate has to do.
  constexpr size_t most_compared = 200;
  if (accesses.size() > most_compared) return;
  for (const Access& leader : accesses) {
    if (!leader.tensor.may_be_absent()) continue;
    std::vector<Access> led = led_by(statement.rhs, leader);
    for (Visited& visited : all_) {
      const std::vector<IndexVar>& indices = visited.access.indices;
      if (std::find(led.begin(), led.end(), visited.access) == led.end()) continue;
      bool has_all = std::all_of(indices.begin(), indices.end(),
                                 [&](const IndexVar& var) { return contains(leader.indices, var); });
      visited.is_looked_up = visited.is_looked_up || (has_all && !visited.access.tensor.may_be_absent());
      if (leader.indices.size() == 1 && contains(indices, leader.indices[0])) visited.vectors.push_back(leader);
    }
  }
}

double ExpectedVisits::operator()(const std::map<std::string, std::int64_t>& stored,
                                  const std::map<IndexVar, std::int64_t>& extents) const {
  auto stored_in = [&](const Access& access) {
    auto found = stored.find(access.tensor.name());
    return found == stored.end() ? 0.0 : static_cast<double>(found->second);
  };
  double visits = 0;
  for (const Visited& visited : all_) {
    double share = visited.is_looked_up ? 0 : 1;
    for (const Access& vector : visited.vectors) {
      auto extent = extents.find(vector.indices[0]);
      if (extent != extents.end() && extent->second > 0)
        share = std::min(share, stored_in(vector) / static_cast<double>(extent->second));
    }
    visits += share * stored_in(visited.access);
  }
  return visits;
}

}  // namespace filigree::compiler
