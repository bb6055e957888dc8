// Integers that are known when a kernel runs, as formulas: values of variables from those of others, and how many
// coordinates variables have.
//
//   4*ib + ii        rounded_up(extent(i), 32)        max(extent(i) + extent(j) - 1, 0)
//
// Formulas know nothing of code: lowering writes them down as code (lower/formula.h), checks and tests evaluate them,
// so that both say the same.  Arithmetic is checked: a value that leaves 64 bits is no value.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "relation/variable.h"

namespace filigree::relation {

class Formula {
 public:
  enum class Kind {
    Number,
    Value,   // of a variable
    Extent,  // how many coordinates a variable has
    Entry,   // of a list
    Add,
    Subtract,
    Multiply,
    Quotient,   // floored, and so is the remainder
    RoundedUp,  // a quotient
    Remainder,
    Min,
    Max,
  };

  static Formula number(std::int64_t value);
  static Formula value(const IndexVar& var);
  static Formula extent(const IndexVar& var);
  static Formula entry(std::vector<std::int64_t> list, Formula number);

  // Constants are folded where that does not overflow, and what changes nothing is left out.
  friend Formula operator+(const Formula& a, const Formula& b);
  friend Formula operator-(const Formula& a, const Formula& b);
  friend Formula operator*(const Formula& a, const Formula& b);
  static Formula quotient(const Formula& a, const Formula& b);
  static Formula rounded_up(const Formula& a, const Formula& b);
  static Formula remainder(const Formula& a, const Formula& b);
  static Formula min(const Formula& a, const Formula& b);
  static Formula max(const Formula& a, const Formula& b);

  Kind kind() const;
  /// Of a Number.
  std::int64_t constant() const;
  bool is(std::int64_t value) const { return kind() == Kind::Number && constant() == value; }
  /// The number, if nothing has to be known for it.
  std::optional<std::int64_t> known() const;
  /// Of a Value or an Extent.
  const IndexVar& var() const;
  const std::vector<Formula>& operands() const;
  const std::vector<std::int64_t>& list() const;
  friend bool operator==(const Formula& a, const Formula& b);

 private:
  struct Node;
  explicit Formula(Node node);
  static Formula binary(Kind kind, const Formula& a, const Formula& b);
  std::shared_ptr<const Node> node_;
};

/// What is known when a formula is evaluated.
struct Facts {
  using Of = std::function<std::optional<std::int64_t>(const IndexVar&)>;
  Of value = [](const IndexVar&) { return std::nullopt; };
  Of extent = [](const IndexVar&) { return std::nullopt; };
};

/// Nothing where something is not known, not in a list, divided by 0, or does not fit in 64 bits.
std::optional<std::int64_t> evaluate(const Formula& formula, const Facts& facts);

/// "{3,5,8}"
std::string to_string(const std::vector<std::int64_t>& list);

/// "rounded_up(extent(i), 32)", with these names of variables.
std::string to_string(const Formula& formula, const std::function<std::string(const IndexVar&)>& name);
std::string to_string(const Formula& formula);

}  // namespace filigree::relation
