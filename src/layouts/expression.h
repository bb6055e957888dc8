// Integer expressions and conditions of layouts (docs/layouts.md): over variables, sizes and what stands in index
// arrays.
//
//   8*pi + pr      start(pb) + pc      rows/8      0 <= pr and pr < 8      pi = pi' and a < a' -> crd(a) < crd(a')
//
// Quotients are floored and remainders are not negative.  A primed name belongs to the second of two instances, of
// which a property speaks.  Trees are immutable and shared; where they were written is no part of what they are.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "support/diagnostic.h"

namespace filigree::layouts {

class Expr {
 public:
  enum class Kind { Number, Name, Read, Add, Subtract, Multiply, Quotient, Remainder };

  static Expr number(std::int64_t value, Span span = {});
  static Expr name(std::string text, bool primed = false, Span span = {});
  /// An element of an array.
  static Expr read(std::string array, std::vector<Expr> places, Span span = {});
  /// Requires: one of the five operators.  Numbers are folded.
  static Expr binary(Kind kind, const Expr& a, const Expr& b, Span span = {});

  Kind kind() const;
  std::int64_t value() const;              // of a Number
  const std::string& text() const;         // of a Name or a Read
  bool primed() const;                     // of a Name
  const std::vector<Expr>& parts() const;  // operands, or places
  Span span() const;
  bool is(std::int64_t number) const { return kind() == Kind::Number && value() == number; }
  bool is_name(const std::string& name) const { return kind() == Kind::Name && text() == name && !primed(); }

  friend bool operator==(const Expr& a, const Expr& b);
  friend Expr operator+(const Expr& a, const Expr& b) { return binary(Kind::Add, a, b); }
  friend Expr operator-(const Expr& a, const Expr& b) { return binary(Kind::Subtract, a, b); }
  friend Expr operator*(const Expr& a, const Expr& b) { return binary(Kind::Multiply, a, b); }

 private:
  struct Node;
  explicit Expr(std::shared_ptr<const Node> node) : node_(std::move(node)) {}
  std::shared_ptr<const Node> node_;
};

/// Calls `visit` for the expression and everything inside of it.
void for_each(const Expr& expr, const std::function<void(const Expr&)>& visit);
/// With every name replaced for which `replace` returns something.
using Replace = std::function<const Expr*(const Expr& name)>;
Expr substitute(const Expr& expr, const Replace& replace);
/// The same about the second of two instances: with these names primed.
Expr primed(const Expr& expr, const std::vector<std::string>& names);
/// Does the name occur, not primed?
bool mentions(const Expr& expr, const std::string& name);
/// Names that occur, each once, in order of appearance, without those of arrays.
std::vector<std::string> names_in(const Expr& expr);

/// A comparison, a conjunction or disjunction of others, or an implication between two.
class Formula {
 public:
  enum class Kind { Less, LessEqual, Equal, NotEqual, And, Or, Implies };

  static Formula compare(Kind kind, const Expr& a, const Expr& b);
  /// Nested conjunctions become one; one of nothing is true.
  static Formula all(std::vector<Formula> parts);
  static Formula any(std::vector<Formula> parts);
  static Formula implies(const Formula& premise, const Formula& conclusion);

  Kind kind = Kind::And;
  std::vector<Expr> sides;     // of a comparison: two
  std::vector<Formula> parts;  // of the others
  bool is_comparison() const { return kind != Kind::And && kind != Kind::Or && kind != Kind::Implies; }
  /// Those of a conjunction, else the formula itself.
  std::vector<Formula> conjuncts() const;
  bool operator==(const Formula&) const = default;
};

void for_each(const Formula& formula, const std::function<void(const Expr&)>& visit);
Formula substitute(const Formula& formula, const Replace& replace);
std::vector<std::string> names_in(const Formula& formula);

/// "8*pi + pr", "start(pb) + 8 <= start(pb')"; a chain a <= b and b < c is written a <= b < c.
std::string to_string(const Expr& expr);
std::string to_string(const Formula& formula);

/// Floored.  Requires: b is not 0.
std::int64_t floor_quotient(std::int64_t a, std::int64_t b);
std::int64_t floor_remainder(std::int64_t a, std::int64_t b);

}  // namespace filigree::layouts
