// Integers that are known when a kernel runs, as formulas: bounds of variables, and the value of one variable from
// those of others.
//
//   i = min(32*i0 + i1, ...)      (extent(i) + 31)/32      coordinate(A.1, p)
//
// Formulas know nothing of code: what is to run translates them, tests and checks evaluate them.  Arithmetic is
// checked: a value that leaves 64 bits is no value.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace filigree::relation {

/// A variable, by its number in a graph of relations (derivation.h).
using Variable = int;
/// A level of an operand whose positions variables run through; what it is, the owner of the graph knows.
using Storage = int;

class Formula {
 public:
  enum class Kind {
    Number,
    Value,
    Extent,  // leaves: a constant; a variable's value; its number of coordinates
    Begin,
    End,  // leaves: the positions of a storage that there are to visit
    CoordinateAt,
    PositionOf,
    Entry,
    NumberOf,  // of a storage at a position and back; of a list and back
    Add,
    Subtract,
    Multiply,
    Quotient,
    RoundedUp,
    Remainder,
    Min,
    Max,  // quotients are floored, and so are remainders
  };

  static Formula number(std::int64_t value);
  static Formula value(Variable variable) { return Formula(Kind::Value, variable); }
  static Formula extent(Variable variable) { return Formula(Kind::Extent, variable); }
  static Formula begin(Storage storage) { return Formula(Kind::Begin, storage); }
  static Formula end(Storage storage) { return Formula(Kind::End, storage); }
  /// The coordinate that is stored at a position, and the first position whose coordinate is not smaller.
  static Formula coordinate_at(Storage storage, Formula position);
  static Formula position_of(Storage storage, Formula coordinate);
  /// An entry of a list, and where in the list a value is.
  static Formula entry(std::vector<std::int64_t> list, Formula number);
  static Formula number_of(std::vector<std::int64_t> list, Formula entry);

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
  /// Of a Value or an Extent the variable; of others that have one, the storage.
  int subject() const;
  const std::vector<Formula>& operands() const;
  const std::vector<std::int64_t>& list() const;
  friend bool operator==(const Formula& a, const Formula& b);

 private:
  struct Node;
  Formula(Kind kind, int subject, std::vector<Formula> operands = {}, std::vector<std::int64_t> list = {});
  static Formula binary(Kind kind, const Formula& a, const Formula& b);
  std::shared_ptr<const Node> node_;
};

/// What a formula is about, when it is evaluated.  What is not known is nothing.
struct Facts {
  virtual ~Facts() = default;
  virtual std::optional<std::int64_t> value(Variable) const { return std::nullopt; }
  virtual std::optional<std::int64_t> extent(Variable) const { return std::nullopt; }
  virtual std::optional<std::int64_t> begin(Storage) const { return std::nullopt; }
  virtual std::optional<std::int64_t> end(Storage) const { return std::nullopt; }
  virtual std::optional<std::int64_t> coordinate_at(Storage, std::int64_t) const { return std::nullopt; }
  virtual std::optional<std::int64_t> position_of(Storage, std::int64_t) const { return std::nullopt; }
};

/// Nothing where something is not known, not in a list, divided by 0, or does not fit in 64 bits.
std::optional<std::int64_t> evaluate(const Formula& formula, const Facts& facts);

/// "{3,5,8}"
std::string to_string(const std::vector<std::int64_t>& list);

/// "(extent(i) + 31)/32", with names of variables and storages.
struct FormulaNames {
  std::vector<std::string> variables, storages;
};
std::string to_string(const Formula& formula, const FormulaNames& names);

}  // namespace filigree::relation
