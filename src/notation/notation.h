// Index notation: stage 1.  What to compute, with every reduction explicit.
//
//   statement := access op= expr
//   expr      := literal | access | index variable | operator(expr, ...) | reduce(op, {vars}, expr)
//
// Semantics: `lhs op= rhs` gives lhs(x) the value of rhs at every coordinate x of the lhs's index
// variables.  An index variable on the left only broadcasts.  Reductions are written as nodes; the
// parser and `bind_reductions` put them where the summation rule says.  A literal is *structural*
// when it stands for an absent operand's fill: only then may it annihilate (see substitute.h).
//
// Trees are immutable and shared; equality compares structure and ignores source positions.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "algebra/operator.h"
#include "notation/variables.h"
#include "support/diagnostic.h"
#include "support/match.h"

namespace filigree::notation {

class Expr;
struct Literal;
struct Access;
struct Coordinate;
struct Apply;
struct Reduce;
using ExprKind = std::variant<Literal, Access, Coordinate, Apply, Reduce>;

template <class T>
concept ExprAlternative = std::is_same_v<T, Literal> || std::is_same_v<T, Access> || std::is_same_v<T, Coordinate> ||
                          std::is_same_v<T, Apply> || std::is_same_v<T, Reduce>;

class Expr {
 public:
  template <ExprAlternative Node>
  Expr(Node node, Span span = {});

  const ExprKind& kind() const;
  ElementType type() const;
  Span span() const;
  template <class Node>
  const Node* as() const;
  bool same_as(const Expr& other) const { return node_ == other.node_; }
  friend bool operator==(const Expr& a, const Expr& b);

 private:
  struct Node;
  std::shared_ptr<const Node> node_;
};

struct Literal {
  Scalar value;
  bool structural = false;
  bool operator==(const Literal&) const = default;
};
/// T(i, j, ...): one index variable per dimension of T, in dimension order.  T(i+1, 3) has variables that follow from
/// others.
struct Access {
  TensorVar tensor;
  std::vector<IndexVar> indices;
  bool operator==(const Access&) const = default;
};
/// The value of an index variable, an int64.
struct Coordinate {
  IndexVar var;
  bool operator==(const Coordinate&) const = default;
};
struct Apply {
  Operator op;
  std::vector<Expr> operands;
  bool operator==(const Apply&) const = default;
};
/// The reduction of `body` by `op` over all values of `vars`.  With a `workspace` it was asked for by a schedule to be
/// computed on its own, into the workspace of that number (concrete/requests.h); then there may be no variables.
struct Reduce {
  Operator op;
  std::vector<IndexVar> vars;
  Expr body;
  std::optional<size_t> workspace = {};
  bool operator==(const Reduce&) const = default;
};

/// lhs op= rhs; without an op, plain assignment.
struct Statement {
  Access lhs;
  std::optional<Operator> op;
  Expr rhs;
  Span lhs_span = {};
  Source source = {};  // the text the spans point into, if it came from text
  Span op_span = {};   // of `op=`
  /// Of variables that no dimension, window or list tells, such as i of `s = sum(i, i*i)`: code is made for these.
  std::map<IndexVar, std::int64_t> extents = {};
  /// prune(rhs): the result does not store components that equal its fill, as far as its format can do without them.
  bool prunes = false;
};

// --- Questions about trees ---------------------------------------------------------------------

/// Calls `visit` on `expr` and everything below it, parents first.
void for_each(const Expr& expr, const std::function<void(const Expr&)>& visit);
/// `expr` with each child replaced by `change(child)`; `expr` itself if no child changed.
Expr map_children(const Expr& expr, const std::function<Expr(const Expr&)>& change);
/// Accesses from left to right, repetitions included.
std::vector<Access> accesses(const Expr& expr);
/// Index variables in the order in which accesses use them; the bound ones of reductions included.  For an index such
/// as i+1 these are the variables it follows from.
std::vector<IndexVar> index_vars(const Expr& expr);
std::vector<IndexVar> index_vars(const Statement& statement);  // the left side's first
/// Index variables not bound by a reduction inside `expr`.
std::vector<IndexVar> free_vars(const Expr& expr);

// Text with as few parentheses as the parser needs to read back the same tree.  Different variables
// with one display name are told apart by a suffix (j, j_1).
std::string to_string(const Expr& expr);
std::string to_string(const Access& access);
std::string to_string(const Statement& statement);

// --- Implementation of the handle --------------------------------------------------------------

struct Expr::Node {
  ExprKind kind;
  ElementType type;
  Span span;
};
/// An operator's type is `result_type`.  A reduction has its body's type, but a sum or product of bools is
/// int64 as in NumPy; sums of small integers are not widened.
ElementType type_of(const ExprKind& kind);

template <ExprAlternative NodeType>
Expr::Expr(NodeType node, Span span) {
  ExprKind kind(std::move(node));
  ElementType type = type_of(kind);
  node_ = std::make_shared<const Node>(Node{std::move(kind), type, span});
}
template <class NodeType>
const NodeType* Expr::as() const {
  return std::get_if<NodeType>(&kind());
}

}  // namespace filigree::notation
