// The plan: a statement with all that is decided about how it runs.
//
// Every loop carries what operands meet in it, which of them drive it and how the others are found, and for each set of
// operands that can be present together, what is done then.  So lowering builds no lattices and chooses no strategies:
// it writes down what the plan says, and asks no more of tensors than what their levels can do.
//
//   a(i) = b(i) + c(i), b and c compressed
//
//   loop i: b1 step, c1 step
//     {b1, c1}: a(i) = b(i) + c(i)
//     {b1}:     a(i) = b(i)
//     {c1}:     a(i) = c(i)
//
// Trees are immutable and shared.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <variant>
#include <vector>

#include "concrete/concrete.h"
#include "lattice/strategy.h"
#include "plan/filling.h"

namespace filigree::plan {

struct Loop;
struct Pieces;
struct Where;
struct Sequence;
struct Multi;
struct Assign;
using StmtKind = std::variant<Loop, Pieces, Where, Sequence, Multi, Assign>;

template <class T>
concept StmtAlternative = std::is_same_v<T, Loop> || std::is_same_v<T, Pieces> || std::is_same_v<T, Where> ||
                          std::is_same_v<T, Sequence> || std::is_same_v<T, Multi> || std::is_same_v<T, Assign>;

/// A statement and how it runs.
class Stmt {
 public:
  template <StmtAlternative Node>
  Stmt(concrete::Stmt what, Node how);
  const concrete::Stmt& what() const;
  const StmtKind& kind() const;
  template <class Node>
  const Node* as() const;
  /// Tells this statement from others that are equal.
  const void* identity() const { return node_.get(); }

 private:
  struct Node;
  std::shared_ptr<const Node> node_;
};

/// A statement at a place where more variables are known than around it: before it runs, those that follow from the
/// others get values.
struct Body {
  std::vector<concrete::Derivation> computed;
  Stmt stmt;
};

/// Iterations are cut into pieces that run at the same time (plan/division.h).
struct Division {
  /// Pieces have as many nodes of this level below their iterations, about; none: as many iterations.
  std::optional<lattice::Operand> by = {};
  /// So many pieces, where results are to be the same on any number of threads; none: as many as there are threads.
  std::optional<std::int64_t> pieces = {};
};

/// A loop for units of a GPU with no other around it runs in blocks of so many threads, or warps.
struct Launch {
  bool in_warps = false;
  std::int64_t units = 1;
};

/// A result of which several iterations of a loop write the same components.
struct SharedResult {
  TensorVar tensor;
  std::optional<Operator> op;  // that combines what they write, if anything does
};

/// forall(v, ...) over coordinates.
struct Loop {
  lattice::Lattice lattice;
  lattice::Strategy strategy;
  std::vector<Body> bodies;                        // one for each point of the lattice
  std::shared_ptr<const Loop> if_empty = nullptr;  // runs instead, if a dimension of `lattice.may_be_empty` is empty
  std::optional<Division> division = {};
  std::vector<SharedResult> shared = {};  // if iterations run at the same time
  /// By point: an intersection of two by length, with so short a body that it is repeated in a loop for either being
  /// the longer one and in one for equals.
  std::vector<bool> repeated = {};
  std::optional<Launch> launch = {};
};
/// forall(v, ...) over pieces of other loops.
struct Pieces {
  concrete::PieceLoop cut;
  Body body;
  std::optional<Division> division = {};
  std::vector<SharedResult> shared = {};
  /// The pieces that have all their points come first, in a loop of their own: the loop inside that visits them has the
  /// same number of iterations in each (plan/tiles.h).
  bool full_first = false;
  std::optional<Launch> launch = {};
};
struct Where {
  Body consumer, producer;
  bool once = false;   // the producer writes a component of its temporary once at most
  bool whole = false;  // and every one of them, over whatever is there
};
struct Sequence {
  std::vector<Stmt> statements;
};
struct Multi {
  std::vector<Stmt> statements;
};
struct Assign {};  // what it assigns, the statement says

/// What a tensor is outside of a plan in which it has its levels as dimensions (concrete/level_space.h), or that makes
/// it in another format first.
struct Stored {
  Format format;
  std::vector<IndexVar> indices;  // of its dimensions, where the statement has it
};

struct Plan {
  concrete::Program program;
  Body root;
  Mode mode = Mode::Grow;
  Fillings fillings = {};
  /// Where a schedule cuts loops into as many pieces as there are threads, there are so many instead.
  std::optional<std::int64_t> thread_pieces = {};
  policy::Lookups lookups = {};  // at which lengths operands that meet are looked up
  policy::Memory memory = {};    // how much is taken where nobody knows how much is needed
  policy::Cases cases = {};      // how many sets of scalars have code of their own
  std::map<TensorVar, Stored> stored = {};
};

/// What is known about a kernel before its statement is planned.
struct Purpose {
  Mode mode = Mode::Grow;
  bool parallel = false;       // there are threads
  bool deterministic = false;  // results are the same whatever their number is
  const policy::Policy* policy = &policy::usual();
};

/// Requires: an assembled program (assemble::assemble) whose strategies were checked (lattice::check_strategies).
/// `stored` is for whoever knows the statement (tell_stored).
Plan make_plan(const concrete::Program& program, const Purpose& purpose = {});

/// Notes how the plan's tensors are stored outside of it: as in these accesses to them.
void tell_stored(Plan& plan, const std::vector<concrete::Access>& accesses);

/// Visits the statement and all that is inside of it; not what runs instead where a dimension is empty.
void for_each(const Stmt& stmt, const std::function<void(const Stmt&)>& visit);

/// Does a loop go through entries of the tensor, one after the other?
bool steps_through(const Stmt& stmt, const TensorVar& tensor);

/// What the iterations of a loop share.
const std::vector<SharedResult>& shared_by(const Stmt& loop);
bool shares(const Stmt& loop, const TensorVar& tensor);

/// Is the number of threads asked for?
bool uses_threads(const Plan& plan);

// --- Implementation of the handle ----------------------------------------------------------------

struct Stmt::Node {
  concrete::Stmt what;
  StmtKind kind;
};
template <StmtAlternative NodeType>
Stmt::Stmt(concrete::Stmt what, NodeType how)
    : node_(std::make_shared<const Node>(Node{std::move(what), StmtKind(std::move(how))})) {}
template <class NodeType>
const NodeType* Stmt::as() const {
  return std::get_if<NodeType>(&kind());
}

}  // namespace filigree::plan
