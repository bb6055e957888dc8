// Protocolized concrete index notation: loops and temporaries, and how every access meets the loops around it.
//
//   stmt   := forall(i, stmt)              for every coordinate of i
//           | where(consumer, producer)    producer fills a temporary, then consumer reads it
//           | access op= expr              one component
//   expr   := number | access | operator(expr, ...)
//   access := T(p(i), p(j), ...)           a protocol and an index for each dimension of T
//
// Protocols of what is read, in the loop over the index:
//   s  step     the loop visits the coordinates that T stores; elsewhere T is its fill
//   l  locate   the loop takes no notice of T, which is looked up
// Protocols of what is written:
//   a  append   coordinates arrive in order
//   i  insert   they arrive in any order
//
// A tensor is known by its name, an index variable too; a loop binds its variable in its body alone.  Levels are
// thought to be stored in the order of the loops around an access (formats.h makes that so). Trees are immutable and
// shared; equality compares structure, names included (canonical.h: without names).
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "algebra/operator.h"
#include "support/match.h"

namespace filigree::autoschedule {

enum class Protocol { Step, Locate, Append, Insert };

/// 's', 'l', 'a' or 'i'.
char letter(Protocol protocol);

struct Mode {
  Protocol protocol;
  std::string index;
  bool operator==(const Mode&) const = default;
};

struct Access {
  std::string tensor;
  std::vector<Mode> modes;  // by dimension
  bool operator==(const Access&) const = default;

  bool uses(const std::string& index) const;
};

struct Number;
struct Apply;

class Expr {
 public:
  using Kind = std::variant<Number, Access, Apply>;
  template <class Node>
    requires std::is_same_v<Node, Number> || std::is_same_v<Node, Access> || std::is_same_v<Node, Apply>
  Expr(Node node);
  const Kind& kind() const;
  template <class Node>
  const Node* as() const;
  friend bool operator==(const Expr& a, const Expr& b);

 private:
  struct Holder;
  std::shared_ptr<const Holder> held_;
};

struct Number {
  Scalar value;
  bool operator==(const Number&) const = default;
};
struct Apply {
  Operator op;
  std::vector<Expr> operands;  // of an operator that is associative there may be more than two
  bool operator==(const Apply&) const = default;
};

struct Expr::Holder {
  Kind kind;
};
template <class Node>
  requires std::is_same_v<Node, Number> || std::is_same_v<Node, Access> || std::is_same_v<Node, Apply>
Expr::Expr(Node node) : held_(std::make_shared<const Holder>(Holder{Kind(std::move(node))})) {}
inline const Expr::Kind& Expr::kind() const { return held_->kind; }
template <class Node>
const Node* Expr::as() const {
  return std::get_if<Node>(&kind());
}

struct Forall;
struct Where;
struct Assign;

class Stmt {
 public:
  using Kind = std::variant<Forall, Where, Assign>;
  template <class Node>
    requires std::is_same_v<Node, Forall> || std::is_same_v<Node, Where> || std::is_same_v<Node, Assign>
  Stmt(Node node);
  const Kind& kind() const;
  template <class Node>
  const Node* as() const;
  friend bool operator==(const Stmt& a, const Stmt& b);

 private:
  struct Holder;
  std::shared_ptr<const Holder> held_;
};

struct Forall {
  std::string index;
  Stmt body;
  bool operator==(const Forall&) const = default;
};
struct Where {
  Stmt consumer, producer;
  bool operator==(const Where&) const = default;
};
struct Assign {
  Access lhs;
  std::optional<Operator> op;  // none: plain assignment
  Expr rhs;
  bool operator==(const Assign&) const = default;
};

struct Stmt::Holder {
  Kind kind;
};
template <class Node>
  requires std::is_same_v<Node, Forall> || std::is_same_v<Node, Where> || std::is_same_v<Node, Assign>
Stmt::Stmt(Node node) : held_(std::make_shared<const Holder>(Holder{Kind(std::move(node))})) {}
inline const Stmt::Kind& Stmt::kind() const { return held_->kind; }
template <class Node>
const Node* Stmt::as() const {
  return std::get_if<Node>(&kind());
}

// --- Questions about trees ---------------------------------------------------------------------

/// Accesses from left to right, repetitions included.
std::vector<Access> accesses(const Expr& expr);
/// What a statement is there for: the assignment of the innermost consumer.
const Assign& target(const Stmt& stmt);
/// The tensor that it fills.
const std::string& result(const Stmt& stmt);
/// Indices that accesses of it have, both sides.
std::set<std::string> indices_of(const Expr& expr);
std::set<std::string> indices_of(const Stmt& stmt);
/// How many loops are inside each other, at most.
int depth(const Stmt& stmt);
/// The tensors that are filled by producers, outermost first.
std::vector<std::string> workspaces(const Stmt& stmt);
Stmt foralls(const std::vector<std::string>& indices, Stmt body);

// --- Text ------------------------------------------------------------------------------------------

/// Text that parse() reads back: forall(i, forall(j, y(a(i)) += A(s(i),s(j)) * x(l(j)))).
std::string to_string(const Access& access);
std::string to_string(const Expr& expr);
std::string to_string(const Stmt& stmt);
/// Throws UserError that points into the text.
Stmt parse(const std::string& text);

}  // namespace filigree::autoschedule
