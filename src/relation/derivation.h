// How variables follow from each other: one vocabulary for schedules, formats and indices.
//
//   split     i -> i0, i1       i = 32*i0 + i1                 schedules; blocks i/4 and i%4 of formats
//   collapse  i, j -> f         f = extent(j)*i + j            schedules
//   pos       i, j -> p         p runs through stored nodes    schedules
//   coord     p -> v            back to coordinates            schedules
//   bound     i -> w            the same, of known extent      schedules
//   affine    a = 2*i + u + 1                                  indices; diagonals j - i of formats; windows
//   list      a = {3,5,8}[n]                                   indices
//   counter   #i                                               formats: follows from nothing
//
// A graph of these answers, as formulas and without knowing of code: the bounds of a variable; a variable from others
// that are known; where a loop can leave the bounds of what it was derived from, so that a guard is needed; and whether
// loops visit a variable in order.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "relation/formula.h"

namespace filigree::relation {

/// Pieces of `size` (down), or `size` pieces (up).
struct Split {
  enum class Direction { Down, Up };
  Variable parent, outer, inner;
  std::int64_t size;
  Direction direction = Direction::Down;
  bool operator==(const Split&) const = default;
};
/// Two variables as one, the inner one running fastest.
struct Collapse {
  Variable outer, inner, both;
  bool operator==(const Collapse&) const = default;
};
/// The positions of the last of these levels of a tensor, each of which stores a coordinate, instead of the
/// coordinates.
struct Positions {
  std::vector<Variable> coordinates;  // outermost first
  std::vector<Storage> levels;        // as many
  Variable source,
      position;  // what the positions replace: the one coordinate, or what the coordinates were collapsed to
  bool operator==(const Positions&) const = default;
};
/// Coordinates again, instead of positions.
struct Coordinates {
  Variable position, coordinate;
  bool operator==(const Coordinates&) const = default;
};
/// The same variable, of which more is known.
struct Bounded {
  enum class Kind { Exact, Min, Max, Divisible };
  Variable parent, child;
  Kind kind;
  std::int64_t amount;
  bool operator==(const Bounded&) const = default;
};
/// whole = offset + sum of factor*part
struct Affine {
  struct Term {
    Variable part;
    std::int64_t factor;
    bool operator==(const Term&) const = default;
  };
  Variable whole;
  std::vector<Term> terms;
  std::int64_t offset = 0;
  bool operator==(const Affine&) const = default;
};
/// whole = entries[number]
struct Listed {
  Variable whole, number;
  std::vector<std::int64_t> entries;
  bool operator==(const Listed&) const = default;
};
/// The entries within one coordinate, numbered.
struct Counted {
  Variable within, count;
  bool operator==(const Counted&) const = default;
};
using Relation = std::variant<Split, Collapse, Positions, Coordinates, Bounded, Affine, Listed, Counted>;

/// From `begin` to before `end`.
struct Bounds {
  Formula begin, end;
};

/// The value of a variable, from those that its formula names.
struct Recovery {
  Variable variable;
  Formula value;
  /// There is such a value only where this is 0: a multiple of 3 has a third.
  std::optional<Formula> must_vanish = {};
};

/// What is certain about the values of a variable, one after the other.
enum class Order { None, NotDecreasing, Increasing };

class Graph {
 public:
  /// A variable of the statement.
  Variable add(const std::string& name);
  /// A level whose positions can be visited.
  Storage add_storage(const std::string& name);

  // What a schedule does.  A variable is derived from once: after that it is no leaf, and no loop runs over it.
  std::pair<Variable, Variable> split(Variable parent, const std::string& outer, const std::string& inner,
                                      std::int64_t size, Split::Direction direction = Split::Direction::Down);
  Variable collapse(Variable outer, Variable inner, const std::string& both);
  Variable pos(Variable source, const std::string& position, const std::vector<Storage>& levels);
  Variable coord(Variable position, const std::string& coordinate);
  Variable bound(Variable parent, const std::string& child, Bounded::Kind kind, std::int64_t amount);
  /// What formats and indices say; any number for each variable.
  void add(const Relation& relation);

  const std::vector<Relation>& relations() const { return relations_; }
  const std::string& name(Variable variable) const { return variables_.at(static_cast<size_t>(variable)).name; }
  const std::string& storage_name(Storage storage) const { return storages_.at(static_cast<size_t>(storage)); }
  /// For a message or a page: "split(i -> i0, i1, 32)".
  std::string to_string(const Relation& relation) const;
  std::string to_string(const Formula& formula) const;

  /// Can a loop run over it?
  bool is_leaf(Variable variable) const { return !variables_.at(static_cast<size_t>(variable)).is_consumed; }
  /// Does it run through positions?
  bool is_position(Variable variable) const;
  /// The coordinates that it was collapsed from, outermost first; itself if it was not.
  std::vector<Variable> collapsed(Variable variable) const;
  /// The leaves whose values give its own, in the order in which they would visit it in order.
  std::vector<Variable> leaves(Variable variable) const;

  /// What the variable runs through; of a variable that others were derived from, what it ran through before.
  Bounds bounds(Variable variable) const;
  /// The number of values, if it does not depend on any tensor.
  std::optional<std::int64_t> constant_extent(Variable variable) const;

  /// How to compute the value of `wanted` where `known` have values, step by step; nothing if it does not follow.
  std::optional<std::vector<Recovery>> recover(Variable wanted, const std::vector<Variable>& known) const;

  /// The variables that loops over leaves can take out of their bounds, so that a test is needed once their value is
  /// known.
  std::vector<Variable> guarded() const;
  /// Does the number divide how many values the variable has, whatever the operands?
  bool is_multiple(Variable variable, std::int64_t number) const;

  /// How the variable changes with loops over these leaves, outermost first, and all others fixed.
  Order order(Variable variable, const std::vector<Variable>& loops) const;

 private:
  struct Node {
    std::string name;
    int made_by = -1;          // the schedule's relation that it comes from; -1: it is the statement's
    bool is_consumed = false;  // others were derived from it
  };
  Variable derive(const std::string& name);
  void consume(Variable variable);
  const Relation* origin(Variable variable) const;
  const Relation* consumer(Variable variable) const;
  /// What the positions replace.
  Variable source_of(Variable position) const;
  Formula length(Variable variable) const;
  /// The size of a piece.
  Formula step(const Split& split) const;
  std::vector<Recovery> solutions(const Relation& relation) const;

  std::vector<Node> variables_;
  std::vector<std::string> storages_;
  std::vector<Relation> relations_;
};

}  // namespace filigree::relation
