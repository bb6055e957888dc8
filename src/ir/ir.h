// The imperative IR: small, typed, C-like.  Everything lowering produces and every back end reads.
//
// Semantics, stated once:
//  * Values are scalars of an ElementType.  Index arithmetic is Int64; coordinates and positions are
//    widened to Int64 when loaded and converted to their array's element type when stored.
//  * An array is a variable that names a block of elements of one type.  Arrays never alias: no two
//    variables name the same block.  Loads and stores are in bounds, and what is loaded was stored
//    before; the interpreter turns a violation into an error, so a program that breaks this is a bug.
//  * Quotient and Modulus are index arithmetic: a >= 0 and b > 0 in a // b and a % b.  There they are
//    C's `/` and `%`, which is what they become; the interpreter turns other operands into an error.
//  * A table is an opaque set of (parent, coordinate) pairs with positions, held by the runtime; see
//    ir/runtime/table.h for what its operations do.
//  * Parts are a row of places for arrays, one for each iteration of a parallel loop.  Keep moves an array that an
//  iteration made into its
//    place, Take moves it out again: whoever has an array frees it, and freeing parts frees what is still in them.
//  * Memory can run out: Alloc, Grow, SortSegment and the table operations end the function with OutOfMemory
//    and everything it allocated is released.
//  * The iterations of a parallel loop may run at the same time, in any order, and all of them do.  Whoever makes one
//    vouches that no iteration touches an array element that another writes, unless both store `true` or both are
//    atomic.  Scalars from outside are read only, memory of all is neither taken nor given back inside, and nothing
//    leaves the loop early.
//  * A function's parameters are bound to parts of the tensors it is called with (see Binding).
//  * A block loop in host code is a launch.  It and the loops of units inside it are a grid, and what they hold is
//  device
//    code.
//      - The grid is block loop > thread loop, or block loop > warp loop > thread loop.  All begin at 0, and the host
//        evaluates their ends before anything runs.  A warp is 32 threads, its lanes.  The thread loop in a warp loop
//        is `0 .. 32`; without a warp loop, each 32 threads of a block that follow each other are a warp, and the last
//        one may be smaller.
//      - Between these loops stand only declarations.  Every thread runs the whole body once, those declarations
//      included,
//        and the scalars it declares are its own.  Scalars from outside are read only.  All threads may run at the same
//        time, in any order.  The launch ends when all of them have; then the host goes on, and sees what they wrote.
//      - Host code touches arrays of the host.  Device code touches arrays of the device, which host code allocates,
//      frees
//        and copies, and shared arrays, which the block loop allocates: each block has its own, of a constant size,
//        with nothing in it, until the block ends.
//      - Two threads that touch an element, one of them to write it, race unless a barrier is between them, both
//      accesses
//        are atomic, or both store `true`.  A block barrier is between what the threads of its block do before and
//        after it, a warp barrier between what the lanes of its warp do.  Between threads of different blocks there is
//        only the end of the launch.  Whoever makes a launch vouches that nothing in it races; the interpreter reports
//        a race.
//      - A barrier is passed when all threads of the block, or all lanes of the warp, have come to it; whoever makes it
//        vouches that all come.  LaneReduce waits for all lanes of the warp in the same way, but orders no memory.
//  * A serial loop in host code may say that units of a GPU share its iterations.  It runs as any other loop does,
//    until passes/offload.h makes launches of such loops.  Whoever makes one vouches that its iterations may run at the
//    same time, apart from the sums that it names.
//
// Trees are immutable and shared; copying a handle is cheap.  Equality compares structure.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "algebra/operator.h"
#include "support/gpu.h"
#include "support/id.h"
#include "support/match.h"

