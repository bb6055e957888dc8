// The loops of one lattice (P3 figure 9, P1; docs/architecture.md names the papers).  Internal to lowering.
//
// How they run is the lattice's strategy (lattice/strategy.h).  Over the universe: one loop over the dimension,
// operands are found at each coordinate.  One operand that steps: one loop over it.  Several: a loop per point,
// the cases inside it being the points below.  An intersection in which all gallop: one loop.
#pragma once

#include <functional>
#include <map>
#include <vector>

#include "lower/lowerer.h"

namespace filigree::lowering {

/// An operand's coordinates under one parent, and a cursor into them.
struct Cursor {
  ir::Var at;
  ir::Expr begin, end;
  level::Node node;      // what the cursor stands for
  ir::Var coordinate;    // the node's coordinate, as declared in loops that compare several
  bool single = false;   // there is exactly one node: no loop is needed
  bool falls = false;    // coordinates decrease: it runs from the last node to the first, beside loops that increase
  bool groups = false;   // nodes with the same coordinate are visited together
  std::int64_t run = 1;  // the node is a run of so many coordinates, and its coordinate is the run's number
};

/// An operand at one coordinate: code that looks for it, where it is, and whether it is there.
struct Found {
  std::vector<ir::Stmt> setup;
  level::Node node;
  ir::Expr here;
};

inline bool has(lattice::Mask mask, int k) { return mask >> k & 1; }
/// `expr` with a variable in the place of `from`.
ir::Expr replaced(const ir::Expr& expr, const ir::Expr& from, const ir::Var& to);

/// Emits the loops for one lattice; made for a single use.
class LatticeLoops {
 public:
  LatticeLoops(Lowerer& lowerer, const plan::Loop& loop, const Scope& scope);

  /// An upper bound on how many coordinates the loops visit.
  ir::Expr iterations() const;
  /// What stands in front of the loops: cursors that several loops share, or that run beside a loop, with their
  /// ends; maps of operands.  Everything below speaks of these variables.
  ir::Stmt prepare();
  ir::Stmt emit();
  /// What stands behind the loops for coordinates that they have skipped.
  ir::Stmt make_up_for_skipped();
  /// Instead, where a result arranges siblings before anything can hang from them: coordinates first, then the bodies.
  ir::Stmt emit_arranged(const ArrangedFirst& level);

 private:
  ir::Stmt emit_collected(const ArrangedFirst& level);
  /// What is known of each operand at one coordinate: its node, and the condition that it is present.
  struct Present {
    std::map<int, level::Node> nodes;
    std::map<int, ir::Expr> conditions;
  };
  using Points = std::vector<const lattice::Point*>;

  Lowerer::Running running() const { return {lattice_.var, lattice_.tag, loop_.shared}; }
  lattice::Mask steppers() const;
  bool has_one_loop() const;
  const level::Format& format(int k) const;
  const level::Instance& instance(int k) const;
  void add_cursor(int k);
  level::Bounds dimension() const;
  /// All coordinates that the loop may have to visit: of the dimension, those in the pieces around.
  level::Bounds universe() const;
  /// Only what is in the pieces around, if loops over the variable are cut: as bounds, or else as a test.
  void restrict_to_piece(int k, level::Bounds& bounds, const ir::Expr& coordinate, ir::Expr& found) const;
  /// Is the operand searched for by the run that a coordinate is in?
  bool follows_by_runs(int k) const;
  lattice::Operand above(const lattice::Operand& operand) const;
  bool follows_group(const lattice::Operand& operand) const;
  /// Where the children of the node above begin and end.
  level::Bounds children(int k) const;
  /// Ends that are searched for are found once.
  ir::Stmt find_ends(Cursor& cursor) const;
  /// The end of the group of nodes that have the coordinate the cursor stands at.
  ir::Stmt find_group_end(Cursor& cursor, const ir::Expr& coordinate) const;
  /// The part of a loop over coordinates in which the variables that follow from them are within their extents.
  level::Bounds within_extents(level::Bounds bounds) const;
  ir::Expr parent(const lattice::Operand& operand) const;
  std::vector<ir::Expr> coordinates(const lattice::Operand& operand) const;

  // interval.cpp: loops that begin and end with operands that are found in all cases.
  /// Coordinates between which something is to be done: `operands` are present there, and nowhere else.  No bound: that
  /// of the dimension.
  struct Interval {
    std::optional<ir::Expr> begin, end;
    std::optional<ir::Expr> limit;  // the end, or beyond all coordinates
    lattice::Mask operands = 0;
  };
  void find_interval();
  std::optional<level::Bounds> neighbours(int k) const;
  /// Can a loop over the operand begin with the interval, and end with it?
  bool begins_inside(int k) const;
  bool ends_inside(int k) const;
  /// Where a cursor that would run from `begin` to `end` comes into the interval; where it cannot be known, `begin`.
  ir::Expr begin_inside(int k, const ir::Expr& begin, const ir::Expr& end) const;
  /// Leaves the loop at a coordinate beyond the interval.
  ir::Stmt leave_beyond(const ir::Expr& coordinate) const;

  // find.cpp: operands that follow a loop.
  Found find(int k, const ir::Expr& coordinate) const;
  Found locate(int k, const ir::Expr& coordinate) const;
  Found look_up(int k, const ir::Expr& coordinate) const;
  ir::Expr key(int k, const ir::Expr& coordinate) const;
  /// A map from coordinates to cursors, built before the loops.
  ir::Stmt build_map(int k);

