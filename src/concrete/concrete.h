// Concrete index notation: stage 2.  The loops, their order, and the temporaries between them.
//
//   stmt := forall(v, stmt)               run stmt for every coordinate of v, increasing
//         | where(consumer, producer)     producer fills a temporary, then consumer reads it
//         | sequence(stmt; stmt; ...)     one after the other, into the same tensor
//         | multi(stmt; stmt; ...)        several results from the same loops
//         | access op= expr               expr has no reductions left: an op accumulates
//
// Semantics:
//  * A tensor that is written starts with nothing stored; `t op= e` combines e into what is there,
//    or into the op's identity.  A component is *present* when it was written at least once.
//  * A temporary is a tensor written by the producer of a `where`; it starts empty each time the
//    `where` runs, and its scope is the `where`.  Of order 0 it is a scalar variable; otherwise its
//    format's levels can be inserted into.
//  * An access that is absent at a coordinate has its tensor's fill there, structurally: what that
//    annihilates is not visited.
//
// Trees are immutable and shared; equality compares structure.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "concrete/protocol.h"
#include "notation/notation.h"

namespace filigree::concrete {

using notation::Access;
using notation::Expr;

class Stmt;
struct Forall;
struct Where;
struct Sequence;
struct Multi;
struct Assign;
using StmtKind = std::variant<Forall, Where, Sequence, Multi, Assign>;

template <class T>
concept StmtAlternative = std::is_same_v<T, Forall> || std::is_same_v<T, Where> || std::is_same_v<T, Sequence> ||
    std::is_same_v<T, Multi> || std::is_same_v<T, Assign>;

class Stmt {
 public:
  template <StmtAlternative Node>
  Stmt(Node node);
  const StmtKind& kind() const;
  template <class Node>
  const Node* as() const;
  bool same_as(const Stmt& other) const { return node_ == other.node_; }
  friend bool operator==(const Stmt& a, const Stmt& b);

 private:
  struct Node;
  std::shared_ptr<const Node> node_;
};

/// What keeps iterations of a parallel loop from spoiling each other's results.
enum class Races {
  None,       // they write different components
  Ignore,     // the user vouches for that
  Atomics,    // updates of a component follow each other
  Temporary,  // each piece has a result of its own; these are combined in the end, in order
};

/// What of a GPU runs an iteration.
enum class GpuUnit { Block, Warp, Thread };

/// How a loop runs, and the texts that asked for it, if any.
struct LoopTag {
  struct Asked {
    Source source = nullptr;
    Span span = {};
    bool operator==(const Asked&) const { return true; }  // it says nothing about the loop
  };
  bool parallel = false;  // on threads
  std::optional<GpuUnit> gpu = {};
  Races races = Races::None;  // of a parallel loop, and of one on a GPU
  int unrolled = 0;           // so many times; 0: not
  bool vector = false;
  Asked parallel_by = {}, unrolled_by = {}, vector_by = {};

  bool operator==(const LoopTag&) const = default;
  /// Nothing is asked for: one iteration after the other.
  bool is_plain() const { return *this == LoopTag(); }
};

struct Forall {
  IndexVar var;
  Stmt body;
  /// Operands are visited as they are stored, a coordinate as often as it is there; otherwise once.
  bool as_stored = false;
  LoopTag tag = {};
  bool operator==(const Forall&) const = default;
  /// The same loop around something else.
  Forall with(Stmt new_body) const { return {var, std::move(new_body), as_stored, tag}; }
};
struct Where {
  Stmt consumer, producer;
  bool operator==(const Where&) const = default;
};
struct Sequence {
  std::vector<Stmt> statements;
  bool operator==(const Sequence&) const = default;
};
struct Multi {
  std::vector<Stmt> statements;
  bool operator==(const Multi&) const = default;
};
struct Assign {
  Access lhs;
  std::optional<Operator> op;
  Expr rhs;
  /// A plain copy leaves out values that equal the fill and exist only because a level pads.
  bool drops_fill = false;
  /// Not where these two are equal: the mirror image of a diagonal is the diagonal.
  std::optional<std::pair<IndexVar, IndexVar>> unless_equal = {};
  /// Levels are copied into the same levels: what is padding on one side is padding on the other.
  bool copies_levels = false;
  /// Of a result: what a component comes to in the end is left out if it equals the fill.  Once the result is
  /// assembled, no op accumulates here, and each component is written once.
  bool prunes = false;
  bool operator==(const Assign&) const = default;