namespace filigree::ir {

// --- Types and variables ---------------------------------------------------------------------

/// Shared: of one block of a grid.
enum class MemorySpace { Host, Device, Shared };

struct Type {
  enum class Kind { Scalar, Array, Table, Parts };
  Kind kind = Kind::Scalar;
  ElementType element = ElementType::Int64;  // of the scalar, the array or each array of the parts; unused for tables
  MemorySpace space = MemorySpace::Host;     // where an array lives
  bool operator==(const Type&) const = default;
};
inline Type scalar(ElementType element) { return {Type::Kind::Scalar, element}; }
inline Type array(ElementType element, MemorySpace space = MemorySpace::Host) {
  return {Type::Kind::Array, element, space};
}
inline Type table() { return {Type::Kind::Table}; }
inline Type parts(ElementType element) { return {Type::Kind::Parts, element}; }

/// A variable is its id; the name is for people.  Printers make clashing names distinct.
class Var {
 public:
  Var(std::string name, Type type);
  const std::string& name() const { return data_->name; }
  const Type& type() const { return data_->type; }
  Id<struct VarTag> id() const { return data_->id; }
  bool operator==(const Var& other) const { return id() == other.id(); }

 private:
  struct Data {
    std::string name;
    Type type;
    Id<VarTag> id;
  };
  std::shared_ptr<const Data> data_;
};

// --- Expressions -----------------------------------------------------------------------------

class Expr;

/// What generated code asks of the runtime.  Table functions take the table first, the others their arrays.  What is
/// searched is sorted between `begin` and `end`; ir/runtime/search.h has the searches.
enum class Function {
  Sort,        // sort(array, count): the first `count` elements, increasing; a statement
  Search,      // (array, begin, end, x) -> first position in [begin, end) that does not hold less than x, or end
  SearchDown,  // the same in an array that decreases: that does not hold more than x
  SearchPath,  // as Search, for a[p] + p in place of a[p]
  Gallop,      // as Search, in time logarithmic in the distance from `begin`
  Scattered,   // (array, begin, end) -> 1 if what is in [begin, end) is much, and mostly far from what comes shortly
              // before it, else 0: are writes to such places misses?  See ir/runtime/scattered.h
  Fetch,  // (array, index): the element will be written soon; the index may be anything; a statement that does nothing
  SortSegment,      // (crd, vals, begin, end): crd[begin..end) increasing, vals[begin..end) moved along; stable; a
                    // statement; -1: no memory
  HashFind,         // (crd, begin, end, coordinate) -> position of the coordinate in the open-addressing table in slots
                    // begin..end of crd, or -1 - q, where q is the free slot it belongs into.  The coordinate is not
                    // negative; the slots are a power of two, free ones hold -1, and one is free unless there are no
                    // slots at all: then -1.  See ir/runtime/hash.h
  TableInsert,      // (table, parent, coordinate) -> position of the pair, new or found; -1: no memory
  TableAppend,      // (table, parent, coordinate) -> position of a pair known to be new; -1: no memory
  TableFind,        // (table, parent, coordinate) -> position, or -1
  TableSize,        // (table) -> number of positions
  TableFinish,      // (table, parents) -> 0; groups by parent, coordinates increasing; -1: no memory
  TableBegin,       // (table, parent) -> first cursor of that parent's children; the end is the next parent's
  TableCoordinate,  // (table, cursor) -> coordinate
  TablePosition,    // (table, cursor) -> position
  TableClear,       // (table): forget all pairs in time proportional to their number; a statement
};
std::string function_name(Function function);
/// Does it work on an array (and come in one variant per element type) rather than on a table?
bool is_on_array(Function function);

struct Literal;  // a constant
struct VarRef;   // the value of a scalar variable (or a table or array handed to a Call)
struct Apply;    // an operator on expressions
struct Load;     // an element of an array
struct Cast;     // conversion to another element type
struct Call;     // a runtime function
using ExprKind = std::variant<Literal, VarRef, Apply, Load, Cast, Call>;

template <class T>
concept ExprAlternative = std::is_same_v<T, Literal> || std::is_same_v<T, VarRef> || std::is_same_v<T, Apply> ||
                          std::is_same_v<T, Load> || std::is_same_v<T, Cast> || std::is_same_v<T, Call>;

class Expr {
 public:
  template <ExprAlternative Node>
  Expr(Node node);
  Expr(const Var& var);  // a variable reads as its value

