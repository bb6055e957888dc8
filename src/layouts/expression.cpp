#include "layouts/expression.h"

#include <algorithm>

#include <fmt/format.h>

#include "support/text.h"

namespace filigree::layouts {

struct Expr::Node {
  Kind kind;
  std::int64_t value = 0;
  std::string text;
  bool primed = false;
  std::vector<Expr> parts;
  Span span;
};

std::int64_t floor_quotient(std::int64_t a, std::int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }
std::int64_t floor_remainder(std::int64_t a, std::int64_t b) { return a - floor_quotient(a, b) * b; }

Expr Expr::number(std::int64_t value, Span span) {
  return Expr(std::make_shared<const Node>(Node{Kind::Number, value, "", false, {}, span}));
}

Expr Expr::name(std::string text, bool primed, Span span) {
  return Expr(std::make_shared<const Node>(Node{Kind::Name, 0, std::move(text), primed, {}, span}));
}

Expr Expr::read(std::string array, std::vector<Expr> places, Span span) {
  return Expr(std::make_shared<const Node>(Node{Kind::Read, 0, std::move(array), false, std::move(places), span}));
}

namespace {

/// False where the result does not fit, or nothing is the result.
bool fold(Expr::Kind kind, std::int64_t a, std::int64_t b, std::int64_t& out) {
  switch (kind) {
    case Expr::Kind::Add: return !__builtin_add_overflow(a, b, &out);
    case Expr::Kind::Subtract: return !__builtin_sub_overflow(a, b, &out);
    case Expr::Kind::Multiply: return !__builtin_mul_overflow(a, b, &out);
    case Expr::Kind::Quotient: return b > 0 ? (out = floor_quotient(a, b), true) : false;
    case Expr::Kind::Remainder: return b > 0 ? (out = floor_remainder(a, b), true) : false;
    case Expr::Kind::Number:
    case Expr::Kind::Name:
    case Expr::Kind::Read: break;
  }
  return false;
}

}  // namespace

Expr Expr::binary(Kind kind, const Expr& a, const Expr& b, Span span) {
  std::int64_t folded = 0;
  if (a.kind() == Kind::Number && b.kind() == Kind::Number && fold(kind, a.value(), b.value(), folded))
    return number(folded, span);
  if ((kind == Kind::Add || kind == Kind::Subtract) && b.is(0)) return a;
  if (kind == Kind::Add && a.is(0)) return b;
  if ((kind == Kind::Multiply || kind == Kind::Quotient) && b.is(1)) return a;
  if (kind == Kind::Multiply && a.is(1)) return b;
  if (kind == Kind::Multiply && (a.is(0) || b.is(0))) return number(0, span);
  return Expr(std::make_shared<const Node>(Node{kind, 0, "", false, {a, b}, span}));
}

Expr::Kind Expr::kind() const { return node_->kind; }
std::int64_t Expr::value() const { return node_->value; }
const std::string& Expr::text() const { return node_->text; }
bool Expr::primed() const { return node_->primed; }
const std::vector<Expr>& Expr::parts() const { return node_->parts; }
Span Expr::span() const { return node_->span; }

bool operator==(const Expr& a, const Expr& b) {
  if (a.node_ == b.node_) return true;
  const Expr::Node &x = *a.node_, &y = *b.node_;
  return x.kind == y.kind && x.value == y.value && x.text == y.text && x.primed == y.primed && x.parts == y.parts;
}

void for_each(const Expr& expr, const std::function<void(const Expr&)>& visit) {
  visit(expr);
  for (const Expr& part : expr.parts()) for_each(part, visit);
}

Expr substitute(const Expr& expr, const Replace& replace) {
  if (expr.kind() == Expr::Kind::Name) {
    const Expr* other = replace(expr);
    return other ? *other : expr;
  }
  if (expr.parts().empty()) return expr;
  std::vector<Expr> parts;
  for (const Expr& part : expr.parts()) parts.push_back(substitute(part, replace));
  if (parts == expr.parts()) return expr;
  return expr.kind() == Expr::Kind::Read ? Expr::read(expr.text(), std::move(parts), expr.span())
                                         : Expr::binary(expr.kind(), parts[0], parts[1], expr.span());
}

namespace {

void add_name(const Expr& expr, std::vector<std::string>& names) {
  if (expr.kind() != Expr::Kind::Name) return;
  if (std::find(names.begin(), names.end(), expr.text()) == names.end()) names.push_back(expr.text());
}

}  // namespace

Expr primed(const Expr& expr, const std::vector<std::string>& names) {
  std::vector<Expr> others;
  for (const std::string& name : names) others.push_back(Expr::name(name, true));
  return substitute(expr, [&](const Expr& name) -> const Expr* {
    for (const Expr& other : others) {
      if (other.text() == name.text()) return &other;
    }
    return nullptr;
  });
}

bool mentions(const Expr& expr, const std::string& name) {
  bool found = false;
  for_each(expr, [&](const Expr& part) { found = found || part.is_name(name); });
  return found;
}

std::vector<std::string> names_in(const Expr& expr) {
  std::vector<std::string> names;
  for_each(expr, [&](const Expr& part) { add_name(part, names); });
  return names;
}

Formula Formula::compare(Kind kind, const Expr& a, const Expr& b) {
  Formula out;
  out.kind = kind;
  out.sides = {a, b};
  return out;
}

namespace {

Formula collected(Formula::Kind kind, std::vector<Formula> parts) {
  Formula out;
  out.kind = kind;
  for (Formula& part : parts) {
    if (part.kind == kind) out.parts.insert(out.parts.end(), part.parts.begin(), part.parts.end());
    else out.parts.push_back(std::move(part));
  }
  return out.parts.size() == 1 ? Formula(out.parts[0]) : out;
}

}  // namespace

Formula Formula::all(std::vector<Formula> parts) { return collected(Kind::And, std::move(parts)); }
Formula Formula::any(std::vector<Formula> parts) { return collected(Kind::Or, std::move(parts)); }

Formula Formula::implies(const Formula& premise, const Formula& conclusion) {
  Formula out;
  out.kind = Kind::Implies;
  out.parts = {premise, conclusion};
  return out;
}

std::vector<Formula> Formula::conjuncts() const { return kind == Kind::And ? parts : std::vector<Formula>{*this}; }

void for_each(const Formula& formula, const std::function<void(const Expr&)>& visit) {
  for (const Expr& side : formula.sides) for_each(side, visit);
  for (const Formula& part : formula.parts) for_each(part, visit);
}

Formula substitute(const Formula& formula, const Replace& replace) {
  Formula out;
  out.kind = formula.kind;
  for (const Expr& side : formula.sides) out.sides.push_back(substitute(side, replace));
  for (const Formula& part : formula.parts) out.parts.push_back(substitute(part, replace));
  return out;
}

std::vector<std::string> names_in(const Formula& formula) {
  std::vector<std::string> names;
  for_each(formula, [&](const Expr& part) { add_name(part, names); });
  return names;
}

namespace {

int precedence(Expr::Kind kind) {
  switch (kind) {
    case Expr::Kind::Add:
    case Expr::Kind::Subtract: return 1;
    case Expr::Kind::Multiply:
    case Expr::Kind::Quotient:
    case Expr::Kind::Remainder: return 2;
    case Expr::Kind::Number:
    case Expr::Kind::Name:
    case Expr::Kind::Read: break;
  }
  return 3;
}

std::string printed(const Expr& expr, int least) {
  std::vector<std::string> parts;
  const int own = precedence(expr.kind());
  auto binary = [&](const char* symbol) {
    std::string text = printed(expr.parts()[0], own) + symbol + printed(expr.parts()[1], own + 1);
    return own < least ? "(" + text + ")" : text;
  };
  switch (expr.kind()) {
    case Expr::Kind::Number: return expr.value() < 0 ? fmt::format("({})", expr.value()) : std::to_string(expr.value());
    case Expr::Kind::Name: return expr.text() + (expr.primed() ? "'" : "");
    case Expr::Kind::Read:
      for (const Expr& part : expr.parts()) parts.push_back(printed(part, 0));
      return expr.text() + "(" + join(parts, ", ") + ")";
    case Expr::Kind::Add: return binary(" + ");
    case Expr::Kind::Subtract: return binary(" - ");
    case Expr::Kind::Multiply: return binary("*");
    case Expr::Kind::Quotient: return binary("/");
    case Expr::Kind::Remainder: return binary("%");
  }
  return "";
}

const char* symbol_of(Formula::Kind kind) {
  switch (kind) {
    case Formula::Kind::Less: return " < ";
    case Formula::Kind::LessEqual: return " <= ";
    case Formula::Kind::Equal: return " = ";
    case Formula::Kind::NotEqual: return " != ";
    case Formula::Kind::And: return " and ";
    case Formula::Kind::Or: return " or ";
    case Formula::Kind::Implies: return " -> ";
  }
  return "";
}

bool in_order(const Formula& formula) {
  return formula.kind == Formula::Kind::Less || formula.kind == Formula::Kind::LessEqual;
}

std::string printed(const Formula& formula, bool is_part) {
  if (formula.is_comparison())
    return to_string(formula.sides[0]) + symbol_of(formula.kind) + to_string(formula.sides[1]);
  std::string text;
  for (size_t n = 0; n < formula.parts.size(); n++) {
    const Formula& part = formula.parts[n];
    bool continues = n > 0 && formula.kind == Formula::Kind::And && in_order(part) && in_order(formula.parts[n - 1]) &&
                     formula.parts[n - 1].sides[1] == part.sides[0];
    if (continues) {
      text += symbol_of(part.kind) + to_string(part.sides[1]);
      continue;
    }
    if (n > 0) text += symbol_of(formula.kind);
    bool bare = part.is_comparison() || (formula.kind == Formula::Kind::Implies && part.kind != Formula::Kind::Implies);
    text += printed(part, !bare);
  }
  if (formula.parts.empty()) text = formula.kind == Formula::Kind::And ? "0 = 0" : "0 != 0";
  return is_part ? "(" + text + ")" : text;
}

}  // namespace

std::string to_string(const Expr& expr) { return printed(expr, 0); }
std::string to_string(const Formula& formula) { return printed(formula, false); }

}  // namespace filigree::layouts
