#include "plan/within.h"

#include <algorithm>
#include <bit>

#include "relation/derivation.h"

namespace filigree::plan {
namespace {

/// The operand that the loop goes through the coordinates of, if it goes through those of one.
bool steps_through_coordinates(const lattice::Lattice& lattice, const lattice::Strategy& strategy) {
  lattice::Mask steppers = strategy.with(concrete::Protocol::Step);
  if (strategy.over_universe || std::popcount(steppers) != 1) return false;
  const lattice::Operand& driver = lattice.operands[static_cast<size_t>(std::countr_zero(steppers))];
  return !driver.tensor.format().levels()[static_cast<size_t>(driver.level)].format->position_iteration();
}

bool is_sum_with(const IndexVar& var, const concrete::Derivation& derivation, const std::vector<IndexVar>& bound) {
  const relation::Sum* sum = derivation.as<relation::Sum>();
  return sum && contains(derivation.sources(), var) &&
         std::all_of(sum->terms.begin(), sum->terms.end(), [&](const auto& term) {
           return term.factor == 1 && (term.var == var || contains(bound, term.var));
         });
}

}  // namespace

std::vector<concrete::Derivation> asked_sums(const IndexVar& var, const std::vector<IndexVar>& bound,
                                             const concrete::Environment& environment) {
  std::vector<concrete::Derivation> all;
  for (const concrete::Derivation& derivation : environment.derivations) {
    if (derivation.guarded && !contains(bound, derivation.var) && is_sum_with(var, derivation, bound))
      all.push_back(derivation);
  }
  return all;
}

std::vector<IndexVar> kept_within(const lattice::Lattice& lattice, const lattice::Strategy& strategy,
                                  const std::vector<IndexVar>& bound, const concrete::Environment& environment) {
  std::vector<IndexVar> all;
  if (!steps_through_coordinates(lattice, strategy)) return all;
  for (const concrete::Derivation& sum : asked_sums(lattice.var, bound, environment)) {
    if (!contains(all, sum.var)) all.push_back(sum.var);
  }
  return all;
}

}  // namespace filigree::plan