  const ExprKind& kind() const;
  ElementType type() const;
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
  bool operator==(const Literal&) const = default;
};
struct VarRef {
  Var var;
  bool operator==(const VarRef&) const = default;
};
struct Apply {
  Operator op;
  std::vector<Expr> operands;
  bool operator==(const Apply&) const = default;
};
struct Load {
  Var array;
  Expr index;
  bool operator==(const Load&) const = default;
};
struct Cast {
  ElementType type;
  Expr value;
  bool operator==(const Cast&) const = default;
};
struct Call {
  Function function;
  std::vector<Expr> arguments;
  bool operator==(const Call&) const = default;
};

// --- Statements ------------------------------------------------------------------------------

class Stmt;

struct Block;    // statements in order
struct Declare;  // a new scalar variable, or a new empty table when there is no value
struct Assign;   // a declared scalar variable gets a new value
struct Store;    // an array element gets a value
struct For;      // var = begin, begin+1, ... below end; the bounds are evaluated once
struct While;
struct If;
struct Alloc;       // an array of `count` elements, zero or uninitialised; `count` parts with nothing in them
struct Grow;        // the array keeps its elements and now has room for `count` (count never shrinks)
struct Free;        // an array, a table or parts allocated here
struct Keep;        // an array, of which `count` elements matter, moves to its place among parts
struct Take;        // and back
struct Copy;        // the first `count` elements of an array get those of another, in whatever memory the two are
struct Barrier;     // threads of a block, or lanes of a warp, wait for each other
struct LaneReduce;  // the values of a warp's lanes are combined
struct Evaluate;    // a call for its effect
struct Break;
struct Continue;
struct Return;  // end the function with a status
struct Comment;
using StmtKind = std::variant<Block, Declare, Assign, Store, For, While, If, Alloc, Grow, Free, Keep, Take, Copy,
                              Barrier, LaneReduce, Evaluate, Break, Continue, Return, Comment>;

template <class T>
concept StmtAlternative = std::is_same_v<T, Block> || std::is_same_v<T, Declare> || std::is_same_v<T, Assign> ||
                          std::is_same_v<T, Store> || std::is_same_v<T, For> || std::is_same_v<T, While> ||
                          std::is_same_v<T, If> || std::is_same_v<T, Alloc> || std::is_same_v<T, Grow> ||
                          std::is_same_v<T, Free> || std::is_same_v<T, Keep> || std::is_same_v<T, Take> ||
                          std::is_same_v<T, Copy> || std::is_same_v<T, Barrier> || std::is_same_v<T, LaneReduce> ||
                          std::is_same_v<T, Evaluate> || std::is_same_v<T, Break> || std::is_same_v<T, Continue> ||
                          std::is_same_v<T, Return> || std::is_same_v<T, Comment>;

class Stmt {
 public:
  Stmt();  // the empty block
  template <StmtAlternative Node>
  Stmt(Node node);

  const StmtKind& kind() const;
  template <class Node>
  const Node* as() const;
  bool same_as(const Stmt& other) const { return node_ == other.node_; }
  friend bool operator==(const Stmt& a, const Stmt& b);
  bool is_empty() const;

