#include "concrete/products.h"

#include <algorithm>

#include "concrete/unions.h"

namespace filigree::concrete {

using notation::Apply;

bool collect_factors(const Expr& expr, std::vector<Access>& factors, std::vector<Access>& divisors) {
  if (const Access* access = expr.as<Access>()) {
    factors.push_back(*access);
    return true;
  }
  if (expr.as<notation::Literal>()) return true;
  const Apply* apply = expr.as<Apply>();
  if (!apply) return false;
  if (apply->op == Operator::Negate || apply->op == Operator::Conjugate)
    return collect_factors(apply->operands[0], factors, divisors);
  if (apply->op == Operator::Multiply) {
    return collect_factors(apply->operands[0], factors, divisors) &&
           collect_factors(apply->operands[1], factors, divisors);
  }
  return apply->op == Operator::Divide && collect_factors(apply->operands[0], factors, divisors) &&
         collect_factors(apply->operands[1], divisors, divisors);
}

namespace {

/// The level of `access` at `var`, if there is one.
const level::Format* level_at(const Access& access, const IndexVar& var) {
  for (const Level& level : access.tensor.format().levels()) {
    if (access.indices[level.dimension()] == var) return level.format.get();
  }
  return nullptr;
}

bool leads(const Access& access, const IndexVar& var) {
  if (!access.tensor.format().is_plain() || !access.tensor.fill().is_zero()) return false;
  const level::Format* level = level_at(access, var);
  return level && !level->locate() && level->properties().ordered == level::Ordered::Increasing &&
         !level->properties().padded;
}

/// The terms of a sum whatever their signs: of -(a + b), too.
std::vector<Expr> unsigned_terms(const Expr& expr) {
  std::vector<Expr> out;
  for (const Expr& term : additive_terms(expr)) {
    const Apply* apply = term.as<Apply>();
    bool is_negated = apply && apply->op == Operator::Negate;
    std::vector<Expr> inside = is_negated ? unsigned_terms(apply->operands[0]) : std::vector{term};
    out.insert(out.end(), inside.begin(), inside.end());
  }
  return out;
}

}  // namespace

bool is_led(const Expr& expr, const Access& access, const IndexVar& var) {
  for (const Expr& term : unsigned_terms(expr)) {
    std::vector<Access> all = notation::accesses(term), factors, divisors;
    if (std::find(all.begin(), all.end(), access) == all.end()) continue;
    bool is_product = collect_factors(term, factors, divisors) &&
                      std::find(divisors.begin(), divisors.end(), access) == divisors.end();
    bool led = std::any_of(factors.begin(), factors.end(),
                           [&](const Access& other) { return !(other.tensor == access.tensor) && leads(other, var); });
    if (!is_product || !led) return false;
  }
  return access.tensor.fill().is_zero();
}

bool can_be_found(const Expr& expr, const Access& access, const std::vector<IndexVar>& path) {
  const Format& format = access.tensor.format();
  if (!format.is_plain()) return false;
  std::vector<IndexVar> vars = level_vars(access);
  for (size_t k = 0; k < vars.size(); k++) {
    const level::Format& level = *format.levels()[k].format;
    level::Properties properties = level.properties();
    if (!properties.unique) return false;
    if (properties.ordered == level::Ordered::Increasing && !properties.padded) continue;
    if (!is_led(expr, access, vars[k])) return false;
    if (level.locate()) continue;
    if (properties.padded || !level.position_iteration()) return false;
    // A map is built where the loop begins: once, if it hangs from the root, else once for each run of the loop.
    auto own = std::find(path.begin(), path.end(), vars[k]);
    bool once = k == 0 || std::all_of(path.begin(), own, [&](const IndexVar& around) {
                  return std::find(vars.begin(), vars.begin() + k, around) != vars.begin() + k;
                });
    if (properties.ordered == level::Ordered::No && !once) return false;
  }
  return true;
}

}  // namespace filigree::concrete