  Assign with(Access new_lhs, Expr new_rhs) const {
    Assign changed = *this;
    changed.lhs = std::move(new_lhs);
    changed.rhs = std::move(new_rhs);
    return changed;
  }
};

/// One of the loops that a loop over points is in place of (FlatLoop): a point tells where each of them is.
struct AtPoint {
  IndexVar point;
  bool operator==(const AtPoint&) const = default;
};

/// A variable that no loop needs to run over, because it follows from others: blocks, their insides and diagonals from
/// the indices of an access, and the indices from them; i+1 from i.
struct Derivation {
  using From = std::variant<relation::Sum, relation::DigitsOf<IndexVar>, relation::Entry, AtPoint>;
  IndexVar var;
  From from;
  bool guarded = false;  // it may be outside of the variable's extent: then there is nothing to do
  bool operator==(const Derivation&) const = default;

  template <class T>
  const T* as() const {
    return std::get_if<T>(&from);
  }
  /// What it follows from.
  std::vector<IndexVar> sources() const;
};

/// What else follows from what, to reason with: no code computes it.
struct Implication {
  IndexVar var;
  std::vector<IndexVar> sources;
  std::optional<TensorVar> held_by = {};  // a tensor tells the variable by its entries: only where that is read
};

// Where the number of coordinates of an index variable comes from.
/// A dimension of a parameter.
struct OfDimension {
  TensorVar tensor;
  int dimension;
};
/// The level's arrays say it: it counts the entries within a coordinate.
struct OfStorage {
  TensorVar tensor;
  int level;
  IndexVar within;
};
/// As far as these, which follow from it, stay inside.
struct OfRoom {
  std::vector<IndexVar> indices;
};
/// As many as a cut makes, or as a flat loop has points, which may differ each time the loop runs.
struct OfPieces {};
/// Or it follows from others, or from nothing.
using Extent = std::variant<OfDimension, relation::RangeFormulas, OfStorage, OfRoom, OfPieces>;
/// As many as another variable has.
inline Extent like(const IndexVar& var) { return relation::from_zero(relation::Formula::extent(var)); }

/// The points of loops that stand one directly inside the other.  They are numbered in the order in which the loops
/// visit them: as coordinates with the inner ones running fastest, or as positions of an operand that leads the loops.
struct Points {
  std::vector<IndexVar> loops;           // outermost first
  std::optional<Access> positions = {};  // whose positions number the points; none: coordinates do
  /// Beside the positions of the last level, the nodes above it are points, each after its children: the merge path,
  /// along which pieces differ neither in rows nor in entries by much.
  bool counts_parents = false;
  bool operator==(const Points&) const = default;
};

/// A loop over pieces of the points of others.  Each iteration is for some points that follow each other; the loops
/// that are cut stand below it and visit only those.
struct PieceLoop : Points {
  IndexVar var;  // the loop over pieces
  enum class Given { Size, Count, Threads, Inside };
  Given given;  // are all pieces but the last of one size, is there a number of them, or one for each thread?  Or is it
                // what is inside of pieces?
  std::int64_t amount;      // that size or number
  Source source = nullptr;  // the text that asked for it, if any
  Span span = {};
  /// Loops over parts of the same points (concrete/parts.h) stand in another order than from large parts to small ones.
  /// Each of them is over numbers, and only all of them together tell which points are visited.
  bool by_number = false;
  /// Of one that is Inside: the loops that are cut run over the pieces of this cut, which has no loop of its own, and
  /// `var` over what is inside of the smallest pieces.
  std::optional<IndexVar> over = {};
  /// A schedule says how many iterations the loop directly inside has in each piece, so its code should rely on that.
  bool is_bounded = false;
};

/// One loop over the points of several, which it is in place of.
struct FlatLoop : Points {
  IndexVar var;
  Source source = nullptr;  // the text that asked for it, if any
  Span span = {};
};

/// A tensor whose last level is filled in two passes over the same loops, counting nodes and then placing them.
struct TwoPasses {
  bool sorts = false;    // nodes are not placed in order
  bool merges = false;   // a component may be written several times, to be added up
  bool grouped = false;  // the outermost loop reaches the parents of nodes in increasing order, one node an iteration
                         // unless there are loops below
};

/// How a schedule wants a result to be filled.
struct AssemblyRequest {
  enum class How {
    Insert,  // in two passes
    Append,  // in one pass: nodes are added at the end, in order
  };
  How how;
  Source source = nullptr;  // where it was written, for messages; may be none
  Span span = {};
};

/// A result whose first levels hold what the first levels of an operand hold: its index there is the operand's, and so
/// are its positions.
struct SharedPattern {
  Access operand;
  int levels;  // so many, all of the result's that can only be appended to among them
  /// Loops may come by a node several times, or have no place where it is told what is below a node: code notes which
  /// nodes have something.
  bool noted = false;
};

/// What a schedule says about the number of coordinates of a variable.  Code relies on it, so every run checks it.
struct ExtentBound {
  enum class Kind { Exact, Min, Max, Divisible };
  IndexVar var;
  Kind kind;
  std::int64_t amount;
  Source source = nullptr;
  Span span = {};
};

/// What belongs to a statement but is not in the tree.
struct Environment {
  std::map<IndexVar, Extent> extents;
  std::vector<Derivation> derivations;
  std::vector<Implication> implications;
  /// In the order in which they were made: of those that cut the same loops, later ones cut the pieces of earlier ones.
  std::vector<PieceLoop> piece_loops;
  std::vector<FlatLoop> flat_loops;
  std::vector<ExtentBound> bounds;
  std::map<TensorVar, TwoPasses> two_passes;
  /// For the result of a schedule that says how; otherwise assemble/assemble.h decides.
  std::optional<AssemblyRequest> assembly;
  /// Not where nodes of an operand turned out to have nothing below them, so that a result does without them
  /// (concrete/shared_pattern.h).
  bool may_share_patterns = true;
  std::map<TensorVar, SharedPattern> shared_patterns;
  /// Tensors that are windows into operands, and the accesses they stand for.
  std::map<TensorVar, Access> windows;
  /// How a schedule wants operands to be reached; what it leaves open, lattice/strategy.h decides.
  std::vector<ProtocolRequest> protocols;
  /// Choices made on the way, for `--explain`: one sentence each.
  std::vector<std::string> remarks;
};

/// A statement with the tensors it is called with: results first, then operands in order of use.  A tensor whose format
/// has a map appears with its levels as dimensions: B(i,j) in bcsr(4,4) is B(ib,jb,ii,ji), and derivations tie i to ib
/// and ii.
struct Program {
  Stmt statement;
  std::vector<TensorVar> results;
  std::vector<TensorVar> operands;
  Environment environment;
  /// What the kernel makes, if the declared format can only be packed from it.
  std::optional<Format> made = {};
};

// --- Questions about trees ---------------------------------------------------------------------

void for_each(const Stmt& stmt, const std::function<void(const Stmt&)>& visit);
Stmt map_children(const Stmt& stmt, const std::function<Stmt(const Stmt&)>& change);
/// The same statement with every assignment replaced by `change` of it.
Stmt map_assigns(const Stmt& stmt, const std::function<Stmt(const Assign&)>& change);
/// The loops that are asked to run in some way, outermost first; of a variable with several, the first.
std::vector<Forall> tagged_loops(const Stmt& stmt);
/// The same statement with the tags of all loops over `var` replaced by `change` of them.
Stmt with_tags(const Stmt& stmt, const IndexVar& var, const std::function<LoopTag(const LoopTag&)>& change);
/// The tensors that assignments of `stmt` write.
std::vector<TensorVar> written(const Stmt& stmt);
/// The tensors `stmt` is there for: not the temporaries that its own `where`s make and use up.
std::vector<TensorVar> targets(const Stmt& stmt);
/// Does the assignment leave its left side as it is where its right side comes to `rhs`, by structure?
bool changes_nothing(const Assign& assign, const Expr& rhs);
/// The index variable of each level of the accessed tensor, outermost level first.
std::vector<IndexVar> level_vars(const Access& access);
Stmt foralls(const std::vector<IndexVar>& vars, Stmt body, bool as_stored = false);

/// Text that parse() reads back.
std::string to_string(const Stmt& stmt);
/// "cpu, atomics, unroll 4": words that schedules use too.
std::string to_string(const LoopTag& tag);
/// The same, one loop or assignment a line.
std::string to_lines(const Stmt& stmt);
/// The same for messages: "the loops are" and the lines, loops over `marked` with an arrow; `names` are what a schedule
/// calls variables.
std::string describe_loops(const Stmt& stmt, const std::vector<IndexVar>& marked,
                           const std::map<IndexVar, std::string>& names = {});

// --- Implementation of the handle ----------------------------------------------------------------

struct Stmt::Node {
  StmtKind kind;
};
template <StmtAlternative NodeType>
Stmt::Stmt(NodeType node) : node_(std::make_shared<const Node>(Node{StmtKind(std::move(node))})) {}
template <class NodeType>
const NodeType* Stmt::as() const {
  return std::get_if<NodeType>(&kind());
}

}  // namespace filigree::concrete