  // remember.cpp: an operand whose coordinates stay the same while loops around go on.
  /// Which one of two that meet, if any.
  std::optional<int> remembered_of(lattice::Mask two) const;
  /// The loops where nothing is remembered: the operand is much shorter than the other, or is not.
  struct Unremembered {
    ir::Expr is_shorter;
    ir::Stmt where_shorter, otherwise;
  };
  /// The loop of `point`: over the other, once that is worth it, and else the usual ones.
  ir::Stmt loop_that_remembers(const lattice::Point& point, int k, int other, const Unremembered& usual);
  std::optional<ir::Stmt> loop_over_spread(int k, int other, const ir::Stmt& asking, const ir::Var& asks);
  void open_remembered(int k);
  ir::Expr is_full(int k, const ir::Expr& length) const;
  /// Of the segment that is written down: its cursors and where their coordinates have their places.
  ir::Stmt for_each_held(int k, const std::function<ir::Stmt(const ir::Var&, const ir::Expr&)>& code) const;
  ir::Stmt forget(int k) const;
  ir::Stmt hold(int k) const;
  Found recall(int k, const ir::Expr& coordinate) const;
  ir::Expr search(ir::Function function, int k, const ir::Expr& from, const ir::Expr& coordinate) const;
  /// Moves a cursor that runs backwards to the coordinate, or before it, by a search.
  ir::Stmt search_backwards(int k, const ir::Expr& coordinate) const;
  /// Is the operand so much longer than those that lead that it is searched?
  ir::Stmt compare_with_leaders(int k);
  /// Looks for all followers among `operands`.
  void find_followers(lattice::Mask operands, Present& present, const ir::Expr& coordinate,
                      std::vector<ir::Stmt>& code) const;

  /// The cases of the points in `below`, most operands first, as a chain of else-ifs; `then` comes behind a case.
  ir::Stmt cases(const Points& below, const Present& present, const ir::Expr& coordinate, bool last_is_certain,
                 const std::map<const lattice::Point*, std::vector<ir::Stmt>>& then = {});
  /// Is the point one of those that the numbers of the loops around tell?  True if these tell nothing, or the loop
  /// steps from one to the next.
  ir::Expr has_number(const Present& present, const ir::Expr& coordinate) const;
  /// The piece that is stepped through by positions of operand `k`.
  const Piece* stepped_by(int k) const;
  ir::Expr numbers_before(const Piece& piece) const;
  /// The loop from `begin` to `end` as one that takes only each `stride`th, beginning with the first whose number, that
  /// of `begin` being `number`, is right.
  ir::Stmt in_steps(const Piece& piece, const ir::Var& var, const ir::Expr& begin, const ir::Expr& end,
                    const ir::Expr& number, const ir::Stmt& body) const;
  Points points_within(lattice::Mask operands) const;
  ir::Stmt over_universe();
  /// Cursors that run beside a loop over coordinates from here on.
  ir::Stmt catch_up_with(const ir::Expr& coordinate) const;
  /// One operand to step through: one loop.
  ir::Stmt single_loop();
  /// The same where its coordinates come in runs: a loop over these and one inside.
  ir::Stmt loop_over_runs(int driver);
  /// The loop of one point among several: runs while all operands of it that step have coordinates left.
  ir::Stmt merge_loop(const lattice::Point& point);
  /// A point that is an intersection: of `members`, whoever is behind catches up with the largest coordinate, galloping
  /// or one by one.
  ir::Stmt catch_up_loop(const lattice::Point& point, lattice::Mask members, const ir::Expr& gallops);
  /// One that gallops where lengths are unequal: in one loop, or repeated in those that are best for either operand
  /// being the longer one and for equals.
  ir::Stmt intersection_by_length(const lattice::Point& point);
  ir::Stmt loop_that_gallops_in_others(const lattice::Point& point, int driver);

  // pair_loops.cpp: operands that meet, without looking at each coordinate.
  /// Are they only compared, and is there one thing to do where they meet?
  bool meets_in_order(const lattice::Point& point) const;
  bool meet_in_pairs(const lattice::Point& point) const;
  /// Of two operands, two entries of each at a time.
  ir::Stmt loop_over_pairs(const lattice::Point& point, bool meet_seldom);
  /// Of two or more, if nothing needs to be asked.
  std::optional<ir::Stmt> loop_without_branches(const lattice::Point& point);
  /// What is done where all operands are at the coordinate.
  ir::Stmt inside_of_all(const lattice::Point& point, Present& present, const ir::Var& coordinate);
  /// What is done where operands meet, as something that is done in any case.
  ir::Stmt unguessed(const ir::Stmt& stmt) const;

  Lowerer& lowerer_;
  const plan::Loop& loop_;
  const lattice::Lattice& lattice_;  // the loop's
  const Scope& scope_;
  lattice::Strategy strategy_;
  std::map<int, Cursor> cursors_;         // of all used operands that are not located
  std::map<int, Lowerer::HashMap> maps_;  // of those that are hashed
  std::optional<Lowerer::Remembered> remembered_;
  Interval interval_;
  lattice::Mask settled_ = 0;       // operands that are present wherever loops come
  std::map<int, ir::Var> far_;      // of those that are searched if they are long: is it?
  std::optional<ir::Var> visited_;  // how many coordinates were visited, if those that were not count
  bool is_loop_ = true;             // false where one node needs no loop
  bool steps_ = false;              // the loop visits only points with the numbers that the loops around say
  bool intersects_;                 // is there one point at or below that of the loop being emitted?
};

}  // namespace filigree::lowering
