// How tensors come to hold what loops compute: one alternative for each way, decided when the plan is made.
//
//   filled A by appending                 A csr, in loops over its rows and columns, in order
//   filled A by placing, in pieces        A csr, in loops over another matrix's columns
//   filled A as B(i,j) to level 2         A has the entries that B has
//
// lower/result.h writes code for each of them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <variant>

#include "lattice/lattice.h"

namespace filigree::plan {

/// What a kernel does with its results; docs/architecture.md says who uses which.
enum class Mode {
  Grow,     // index and values in one pass; arrays grow as needed
  Pattern,  // index only; arrays grow as needed
  Count,    // positions only: how many children every node has
  Fill,     // coordinates and values, into arrays of the right size
  Values,   // values only; the index is there already
  Update,   // the same, but values are combined with those that are there (concrete/update.h)
};
constexpr bool allocates(Mode mode) { return mode == Mode::Grow || mode == Mode::Pattern || mode == Mode::Count; }
constexpr bool grows(Mode mode) { return mode == Mode::Grow || mode == Mode::Pattern; }
constexpr bool writes_positions(Mode mode) { return allocates(mode); }
constexpr bool writes_coordinates(Mode mode) {
  return mode == Mode::Grow || mode == Mode::Pattern || mode == Mode::Fill;
}
constexpr bool writes_values(Mode mode) { return mode != Mode::Pattern && mode != Mode::Count; }

/// A component has its position as soon as its coordinates are known, so components come in any order.
/// Requires: every level can be inserted into.
struct Inserted {
  /// What is below a coordinate of this loop, the outermost one, is cleared when the loop comes there, before anything
  /// is added up: then it is in the caches, and threads share the work (plan/clearing.h).  None: all at the beginning.
  std::optional<IndexVar> cleared_in = {};
  bool operator==(const Inserted&) const = default;
};
/// Nodes of the levels that can only be appended to come one after the other, each with all that is below it.
/// Requires: loops over these levels, in their order, that visit coordinates in order and once.
struct Appended {
  bool gaps = false;  // loops do not come by every parent of the first of these levels (plan/gaps.h)
  bool operator==(const Appended&) const = default;
};
/// The same in pieces that are made at the same time: each piece of the loop has counters of its own, and arrays of its
/// own where sizes are not known, which are put together in the end.
/// Requires: what Appended does, a loop in pieces over the first level, and that arrays are not given.
struct AppendedInPieces {
  IndexVar loop;
  bool gaps = false;
  bool operator==(const AppendedInPieces&) const = default;
};
/// The same where the pattern is given: each piece goes to where that has its nodes.
/// Requires: what Appended does, a loop in pieces over the first level, which is not appended to, and given arrays.
struct GivenInPieces {
  IndexVar loop;
  bool operator==(const GivenInPieces&) const = default;
};
/// A temporary for the children of one node: those of operands' nodes join, all children of a node at once and as they
/// stand, and all of them go to a result that keeps them alike (level::Join).
/// Requires: a temporary of one level whose format lets siblings join; loops that fill it each go through a level of
/// the same format, and one loop copies it to the last level of a result, which has that format, too.
struct Joined {
  bool operator==(const Joined&) const = default;
};
/// In two passes over rows of blocks: the first appends the blocks that there are, the second tells the workspace where
/// they are and stores every component in its block.
/// Requires: index and values are made; the levels above that of the blocks have a place for every coordinate, and
/// blocks are copied as a whole from the workspace, whose first level can be told positions.
struct IndexFirst {
  TensorVar workspace;
  bool gaps = false;
  bool operator==(const IndexFirst&) const = default;
};
/// The last level, in two passes over the same loops: the first counts nodes, the second places each.
/// Requires: the levels above have a place for every coordinate, and the last can be scattered into.
struct Placed {
  bool sorts = false;      // nodes are not placed in order
  bool merges = false;     // a component may be written several times, to be added up
  bool in_pieces = false;  // the outermost loop is in pieces, which count and place at the same time
  /// The first pass goes through all nodes of this level, whatever they are below.
  std::optional<lattice::Operand> counted_through = {};
  /// In pieces: each iteration of the outermost loop places one node below the coordinate that this level has
  /// there, and these never decrease: one pass is enough.
  std::optional<lattice::Operand> in_order_of = {};
  bool operator==(const Placed&) const = default;
};
/// Entries are counted within a variable, which tells how many slots there are; in a second pass over the same loops,
/// each takes the next one.
struct Slotted {
  IndexVar within;
  bool operator==(const Slotted&) const = default;
};
/// The first levels hold what those of an operand hold: its index is copied, and values go where it has its own.
/// Requires: all levels that can only be appended to are among them.
struct PatternOf {
  notation::Access operand;
  int levels;
  bool on_threads = false;  // several copy the index
  bool noted = false;       // it is noted which nodes of the last of these levels have something below them
  bool operator==(const PatternOf&) const = default;
};

using Filling =
    std::variant<Inserted, Appended, AppendedInPieces, GivenInPieces, Joined, IndexFirst, Placed, Slotted, PatternOf>;
/// Of results, and of temporaries that have levels.
using Fillings = std::map<TensorVar, Filling>;

/// Are nodes of the level added one after the other?
bool is_appended(const Filling& filling, const TensorVar& tensor, int level);
/// The innermost level of which that is so.
std::optional<int> last_appended(const Filling& filling, const TensorVar& tensor);

}  // namespace filigree::plan
