#include "layouts/bounds.h"

#include <algorithm>

namespace filigree::layouts {
namespace {

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// `variable` alone on one side, as `variable + offset`: the offset.
std::optional<Expr> offset_of(const Expr& side, const std::string& variable) {
  if (side.is_name(variable)) return Expr::number(0);
  if (side.parts().size() != 2 || side.kind() == Expr::Kind::Read) return std::nullopt;
  const Expr &a = side.parts()[0], &b = side.parts()[1];
  if (side.kind() == Expr::Kind::Add && !mentions(b, variable)) {
    std::optional<Expr> inner = offset_of(a, variable);
    return inner ? std::optional(*inner + b) : std::nullopt;
  }
  if (side.kind() == Expr::Kind::Add && !mentions(a, variable)) {
    std::optional<Expr> inner = offset_of(b, variable);
    return inner ? std::optional(*inner + a) : std::nullopt;
  }
  if (side.kind() == Expr::Kind::Subtract && !mentions(b, variable)) {
    std::optional<Expr> inner = offset_of(a, variable);
    return inner ? std::optional(*inner - b) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

bool is_known(const Layout& layout, const Expr& expr, const std::vector<std::string>& variables) {
  std::vector<std::string> parameters = layout.parameters();
  for (const std::string& name : names_in(expr)) {
    if (!contains(variables, name) && !contains(layout.dimensions, name) && !contains(parameters, name)) return false;
  }
  return true;
}

VariableBounds find_bounds(const Layout& layout, const Term& term, const std::string& variable,
                           const std::vector<std::string>& known) {
  VariableBounds bounds;
  for (const Formula& part : term.relation.parts) {
    if (!part.is_comparison() || part.kind == Formula::Kind::NotEqual) continue;
    const Expr &a = part.sides[0], &b = part.sides[1];
    std::optional<Expr> left = mentions(b, variable) ? std::nullopt : offset_of(a, variable);
    std::optional<Expr> right = mentions(a, variable) ? std::nullopt : offset_of(b, variable);
    if (left && is_known(layout, b, known)) {  // variable + left < b
      if (!is_known(layout, *left, known)) continue;
      Expr limit = b - *left;
      if (part.kind == Formula::Kind::Equal) bounds.equal = limit;
      else bounds.upper.push_back(part.kind == Formula::Kind::Less ? limit : limit + Expr::number(1));
      bounds.used.push_back(part);
    } else if (right && is_known(layout, a, known)) {  // a < variable + right
      if (!is_known(layout, *right, known)) continue;
      Expr limit = a - *right;
      if (part.kind == Formula::Kind::Equal) bounds.equal = limit;
      else bounds.lower.push_back(part.kind == Formula::Kind::Less ? limit + Expr::number(1) : limit);
      bounds.used.push_back(part);
    }
  }
  return bounds;
}

VariableBounds bounds_of_places(const Layout& layout, const Term& term, const std::string& variable) {
  VariableBounds bounds;
  auto look = [&](const Expr& part) {
    if (part.kind() != Expr::Kind::Read) return;
    const ArrayShape* array = layout.find_array(part.text());
    for (size_t n = 0; array && n < part.parts().size(); n++) {
      std::optional<Expr> offset = offset_of(part.parts()[n], variable);
      if (!offset || offset->kind() != Expr::Kind::Number || offset->value() < 0) continue;
      Expr limit = array->extents[n] - *offset;
      if (std::find(bounds.upper.begin(), bounds.upper.end(), limit) == bounds.upper.end())
        bounds.upper.push_back(limit);
      if (offset->is(0) && bounds.lower.empty()) bounds.lower.push_back(Expr::number(0));
    }
  };
  for_each(term.relation, look);
  for_each(term.value, look);
  return bounds;
}

std::optional<Expr> find_coordinate(const Term& term, size_t dimension) {
  const std::string& variable = term.logical[dimension];
  for (const Formula& part : term.relation.parts) {
    if (part.kind != Formula::Kind::Equal) continue;
    for (size_t side = 0; side < 2; side++) {
      const Expr& other = part.sides[1 - side];
      std::vector<std::string> names = names_in(other);
      bool physical =
          std::none_of(names.begin(), names.end(), [&](const std::string& n) { return contains(term.logical, n); });
      if (part.sides[side].is_name(variable) && physical) return other;
    }
  }
  return std::nullopt;
}

std::optional<Expr> solve_for(const Expr& extent, const std::string& size) {
  int times = 0;
  for_each(extent, [&](const Expr& part) { times += part.is_name(size); });
  if (times != 1) return std::nullopt;
  Expr at = extent, value = Expr::name("extent");
  while (!at.is_name(size)) {
    if (at.parts().size() != 2) return std::nullopt;
    const Expr left = at.parts()[0], right = at.parts()[1];
    bool in_left = mentions(left, size);
    const Expr& other = in_left ? right : left;
    switch (at.kind()) {
      case Expr::Kind::Add: value = value - other; break;
      case Expr::Kind::Subtract: value = in_left ? value + other : other - value; break;
      case Expr::Kind::Multiply: value = Expr::binary(Expr::Kind::Quotient, value, other); break;
      case Expr::Kind::Quotient:
        if (!in_left) return std::nullopt;
        value = value * other + (other - Expr::number(1));
        break;
      case Expr::Kind::Number:
      case Expr::Kind::Name:
      case Expr::Kind::Read:
      case Expr::Kind::Remainder: return std::nullopt;
    }
    at = in_left ? left : right;
  }
  return value;
}

bool is_natural(const Layout& layout, const Expr& expr) {
  switch (expr.kind()) {
    case Expr::Kind::Number: return expr.value() >= 0;
    case Expr::Kind::Name:
      for (const Term& term : layout.terms) {
        auto is = [&](const std::string& name) { return name == expr.text(); };
        if (std::none_of(term.physical.begin(), term.physical.end(), is)) continue;
        VariableBounds bounds = find_bounds(layout, term, expr.text(), {});
        auto natural = [](const Expr& e) { return e.kind() == Expr::Kind::Number && e.value() >= 0; };
        if (std::none_of(bounds.lower.begin(), bounds.lower.end(), natural)) return false;
      }
      return true;
    case Expr::Kind::Add:
    case Expr::Kind::Multiply:
    case Expr::Kind::Quotient: return is_natural(layout, expr.parts()[0]) && is_natural(layout, expr.parts()[1]);
    case Expr::Kind::Remainder: return true;
    case Expr::Kind::Read:
    case Expr::Kind::Subtract: break;
  }
  return false;
}

}  // namespace filigree::layouts
