// Random programs from a seed: expression, formats, types and data, as a sketch that can also be shrunk.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "fuzz/program.h"

namespace filigree::fuzz {

/// An expression in a form that is easy to change.
struct Node {
  enum class Kind { Literal, Access, Operator, Negate, Reduction };
  Kind kind = Kind::Literal;
  std::string text;            // the literal, the tensor, the operator ("+", "min") or the reduction ("sum", "reduce xor")
  std::string vars = {};       // of an access or a reduction, one character each
  std::vector<Node> operands = {};
};

/// Coordinates and a small integer, from which the value of the tensor's type follows (value_of).
using Entry = std::pair<std::vector<std::int64_t>, std::int64_t>;

struct SketchTensor {
  ElementType type = ElementType::Float64;
  Format format;
  std::int64_t fill = 0;
  std::vector<Entry> entries = {};
};

/// A program before it is written down; tensors that the expression does not use may be left over.
struct Sketch {
  std::string assignment = "=";
  bool old_value = false;                       // `op=` starts from a given value
  std::string result_vars;
  Node right;
  std::map<std::string, SketchTensor> tensors;  // the result is "r"
  std::map<char, std::int64_t> extents;
  std::uint64_t schedule_seed = 0;              // 0: no schedule
  std::uint64_t split_seed = 0;                 // 0: one statement
};

/// The program: entries outside the dimensions or the format are left out, and so are commands of the schedule that are refused.
Program render(const Sketch& sketch);

/// The same seed makes the same sketch.
Sketch random_sketch(std::uint64_t seed);

/// Calls `visit` on every node, parents first.
template <class Tree, class Visit>
void for_each_node(Tree& node, const Visit& visit) {
  visit(node);
  for (auto& operand : node.operands) for_each_node(operand, visit);
}

}  // namespace filigree::fuzz
