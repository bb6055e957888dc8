// The interface of level formats (P3 section 3): how one level of a coordinate hierarchy is stored,
// iterated, searched and assembled.  Lowering knows levels only through this header: it asks for
// properties and capabilities, never for names.  A level format is one file and one line in
// registry.cpp; docs/architecture.md shows where it fits, and names the papers.
//
// Vocabulary: a *position* p_k numbers the nodes of level k; the node at p_k encodes a *coordinate*
// i_k and is a child of a node p_{k-1} of the level above; the root has the single position 0.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/ir.h"
#include "level/array.h"

namespace filigree::level {

enum class Ordered { Increasing, Decreasing, No };

/// P3 section 3.3.
struct Properties {
  bool full = false;                      // every coordinate of the dimension is there under every parent
  Ordered ordered = Ordered::Increasing;  // how siblings' coordinates follow each other
  bool unique = true;                     // no two siblings have the same coordinate
  bool branchless = false;                // every node above has exactly one child
  bool compact = true;                    // no position between two nodes encodes nothing
  bool padded = false;                    // positions that encode nothing have the coordinate -1
  bool operator==(const Properties&) const = default;
};

/// One array of a level's storage, described so that sizes, growth and widths need no level-specific code.
struct ArrayDescription {
  enum class Holds { Positions, Coordinates, Other };
  enum class IndexedBy { Parent, Position, Nothing };
  std::string name;  // "pos", "crd"
  Holds holds;
  IndexedBy indexed_by;  // one element per parent position, or per position of this level, or neither
  int extra = 0;         // elements beyond that (`pos` has one)
  ElementType other_type = ElementType::Int64;  // of Holds::Other; the rest are Int32 or Int64, by size
  std::optional<int> initially = {};            // what every element holds before the first insertion
  int per = 1;  // elements side by side for every position, of an array indexed by positions
};

class Format;

/// A level above another one, for levels whose coordinates stand in its arrays.
template <class Arrays>
struct Above {
  const Format* format;
  Arrays arrays;
};

/// A level of one tensor as generated code sees it.
struct Instance {
  std::string name;                                     // "B2": unique within the kernel, readable
  std::vector<ir::Var> arrays;                          // in the order of arrays()
  std::optional<ir::Var> table;                         // for levels that keep their nodes in a runtime table
  std::optional<ir::Var> count;                         // for insertable levels: how many nodes there are so far
  ir::Expr extent;                                      // how many coordinates the level can have
  ir::Expr origin = ir::integer(0);                     // the lowest of them
  std::vector<Above<std::vector<ir::Var>>> above = {};  // outermost first
  std::vector<ir::Expr> extents_above = {};             // of those levels
};

// --- Access capabilities (P3 section 3.2) --------------------------------------------------------
// Coordinates are passed from the outermost level to this one.  `found` is the literal true when
// the answer is always yes; then no test is generated.

struct Bounds {
  ir::Expr begin, end;
};

/// A node of a level: where it is and what it encodes; `setup` runs before the other parts are valid.
struct Node {
  ir::Expr position;
  ir::Expr coordinate;
  ir::Expr found = ir::boolean(true);
  std::vector<ir::Stmt> setup = {};
  /// Of nodes with the same coordinate: this is the first of those from `position` up to here.
  std::optional<ir::Expr> group_end = {};
};

/// coord_iter, coord_access: loop over coordinates, compute the position of each.
class ValueIteration {
 public:
  virtual ~ValueIteration() = default;
  virtual Bounds bounds(const Instance& level, const std::vector<ir::Expr>& ancestors) const = 0;
  virtual Node access(const Instance& level, const ir::Expr& parent,
                      const std::vector<ir::Expr>& coordinates) const = 0;
};

/// pos_iter, pos_access: loop over a cursor, read the coordinate and position it stands for.  For
/// most levels the cursor is the position itself.
class PositionIteration {
 public:
  virtual ~PositionIteration() = default;
  virtual Bounds bounds(const Instance& level, const ir::Expr& parent) const = 0;
  virtual Node access(const Instance& level, const ir::Expr& cursor, const std::vector<ir::Expr>& ancestors) const = 0;
  /// An array that never decreases, if there is one, whose element p is where the children of parent p begin and whose
  /// element p + 1 is where they end: it tells how much work lies below a range of parents.
  virtual std::optional<ir::Var> segments(const Instance& level) const { return (void)level, std::nullopt; }
};

/// locate: the position of a coordinate, in constant expected time.
class Locate {
 public:
  virtual ~Locate() = default;
  virtual Node locate(const Instance& level, const ir::Expr& parent,
                      const std::vector<ir::Expr>& coordinates) const = 0;
};

/// The coordinates of one parent's children stand in an array in the level's order, and the cursor of
/// PositionIteration is an index into it: so a coordinate can be searched for.
class Search {
 public:
  virtual ~Search() = default;
  virtual ir::Var coordinates(const Instance& level) const = 0;
};

/// The coordinates of one parent's children come in runs of `length` neighbours, from a multiple of `length` on; the
/// last run may reach beyond the dimension.  So loops can run over runs and then inside them, and a coordinate is found
/// by its run: the numbers of runs, coordinates / length, stand in an array in increasing order, and the cursor is an
/// index into it.
class Runs {
 public:
  virtual ~Runs() = default;
  virtual std::int64_t length() const = 0;
  virtual Bounds bounds(const Instance& level, const ir::Expr& parent) const = 0;
  virtual ir::Var numbers(const Instance& level) const = 0;
  /// The node at place `inside` of a run, from 0 on; found if it is within the dimension.
  virtual Node access(const Instance& level, const ir::Expr& cursor, const ir::Expr& inside,
                      const std::vector<ir::Expr>& ancestors) const = 0;
};

// --- Assembly capabilities (P3 section 3.4) ------------------------------------------------------
// Lowering allocates and grows the arrays that arrays() describes; these emit only what goes into them.

/// append_init, append_coord, append_edges, append_finalize: nodes arrive in order, parents too.
class Append {
 public:
  virtual ~Append() = default;
  virtual ir::Stmt init(const Instance& level) const = 0;
  virtual ir::Stmt coordinate(const Instance& level, const ir::Expr& position, const ir::Expr& coordinate) const = 0;
  virtual ir::Stmt edges(const Instance& level, const ir::Expr& parent, const ir::Expr& begin,
                         const ir::Expr& end) const = 0;
  /// Some parents may have got no edges; their arrays' elements are zero.  Makes them childless.
  virtual ir::Stmt finalize(const Instance& level, const ir::Expr& parent_count) const = 0;
};

/// The order of a level's siblings is another than that in which they are appended: when the last one is there, all of
/// them are arranged, and their values move along.  Nothing else can hang from them yet: siblings with children are all
/// arranged first, and then visited in their new order.
class Arrange {
 public:
  virtual ~Arrange() = default;
  /// Declares `size`, the number of positions that `count` siblings take; arranging them needs `room` positions, if not
  /// just these.
  virtual ir::Stmt measure(const ir::Var& size, const ir::Expr& count) const = 0;
  virtual std::optional<ir::Expr> room(const ir::Expr& size, const ir::Expr& count) const = 0;
  /// What is moved along, and what stands where nothing is.
  struct Values {
    ir::Var array;
    ir::Expr fill;
  };
  virtual ir::Stmt arrange(const Instance& level, const std::optional<Values>& values, const ir::Expr& begin,
                           const ir::Expr& count, const ir::Var& size) const = 0;
};

/// insert_init, insert_coord, size, insert_finalize: nodes arrive in any order.
class Insert {
 public:
  virtual ~Insert() = default;
  /// Number of positions when there are `parent_count` parents, if that alone decides it.  Then results may have it: a
  /// node's position is known before anything is stored below it.
  virtual std::optional<ir::Expr> size(const Instance& level, const ir::Expr& parent_count) const = 0;
  /// Before the first insertion.
  virtual ir::Stmt init(const Instance& level) const = 0;
  /// Code to run when an insertion made a new node at this position.
  using OnNew = std::function<ir::Stmt(const ir::Expr& position)>;
  /// Is there a place for every coordinate?  If not, `found` of an inserted node says whether there is one for it.
  virtual bool holds_all() const { return true; }
  /// Do different coordinates below one parent get different places?  If not, they meet there.
  virtual bool tells_apart() const { return true; }
  /// The position of a coordinate, inserting it if it is not there.  `known_new`: the caller knows
  /// that the pair (parent, coordinate) was never inserted before.
  virtual Node insert(const Instance& level, const ir::Expr& parent, const ir::Expr& coordinate, bool known_new,
                      const OnNew& on_new) const = 0;
  /// Of a level with such positions: something is stored at or below this one, so the node is there.
  virtual ir::Stmt mark(const Instance& level, const ir::Expr& position, const ir::Expr& coordinate) const {
    return (void)level, (void)position, (void)coordinate, ir::Stmt();
  }
  /// After the last insertion: from here on the level can be iterated.
  virtual ir::Stmt finalize(const Instance& level, const ir::Expr& parent_count) const = 0;
  /// Forget all nodes so that the level can be filled again, in time proportional to their number.
  virtual ir::Stmt clear(const Instance& level) const = 0;
  /// From here on `locate` finds the coordinate at this position, which another level gave it; nothing if the level's
  /// positions are its own.
  virtual std::optional<ir::Stmt> set_position(const Instance& level, const ir::Expr& coordinate,
                                               const ir::Expr& position) const {
    return (void)level, (void)coordinate, (void)position, std::nullopt;
  }
};

/// Where the nodes of one piece of a loop are counted, if its pieces may run at the same time: `array` has a row of
/// counters for each piece, one per parent, and this piece's row begins at `first`.
struct Counters {
  ir::Var array;
  ir::Expr first;
};

/// Two passes over the same nodes, in any order: the first counts them, the second puts each where it belongs. Parents'
/// positions are known without this level.  The nodes come one after the other, and are counted in the level's own
/// arrays; or in pieces, each of which counts and places for itself.  Siblings end up in the order of the pieces, as if
/// these had come one after the other.
class Scatter {
 public:
  virtual ~Scatter() = default;
  /// Before the first pass, unless that is in pieces: allocates what is counted in.
  virtual ir::Stmt init(const Instance& level, const ir::Expr& parent_count) const = 0;
  /// First pass: one more node under this parent.
  virtual ir::Stmt count(const Instance& level, const ir::Expr& parent,
                         const std::optional<Counters>& counters) const = 0;
  /// Between the passes: afterwards every parent has its room, and this is how many positions there are.
  virtual ir::Stmt allot(const Instance& level, const ir::Expr& parent_count) const = 0;
  virtual ir::Expr size(const Instance& level, const ir::Expr& parent_count) const = 0;
  /// The same after a pass in pieces; allocates what `init` would have, and runs in pieces itself.
  virtual ir::Stmt allot_pieces(const Instance& level, const ir::Expr& parent_count, const ir::Var& counters,
                                const ir::Expr& pieces) const = 0;
  /// Second pass: where the node goes.
  virtual Node place(const Instance& level, const ir::Expr& parent, const ir::Expr& coordinate,
                     const std::optional<Counters>& counters) const = 0;
  /// Instead of all this, for nodes that come in the order of their parents, numbered: `position` is where the first
  /// node of every parent from `first` to `last` goes that had none yet.
  virtual ir::Stmt begin_parents(const Instance& level, const ir::Var& first, const ir::Expr& last,
                                 const ir::Expr& position) const = 0;
  virtual ir::Stmt allocate_parents(const Instance& level, const ir::Expr& parent_count) const = 0;
  virtual ir::Stmt put(const Instance& level, const ir::Expr& position, const ir::Expr& coordinate) const = 0;
  /// Afterwards: siblings in increasing order, if they were not placed so; `values` move along.  `loop`: how to go
  /// through the parents.
  virtual ir::Stmt sort(const Instance& level, const ir::Expr& parent_count, const ir::Var& values,
                        ir::LoopKind loop) const = 0;
  /// Equal neighbours become one, with the sum of their values; `size` becomes the number of nodes that are left.
  virtual ir::Stmt merge(const Instance& level, const ir::Expr& parent_count, const ir::Var& values,
                         const ir::Var& size) const = 0;
};

// --- Storage on the host ---------------------------------------------------------------------------

/// The nodes of a level in storage order: `parent[n]` and `coordinate[n]`, grouped by parent.
struct Nodes {
  std::vector<std::int64_t> parent, coordinate;
  /// Of a level that is not unique: is node n one with the node before it, because they agree in the single children
  /// below, too?
  std::vector<bool> repeats = {};
};

/// A packed level: its arrays, and the position each input node ended up at.
struct Packed {
  static constexpr std::int64_t does_not_fit = -1;  // the position of a node that the level cannot hold
  std::vector<Array> arrays;
  std::vector<std::int64_t> positions;
  std::int64_t size = 0;  // number of positions
};

/// The coordinates a level can have, `extent` from `origin` on, and how many parents it has.  The extent of a level
/// that counts entries is part of its storage; here it is -1.
struct Shape {
  std::int64_t extent;
  std::int64_t parent_count;
  std::int64_t origin = 0;
  std::vector<Above<std::vector<Array>*>> above = {};  // packed already, outermost first
};

/// What a level looks like in memory.
struct StoredLevel {
  const std::vector<Array>* arrays;
  std::int64_t extent;
  std::int64_t parent_count;
  std::int64_t origin = 0;
  std::vector<Above<const std::vector<Array>*>> above = {};  // outermost first
};

class Storage {
 public:
  virtual ~Storage() = default;
  /// Stores nodes, grouped by parent; equal neighbours become one node when the level is unique.
  virtual Packed pack(const Shape& shape, const Nodes& nodes) const = 0;
  /// The least number of positions that `nodes` nodes take: storage that cannot fit is refused before it is allocated.
  virtual double least_size(double extent, double parent_count, double nodes) const = 0;
  /// Checks the arrays in one linear pass and returns the number of positions.  `where` names the
  /// level for messages ("level 2 of 'B'"); throws UserError that says what is wrong at which element.
  virtual std::int64_t validate(const StoredLevel& level, const std::string& where) const = 0;
  /// Number of positions of a valid level.
  virtual std::int64_t size(const StoredLevel& level) const = 0;
  /// Calls `visit(coordinate, position)` for the children of `parent`, in storage order.
  virtual void for_each_child(
      const StoredLevel& level, std::int64_t parent,
      const std::function<void(std::int64_t coordinate, std::int64_t position)>& visit) const = 0;
  /// The same for children with this coordinate alone.
  virtual void for_each_child_at(const StoredLevel& level, std::int64_t parent, std::int64_t coordinate,
                                 const std::function<void(std::int64_t position)>& visit) const {
    for_each_child(level, parent, [&](std::int64_t at, std::int64_t position) {
      if (at == coordinate) visit(position);
    });
  }
};

// --- The plug-in -------------------------------------------------------------------------------------

/// One level format.  A capability the format lacks is nullptr.  Objects are immutable and live as
/// long as the registry or the shared_ptr that holds them.
class Format {
 public:
  virtual ~Format() = default;
  virtual std::string name() const = 0;
  virtual Properties properties() const = 0;
  /// What stands in parentheses after the name, before properties: the 2 of `tuples(2)`.
  virtual std::optional<std::string> argument() const { return std::nullopt; }
  /// The same format with one property changed, as a person asks for it in `compressed(nonunique)`, or with another
  /// argument; nullptr if it cannot have that.  Words: full, unordered, decreasing, nonunique, padded.
  virtual std::shared_ptr<const Format> with(std::string_view property) const { return (void)property, nullptr; }
  /// TACO's letter, if it has one.
  virtual std::optional<char> letter() const { return std::nullopt; }
  /// Nothing is stored: the coordinate follows from the levels above.
  virtual bool is_implied() const { return false; }
  /// It numbers the entries of a fibre; its coordinates are counts (#i), and siblings stand side by side.
  virtual bool counts_entries() const { return false; }
  /// How many of the levels right below have their coordinates in this level's arrays, beside its own.
  virtual int holds_below() const { return 0; }
  /// Its coordinates stand in the arrays of a level above, which holds them.
  virtual bool is_held_above() const { return false; }
  /// It needs to know its row: it must come right after a first level that is dense.
  virtual bool stands_under_rows() const { return false; }
  /// Components come into being that nobody stored: they hold the fill.
  virtual bool pads() const { return properties().full && !is_implied(); }
  /// How many coordinates there are, for a level whose storage says so.
  virtual std::optional<ir::Expr> stored_extent(const Instance& level) const { return (void)level, std::nullopt; }
  virtual std::vector<ArrayDescription> arrays() const = 0;
  /// Does generated code keep this level's nodes in a runtime table, or count them in a variable?
  virtual bool uses_table() const { return false; }
  virtual bool uses_count() const { return false; }
  virtual const ValueIteration* value_iteration() const { return nullptr; }
  virtual const PositionIteration* position_iteration() const { return nullptr; }
  virtual const Locate* locate() const { return nullptr; }
  virtual const Search* search() const { return nullptr; }
  virtual const Runs* runs() const { return nullptr; }
  virtual const Append* append() const { return nullptr; }
  virtual const Arrange* arrange() const { return nullptr; }
  virtual const Insert* insert() const { return nullptr; }
  virtual const Scatter* scatter() const { return nullptr; }
  virtual const Storage* storage() const { return nullptr; }
};
using FormatPtr = std::shared_ptr<const Format>;

/// The name with its argument and the properties that are not the format's usual ones: "compressed(nonunique)",
/// "tuples(2, unordered)".
std::string to_string(const Format& format);
inline bool operator==(const Format& a, const Format& b) { return &a == &b || to_string(a) == to_string(b); }

/// A level whose every node is there and can be located: nothing about it needs a test.
inline bool is_always_found(const Format& format) { return format.properties().full && format.locate() != nullptr; }
/// A level that takes nodes in any order, at every coordinate.
inline bool takes_any_order(const Format& format) { return format.insert() && format.insert()->holds_all(); }

}  // namespace filigree::level
