#include "layouts/solve.h"

#include <algorithm>

#include "layouts/bounds.h"

namespace filigree::layouts {

void Linear::add(const Linear& other, std::int64_t factor) {
  constant += factor * other.constant;
  for (const auto& [atom, own] : other.terms) {
    auto same = std::find_if(terms.begin(), terms.end(), [&](const auto& term) { return term.first == atom; });
    if (same == terms.end()) terms.push_back({atom, factor * own});
    else same->second += factor * own;
  }
  std::erase_if(terms, [](const auto& term) { return term.second == 0; });
}

Expr Linear::expr() const {
  Expr sum = Expr::number(0);
  for (const auto& [atom, factor] : terms) {
    if (factor > 0) sum = sum + Expr::number(factor) * atom;
  }
  for (const auto& [atom, factor] : terms) {
    if (factor < 0) sum = sum - Expr::number(-factor) * atom;
  }
  return constant < 0 ? sum - Expr::number(-constant) : sum + Expr::number(constant);
}

std::optional<Linear> linear(const Expr& expr) {
  constexpr std::int64_t most = std::int64_t{1} << 30;
  Linear out;
  switch (expr.kind()) {
    case Expr::Kind::Number:
      if (expr.value() > most || expr.value() < -most) return std::nullopt;
      out.constant = expr.value();
      return out;
    case Expr::Kind::Name:
    case Expr::Kind::Read:
    case Expr::Kind::Quotient:
    case Expr::Kind::Remainder: out.terms.push_back({expr, 1}); return out;
    case Expr::Kind::Add:
    case Expr::Kind::Subtract:
    case Expr::Kind::Multiply: break;
  }
  std::optional<Linear> a = linear(expr.parts()[0]), b = linear(expr.parts()[1]);
  if (!a || !b) return std::nullopt;
  if (expr.kind() == Expr::Kind::Multiply) {
    if (!a->terms.empty() && !b->terms.empty()) {
      out.terms.push_back({expr, 1});
      return out;
    }
    const Linear &number = a->terms.empty() ? *a : *b, &other = a->terms.empty() ? *b : *a;
    if (std::abs(number.constant) > most) return std::nullopt;
    out.add(other, number.constant);
    return out;
  }
  out = *a;
  out.add(*b, expr.kind() == Expr::Kind::Add ? 1 : -1);
  return out;
}

std::optional<std::int64_t> constant_range(const Layout& layout, const Term& term, const Expr& atom) {
  auto range = [](const VariableBounds& bounds) -> std::optional<std::int64_t> {
    bool from_zero = std::any_of(bounds.lower.begin(), bounds.lower.end(), [](const Expr& e) { return e.is(0); });
    if (!from_zero) return std::nullopt;
    for (const Expr& upper : bounds.upper) {
      if (upper.kind() == Expr::Kind::Number) return upper.value();
    }
    return std::nullopt;
  };
  if (atom.kind() == Expr::Kind::Name) return range(find_bounds(layout, term, atom.text(), {}));
  if (atom.kind() != Expr::Kind::Read) return std::nullopt;
  // 0 <= offset(a, b) < 4, at any places.
  bool from_zero = false;
  std::optional<std::int64_t> below;
  for (const Formula& formula : layout.properties) {
    Property property = resolve(layout, formula);
    if (property.term || property.two_instances || formula.kind == Formula::Kind::Implies) continue;
    auto is_array = [&](const Expr& e) { return e.kind() == Expr::Kind::Read && e.text() == atom.text(); };
    for (const Formula& part : formula.conjuncts()) {
      if (!part.is_comparison()) continue;
      if (part.kind == Formula::Kind::LessEqual && part.sides[0].is(0) && is_array(part.sides[1])) from_zero = true;
      if (part.kind == Formula::Kind::Less && is_array(part.sides[0]) && part.sides[1].kind() == Expr::Kind::Number)
        below = part.sides[1].value();
    }
  }
  return from_zero ? below : std::nullopt;
}

std::optional<std::vector<Solution>> solve(const Layout& layout, const Term& term, const Expr& whole, const Expr& value,
                                           const std::vector<Expr>& atoms) {
  std::optional<Linear> sum = linear(whole);
  if (!sum) return std::nullopt;
  struct Digit {
    Expr atom;
    std::int64_t factor;
  };
  std::vector<Digit> digits;
  Linear rest = *sum;
  for (const Expr& atom : atoms) {
    auto at = std::find_if(rest.terms.begin(), rest.terms.end(), [&](const auto& t) { return t.first == atom; });
    if (at == rest.terms.end() || at->second <= 0) return std::nullopt;
    digits.push_back({atom, at->second});
    rest.terms.erase(at);
  }
  // The others may not hide an unknown inside.
  for (const auto& [other, factor] : rest.terms) {
    for (const Expr& atom : atoms) {
      bool inside = false;
      for_each(other, [&](const Expr& part) { inside = inside || part == atom; });
      if (inside) return std::nullopt;
    }
  }
  std::stable_sort(digits.begin(), digits.end(), [](const Digit& a, const Digit& b) { return a.factor > b.factor; });
  if (digits.empty() || digits.back().factor != 1) return std::nullopt;
  Expr left = value - rest.expr();
  std::vector<Solution> solutions;
  for (size_t n = 0; n < digits.size(); n++) {
    Expr digit = Expr::binary(Expr::Kind::Quotient, left, Expr::number(digits[n].factor));
    if (n > 0) {
      std::optional<std::int64_t> range = constant_range(layout, term, digits[n].atom);
      if (!range || *range <= 0 || digits[n - 1].factor != digits[n].factor * *range) return std::nullopt;
      digit = Expr::binary(Expr::Kind::Remainder, digit, Expr::number(*range));
    }
    solutions.push_back({digits[n].atom, digit});
  }
  return solutions;
}

}  // namespace filigree::layouts
