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
/// Each dimension may become a loop, and loops nest.
constexpr int max_order = 64;

struct NameUse {
  std::string name;
  Span span;
};

struct GatherUse;

/// One index of an access: see IndexMap.  i alone is a single term with factor 1.
struct IndexUse {
  struct Term {
    NameUse var;
    std::int64_t factor;
  };
  std::vector<Term> terms = {};
  std::int64_t offset = 0;
  std::vector<std::int64_t> list = {};
  std::optional<std::int64_t> extent = {};
  Span span = {};
  std::vector<GatherUse> gathered;  // at most one
  std::int64_t modulus = 0;         // i+1 mod 8

  bool is_variable() const {
    return terms.size() == 1 && terms[0].factor == 1 && offset == 0 && list.empty() && !extent && gathered.empty() &&
           modulus == 0;
  }
};
/// factor*p(i,j) in an index.
struct GatherUse {
  NameUse tensor;
  std::vector<IndexUse> indices;
  std::int64_t factor;
  Span span;
};

struct SyntaxNode {
  enum class Kind { Number, Access, Apply, Reduce };
  Kind kind = Kind::Number;
  Span span = {};
  Scalar value = {};                   // Number
  NameUse tensor = {};                 // Access
  std::vector<IndexUse> indices = {};  // Access
  std::vector<NameUse> vars = {};      // Reduce
  bool bare = false;                   // Access without parentheses
  bool padded = false;                 // Access inside pad(...)
  bool wrapped = false;                // Access inside wrap(...)
  Operator op = Operator::Add;         // Apply, Reduce
  std::vector<int> operands = {};      // Apply, Reduce: earlier nodes
  int depth = 1;
};

struct SyntaxTree {
  SyntaxNode lhs;              // an Access
  std::optional<Operator> op;  // of `op=`
  Span op_span = {};
  bool prunes = false;            // the right-hand side is inside prune(...)
  std::vector<SyntaxNode> nodes;  // the last one is the whole right-hand side
};

}  // namespace filigree::notation