 private:
  struct Node;
  std::shared_ptr<const Node> node_;
};

/// PatternMismatch: a result handed in does not have the pattern the operands give; or one that is to have an operand's
/// pattern does not, because there is nothing below a node of that. DoesNotFit: a component that the result's format
/// has no place for is not zero, such as one above the diagonal of a lower triangle.
enum class Status { Ok = 0, OutOfMemory = 1, PatternMismatch = 2, DoesNotFit = 3 };

/// How a loop may run; Serial unless a schedule says otherwise.  The last three are the loops of a grid.
enum class LoopKind { Serial, Parallel, Simd, GpuBlock, GpuWarp, GpuThread };
inline bool is_grid(LoopKind loop) {
  return loop == LoopKind::GpuBlock || loop == LoopKind::GpuWarp || loop == LoopKind::GpuThread;
}

struct Block {
  std::vector<Stmt> statements;
  bool operator==(const Block&) const = default;
};
struct Declare {
  Var var;
  std::optional<Expr> value;
  bool operator==(const Declare&) const = default;
};
struct Assign {
  Var var;
  Expr value;
  bool operator==(const Assign&) const = default;
};
/// `atomic`: other threads may update the element at the same time; the value is an operator of the element and
/// something else.
struct Store {
  Var array;
  Expr index, value;
  bool atomic = false;
  bool operator==(const Store&) const = default;
};
/// Units of a GPU that share the iterations of a loop, once it is in a launch.  Loops for blocks are outside of those
/// for warps, and these outside of those for threads.
struct Units {
  struct Sum {
    Var array;
    Operator op;
    bool operator==(const Sum&) const = default;
  };
  LoopKind kind = LoopKind::GpuThread;  // one of a grid
  std::int64_t count = 1;               // so many there are in a block; of blocks, any number
  bool one_each = false;                // there are never more iterations than units
  std::vector<Sum> sums = {};           // iterations may update the same elements of these, combined first
  bool sums_scalars = false;            // and scalars from outside
  std::string name = {};                // of the loop, for people
  bool operator==(const Units&) const = default;
};
/// `unrolled`: so many iterations are one turn of the machine's loop; 0: as the compiler likes.
struct For {
  Var var;
  Expr begin, end;
  Stmt body;
  LoopKind loop = LoopKind::Serial;
  int unrolled = 0;
  std::shared_ptr<const Units> units = nullptr;
  bool operator==(const For& other) const;
  /// Other iterations, run in the same way.
  For with(Expr new_begin, Expr new_end, Stmt new_body) const {
    return {var, std::move(new_begin), std::move(new_end), std::move(new_body), loop, unrolled, units};
  }
};
struct While {
  Expr condition;
  Stmt body;
  bool operator==(const While&) const = default;
};
struct If {
  Expr condition;
  Stmt then, otherwise;
  bool operator==(const If&) const = default;
};
struct Alloc {
  Var array;
  Expr count;
  bool zeroed = false;
  bool operator==(const Alloc&) const = default;
};
struct Grow {
  Var array;
  Expr count;
  bool operator==(const Grow&) const = default;
};
struct Free {
  Var var;
  bool operator==(const Free&) const = default;
};
struct Keep {
  Var parts;
  Expr index;
  Var array;
  Expr count;
  bool operator==(const Keep&) const = default;
};
struct Take {
  Var array, parts;
  Expr index;
  bool operator==(const Take&) const = default;
};
struct Copy {
  Var to, from;
  Expr count;
  bool operator==(const Copy&) const = default;
};
enum class BarrierScope { Block, Warp };
struct Barrier {
  BarrierScope scope = BarrierScope::Block;
  bool operator==(const Barrier&) const = default;
};
/// Lanes that follow each other and have equal keys are a segment.  `first` becomes true in its first lane and false in
/// the others.
struct Segments {
  Expr key;
  Var first;
  bool operator==(const Segments&) const = default;
};
/// Every lane's `result` becomes the combination of all lanes' values.  With segments, only the `result` of each
/// segment's first lane does, and it combines the values of the segment; the others' stays as it is.  The order of
/// combining is the machine's.
struct LaneReduce {
  Var result;
  Operator op;
  Expr value;
  std::optional<Segments> segments = {};
  bool operator==(const LaneReduce&) const = default;
};
struct Evaluate {
  Expr call;
  bool operator==(const Evaluate&) const = default;
};
struct Break {
  bool operator==(const Break&) const = default;
};
struct Continue {
  bool operator==(const Continue&) const = default;
};
struct Return {
  Status status;
  bool operator==(const Return&) const = default;
};
struct Comment {
  std::string text;
  bool operator==(const Comment&) const = default;
};

// --- Functions -------------------------------------------------------------------------------

/// The part of a tensor that a parameter stands for.  A tensor's arrays are numbered through its
/// levels in order, each level's arrays in the order the level format lists them; values come last.
struct Binding {
  /// Count: how many elements an array has.  Threads: nothing of a tensor's, but on how many threads parallel loops
  /// run, at least 1: into how many pieces work may be cut.
  enum class Part { Dimension, Array, Count, Threads };
  int tensor = 0;  // index into Function's tensors
  Part part = Part::Array;
  int index = 0;  // which dimension, or which array
  bool operator==(const Binding&) const = default;
};

/// In: read only, given by the caller.  Out: not given; the function allocates it and hands it to
/// the caller on Status::Ok.  Update: given by the caller, written in place.
enum class Direction { In, Out, Update };

struct Parameter {
  Var var;
  Binding binding;
  Direction direction = Direction::In;
  /// Out only: how many elements the caller gets; a variable of the function's body.
  std::optional<Var> count;
};

struct FunctionDef {
  std::string name;
  std::vector<std::string> tensors;  // the tensors it is called with, results first
  std::vector<Parameter> parameters;
  Stmt body;
  std::vector<std::string> header;  // comment lines for the reader: expression, formats, statement
};

struct Module {
  std::vector<FunctionDef> functions;
};

// --- Construction helpers (build.cpp): fold constants and drop neutral operands ----------------

Var int64_var(const std::string& name);
Var bool_var(const std::string& name);
Expr integer(std::int64_t value);
Expr constant(const Scalar& value);
Expr boolean(bool value);
Expr add(const Expr& a, const Expr& b);
Expr subtract(const Expr& a, const Expr& b);
Expr multiply(const Expr& a, const Expr& b);
/// Rounded down.  Requires: a >= 0 and b > 0 at run time.
Expr quotient(const Expr& a, const Expr& b);
/// What `quotient` leaves.  Requires: a >= 0 and b > 0 at run time.
Expr remainder(const Expr& a, const Expr& b);
Expr min(const Expr& a, const Expr& b);
Expr max(const Expr& a, const Expr& b);
Expr less(const Expr& a, const Expr& b);
Expr greater_equal(const Expr& a, const Expr& b);
Expr equal(const Expr& a, const Expr& b);
Expr not_equal(const Expr& a, const Expr& b);
Expr both(const Expr& a, const Expr& b);    // a && b
Expr either(const Expr& a, const Expr& b);  // a || b
Expr negate(const Expr& condition);         // !condition
Expr convert(const Expr& value, ElementType type);
/// An element of an index array, widened to Int64.
Expr load_index(const Var& array, const Expr& index);
Expr call(Function function, std::vector<Expr> arguments);

/// Statements in order; blocks are flattened and empty ones dropped.
Stmt block(std::vector<Stmt> statements);
Stmt declare(const Var& var, const Expr& value);
Stmt assign(const Var& var, const Expr& value);
Stmt increment(const Var& var);
/// Stores convert the value to the array's element type.
Stmt store(const Var& array, const Expr& index, const Expr& value);
Stmt if_then(const Expr& condition, const Stmt& then, const Stmt& otherwise = Stmt());

/// Do these operands of Quotient and Modulus keep the rule above?
bool may_divide(const Scalar& a, const Scalar& b);
bool is_literal(const Expr& expr, std::int64_t value);
bool is_true(const Expr& expr);
bool is_false(const Expr& expr);

// --- Implementation of the handles ------------------------------------------------------------

struct Expr::Node {
  ExprKind kind;
  ElementType type;
};
struct Stmt::Node {
  StmtKind kind;
};

/// Type of a node from its operands (ir.cpp).
ElementType type_of(const ExprKind& kind);

template <ExprAlternative NodeType>
Expr::Expr(NodeType node) {
  ExprKind kind(std::move(node));
  ElementType type = type_of(kind);
  node_ = std::make_shared<const Node>(Node{std::move(kind), type});
}
template <class NodeType>
const NodeType* Expr::as() const {
  return std::get_if<NodeType>(&kind());
}

template <StmtAlternative NodeType>
Stmt::Stmt(NodeType node) : node_(std::make_shared<const Node>(Node{StmtKind(std::move(node))})) {}
template <class NodeType>
const NodeType* Stmt::as() const {
  return std::get_if<NodeType>(&kind());
}

}  // namespace filigree::ir
