// What the parser has read: nodes in one list, operands before operators, names still text.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "algebra/operator.h"
#include "support/diagnostic.h"

namespace filigree::notation {

/// How deep parentheses, calls and signs may nest, and how deep a tree may be.  A chain a + b + c + ... is as deep as
/// it is long, so the second is the bound on the recursion of every later stage.
constexpr int max_nesting = 500;
constexpr int max_depth = 2500;

struct NameUse {
  std::string name;
  Span span;
};

struct SyntaxNode {
  enum class Kind { Number, Access, Apply, Reduce };
  Kind kind = Kind::Number;
  Span span = {};
  Scalar value = {};                 // Number
  NameUse tensor = {};               // Access
  std::vector<NameUse> indices = {}; // Access; the variables of Reduce
  bool bare = false;                 // Access without parentheses
  Operator op = Operator::Add;       // Apply, Reduce
  std::vector<int> operands = {};    // Apply, Reduce: earlier nodes
  int depth = 1;
};

struct SyntaxTree {
  SyntaxNode lhs;                  // an Access
  std::optional<Operator> op;      // of `op=`
  std::vector<SyntaxNode> nodes;   // the last one is the whole right-hand side
};

}  // namespace filigree::notation
