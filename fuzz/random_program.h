// Random programs from a seed: expression, formats, types and data, as a sketch that can also be shrunk.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "fuzz/index.h"
#include "fuzz/program.h"

namespace filigree::fuzz {

/// An expression in a form that is easy to change.
struct Node {
  enum class Kind { Literal, Access, Variable, Operator, Negate, Reduction };
  Kind kind = Kind::Literal;
  std::string
      text;  // the literal, the tensor, the variable, the operator ("+", "min") or the reduction ("sum", "reduce xor")
  std::string vars = {};  // of a reduction, one character each
  std::vector<Node> operands = {};
  Indices indices = {};  // of an access
  bool padded = false;
  bool wrapped = false;

  static Node literal(const std::string& text) { return {Kind::Literal, text}; }
  static Node call(const std::string& op, std::vector<Node> operands) {
    return {Kind::Operator, op, "", std::move(operands)};
  }
};

/// The index variables that an access or a variable as a value uses.
std::string vars_of(const Node& node);

/// Coordinates and a small integer, from which the value of the tensor's type follows (value_of).
using Entry = std::pair<std::vector<std::int64_t>, std::int64_t>;

struct SketchTensor {
  ElementType type = ElementType::Float64;
  Format format;
  std::int64_t fill = 0;
  std::vector<Entry> entries = {};
  std::int64_t slack = 0;  // how much larger dimensions are than their indices reach, where no variable stands alone
};

/// A program before it is written down; tensors that the expression does not use may be left over.
struct Sketch {
  std::string assignment = "=";
  bool old_value = false;  // `op=` starts from a given value
  Indices left;
  Node right;
  int barriers = 0;  // how many a sum passes whose place has to be said (notation/sum_places.h)
  std::map<std::string, SketchTensor> tensors;  // the result is "r"
  VarExtents extents;
  std::uint64_t schedule_seed = 0;  // 0: no schedule
  std::uint64_t split_seed = 0;     // 0: one statement
  bool prunes = false;              // the right side is inside prune(...)
};

/// Is the result an operand, too?
bool reads_result(const Sketch& sketch);
/// The dimensions that a tensor's uses need: a variable's extent where one stands alone, elsewhere as far as indices
/// reach.
std::vector<std::int64_t> dimensions_of(const Sketch& sketch, const std::string& tensor);

/// The program: entries outside the dimensions or the format are left out, and so are commands of the schedule that are
/// refused.
Program render(const Sketch& sketch);

/// The text of the statement, sums left to be implied.
std::string written(const Sketch& sketch);

/// The same seed makes the same sketch.
Sketch random_sketch(std::uint64_t seed);

/// Calls `visit` on every node, parents first.
template <class Tree, class Visit>
void for_each_node(Tree& node, const Visit& visit) {
  visit(node);
  for (auto& operand : node.operands) for_each_node(operand, visit);
}

/// Calls `visit` on every access on the right side.
template <class SketchType, class Visit>
void for_each_access(SketchType& sketch, const Visit& visit) {
  for_each_node(sketch.right, [&](auto& node) {
    if (node.kind == Node::Kind::Access) visit(node);
  });
}

}  // namespace filigree::fuzz
