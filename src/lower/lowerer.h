// The state of one lowering and its recursive steps; each step has a file of its own.
#pragma once

#include <functional>
#include <map>
#include <memory>

#include "concrete/parts.h"
#include "plan/division.h"
#include "plan/fillings.h"
#include "plan/tiles.h"
#include "lower/formula.h"
#include "lower/parameters.h"
#include "lower/result.h"
#include "lower/room.h"
#include "lower/scope.h"
#include "lower/two_passes.h"
#include "lower/workspace.h"

namespace filigree::lowering {

/// A scalar temporary that an idempotent reduction combines with a structural value, because a point is
/// absent: that counts for the value but makes nothing present.
const ScalarTemporary* absorbs_fill(const concrete::Assign& assign, const Scope& scope);

class Lowerer {
 public:
  Lowerer(const plan::Plan& plan, const Options& options);
  ir::FunctionDef run();

  // What results and workspaces are made with.
  /// Over pieces of other loops, or over coordinates.
  ir::Stmt lower_loop(const plan::Stmt& stmt, const Scope& scope);
  Lowered lower_side(const plan::Body& side, const Scope& scope);
  Lowered lower_side(const plan::Body& side, Scope scope, const std::function<Lowered(const Scope&)>& lower_inside);
  /// Loops around all that is written of a result, or the producer of a temporary, in two passes (lower_passes.cpp).
  ir::Stmt lower_two_passes(const TensorVar& tensor, TwoPasses& filled, const plan::Stmt& loops, const Scope& scope);
  ir::Stmt lower_two_passes(const TensorVar& tensor, TwoPasses& filled, const plan::Body& producer,
                            const Scope& scope);
  /// The temporary that the assignment writes.
  Workspace& workspace(const concrete::Assign& assign, const Scope& scope);

 private:
  // One per kind of statement.
  Lowered lower(const plan::Stmt& stmt, const Scope& scope);
  Lowered lower_forall(const plan::Stmt& stmt, const Scope& scope);
  static const plan::Division* division_of(const plan::Stmt& stmt);
  /// One iteration after the other, or as units of a GPU run them.
  ir::Stmt lower_undivided(const plan::Stmt& stmt, const Scope& scope);
  /// What results need where the loop over `var` comes to a coordinate.
  ir::Stmt at_coordinate(const IndexVar& var, const Scope& scope, const ir::Var& coordinate);
  /// A loop over `var` from one number to another, or what somebody makes of it.
  ir::Stmt run_loop(const ir::For& loop, const IndexVar& var, const Scope& scope) const;
  ir::Stmt lower_loops(const concrete::Forall& forall, const plan::Loop& loop, const Scope& scope);
  ir::Stmt lower_lattice(const concrete::Forall& forall, const plan::Loop& loop, const Scope& scope);
  // lower_passes.cpp
  /// Loops that run twice, and what is around them.
  struct Passes {
    const TensorVar& tensor;
    TwoPasses& filled;
    const Writer& counting;  // of the first pass
    const plan::Division* division;
    std::optional<IndexVar> loop;  // the outermost one
    std::function<ir::Stmt(const Scope&)> loops;
  };
  /// Code for a part of a loop's range.
  using LoopPart = std::function<ir::Stmt(const ir::Expr& from, const ir::Expr& to)>;
  ir::Stmt lower_passes(const Passes& passes, const Scope& scope);
  ir::Stmt lower_in_pieces(const Passes& passes, const Scope& scope);
  ir::Stmt lower_in_order(const Passes& passes, const Scope& scope);
  ir::Stmt pass(const Passes& passes, Scope scope,
                const std::function<ir::Stmt(const ir::For&, const LoopPart&)>& run,
                const std::optional<lattice::Operand>& through = {});
  ir::Stmt counting_pass(const Passes& passes, Scope scope,
                         const std::function<ir::Stmt(const ir::For&, const LoopPart&)>& run);
  /// The array that tells where the nodes of a level begin and end.
  std::optional<ir::Var> segments_of(const std::optional<lattice::Operand>& level) const;
  ir::Stmt cut(const ir::For& loop, const ir::Var& cuts, const ir::Var& pieces,
               const std::optional<ir::Var>& work) const;
  // parallel.cpp: iterations at the same time.
  ir::Stmt lower_parallel(const plan::Stmt& stmt, const plan::Division& division, const Scope& scope);
  /// A loop whose range is cut, and what is made inside of it.
  struct InPieces {
    const concrete::Forall& forall;
    const plan::Division& division;
    ir::Var pieces, piece;                    // how many there are, and the number of one
    std::vector<ValueParts> values;           // of which each piece has its own
    std::vector<const MadeInParts*> results;  // that are made in parts
    size_t workspaces, maps;                  // so many were there before
  };
  ir::Stmt run_in_pieces(const ir::For& range, const InPieces& parts);
  Surrounding take_memory_since(size_t workspaces, size_t maps);

  /// What a loop is over, and how it runs.
  struct Running {
    const IndexVar& var;
    const concrete::LoopTag& tag;
    const std::vector<plan::SharedResult>& shared;
  };
  /// The loop, unrolled, as vectors or for a unit of a GPU if that is asked for.  `is_within_piece`: it visits only
  /// what is in the pieces around, each point once; others may come by what they have no use for.
  ir::For tagged(const Running& how, const Scope& scope, ir::For loop, bool is_within_piece = false);

  // units.cpp: loops for the units of a GPU, which passes/offload.h makes launches of.
  ir::For of_unit(const Running& how, const Scope& scope, ir::For loop, bool is_within_piece);
  ir::Units units_of(const Running& how, const Scope& scope, bool is_within_piece) const;
  /// Are components of the tensor updated at once, in a nest of loops for units?
  static bool updates_at_once(const plan::Stmt& units, const TensorVar& tensor);
  ir::Stmt lower_units(const plan::Stmt& stmt, const Scope& scope);

  // lower_pieces.cpp, pieces.cpp: loops over pieces of other loops.
  const concrete::PieceLoop* cut_by(const IndexVar& var) const;
  ir::Stmt lower_pieces_of(const concrete::Forall& forall, const plan::Pieces& pieces, const Scope& scope);
  /// A loop over the pieces with these numbers; if those before `full` are full, they are in a loop of their own.
  struct PieceRange {
    Running how;
    level::Bounds numbers;
    bool is_all;      // no piece is left out
    bool visits_all;  // each has points of its own
    std::optional<ir::Expr> full;
  };
  using PieceCode = std::function<ir::Stmt(const ir::Var& number, bool is_full)>;
  ir::Stmt loop_over_pieces(const PieceRange& range, const Scope& scope, const PieceCode& code);
  struct PieceBounds {
    level::Bounds points;  // of all pieces
    ir::Expr size;         // of one
    ir::Var number;        // which one it is
    bool is_full;          // has it so many for certain?
  };
  ir::Stmt lower_piece(const concrete::Forall& forall, const plan::Pieces& pieces, const Scope& scope,
                       const PieceBounds& bounds);
  ir::Expr extent_of(const IndexVar& var, const Scope& scope) const;
  ir::Expr origin_of(const IndexVar& var) const;
  const Piece* own_piece(const IndexVar& var, const Scope& scope) const;
  ir::Expr first_of(const IndexVar& var, const Scope& scope) const;
  /// All points: of the piece that is visited, if they are in pieces.
  level::Bounds points_of(const concrete::Points& points, const Scope& scope) const;
  std::optional<ir::Expr> given_pieces(const concrete::PieceLoop& cut) const;
  ir::Expr piece_count(const concrete::PieceLoop& cut, const level::Bounds& points) const;
  /// What formulas about points say, where loops are as in `scope`; `all` are the points of concrete::all_points.
  FormulaCode code_for_points(const Scope& scope, const std::function<level::Bounds()>& all = {}) const;
  bool has_even_pieces(const concrete::PieceLoop& cut, const Scope& scope) const;
  level::Bounds positions_below(const concrete::Points& points, const Scope& scope, size_t loop) const;
  ir::Stmt find_positions_above(Piece& piece, const Scope& scope) const;
  // parts.cpp: loops over numbers of parts of the same points.
  ir::Stmt lower_numbers(const concrete::Forall& forall, const plan::Pieces& pieces, const Scope& scope);
  std::optional<std::int64_t> full_steps(const concrete::PointParts& parts, const Scope& scope) const;
  /// Before a loop over `var` that visits the points which the loops around have numbered: says which these are.
  ir::Stmt enter_points(const IndexVar& var, Scope& scope) const;
  ir::Expr number_extent(const concrete::PointParts& parts, size_t part, const Scope& scope) const;
  /// The one whose points the loop over `var` steps through.
  const Piece* stepped(const IndexVar& var, const Scope& scope) const;
  /// The number of the point where the last of the loops that are cut is at `coordinate`.
  ir::Expr number_at(const Piece& piece, const Scope& scope, const ir::Expr& coordinate) const;
  /// What is left of `bounds`, coordinates of a loop over `var`, in the pieces around it.
  level::Bounds window(const IndexVar& var, const Scope& scope, level::Bounds bounds) const;
  /// The positions of an operand's level that are in the pieces around.
  struct PositionWindow {
    level::Bounds positions;
    bool is_inside;  // of those below the operand's parent, whatever it is
  };
  std::vector<PositionWindow> position_windows(const lattice::Operand& operand, const Scope& scope) const;

  // flat.cpp: one loop in place of several.
  const concrete::FlatLoop* flat_loop(const IndexVar& var) const;
  /// Before a loop that visits its points one after the other from `begin` on: for every level, the node that the next
  /// point is below.
  ir::Stmt begin_tracking(const concrete::FlatLoop& flat, const Scope& scope, const ir::Expr& begin);
  /// The coordinates of the loops, and the operand's nodes, at the point that the loop is at; `found` gets a test that
  /// is needed.
  ir::Stmt recover(const concrete::FlatLoop& flat, Scope& scope, ir::Expr& found);
  ir::Stmt recover_coordinates(const concrete::FlatLoop& flat, Scope& scope);
  ir::Expr parent_of(const concrete::FlatLoop& flat, const Scope& scope, size_t loop, const ir::Expr& position) const;

  Lowered lower_where(const plan::Where& where, const Scope& scope);
  /// Does the scalar come to something else than its fill where the temporaries it is computed from were not written?
  bool absorbs_other_value(const concrete::Stmt& producer, const TensorVar& scalar, const Scope& scope) const;
  /// The coordinates that a workspace over `var` has room for: all, or those of the piece that is visited.
  Workspace::Range workspace_range(const IndexVar& var, const Scope& scope) const;
  std::optional<ir::Expr> all_points(const concrete::FlatLoop& flat) const;
  Lowered lower_assign(const concrete::Assign& assign, const Scope& scope);
  /// One after the other, into the same tensor; and each into one of its own.
  Lowered lower_all(const std::vector<plan::Stmt>& statements, const Scope& scope);
  Lowered lower_together(const std::vector<plan::Stmt>& statements, const Scope& scope);
  /// An assignment to each temporary that the `where` is there for, not to results or to temporaries from outside.
  std::vector<const concrete::Assign*> temporaries_of(const concrete::Stmt& producer, const Scope& scope);
  Lowered lower_scalars(const plan::Where& where, const std::vector<const concrete::Assign*>& temporaries,
                        const Scope& scope);

  // lower_forall.cpp, lattice_loops.cpp, find.cpp: loops of a lattice.
  friend class LatticeLoops;
  /// The body of a loop at one coordinate, for the operands of its lattice's point number `point` found by `nodes`;
  /// `in_range` need no guard.
  ir::Stmt lower_point(const plan::Loop& loop, size_t point, const Scope& scope, const ir::Expr& coordinate,
                       const std::map<int, level::Node>& nodes, const std::vector<IndexVar>& in_range);
  /// Gives values to the variables that follow from those bound in `scope`; `then` makes the code that may use them.
  ir::Stmt bind_computed(const plan::Body& body, Scope& scope, const std::vector<IndexVar>& in_range,
                         const std::function<ir::Stmt()>& then);
  /// Positions of operand levels that can be located with what is bound; returns declarations.
  ir::Stmt extend_operands(const concrete::Stmt& stmt, Scope& scope);
  /// The value of an access that may be outside of its tensor, where there is the fill.
  ir::Stmt read_padded(const concrete::Access& access, Scope& scope) const;

  // lower_uncertain.cpp
  /// An assignment of which it must be found out what scalar temporaries were written.
  Lowered lower_uncertain(const concrete::Assign& assign, const Scope& scope);
  bool needs_no_test(const concrete::Assign& assign, const std::vector<TensorVar>& uncertain, const Scope& scope);
  bool adds_zeros(const concrete::Assign& assign, const std::vector<TensorVar>& uncertain, const Scope& scope) const;
  concrete::Expr in_steps(const concrete::Expr& expr, Scope& scope, std::vector<ir::Stmt>& code);

  // lower_assign.cpp
  /// An assignment whose operands are all present, or stand for their fill.
  Lowered lower_certain(const concrete::Assign& assign, const Scope& scope);
  ir::Stmt write(const concrete::Access& lhs, std::optional<Operator> op, const ir::Expr& value, const Scope& scope,
                 bool whole = false);
  ir::Expr lower_expr(const concrete::Expr& expr, const Scope& scope);
  ir::Expr position_of(const concrete::Access& access, const Scope& scope) const;

  const level::Instance& instance(const TensorVar& tensor, int level) const;
  const ir::Var& values(const TensorVar& tensor) const;
  Result* result(const TensorVar& tensor);
  /// The results that `stmt` writes.
  std::vector<Result*> results_of(const concrete::Stmt& stmt);

  const plan::Plan& plan_;
  const concrete::Program& program_;  // the plan's
  Options options_;
  Parameters parameters_;
  std::map<TensorVar, std::unique_ptr<Result>> results_;
  std::map<TensorVar, std::unique_ptr<Workspace>> workspaces_;
  std::vector<const Workspace*> workspace_order_;  // as made, for stable output
  /// The map of an operand that is looked up by hash: slots with coordinates, and with the cursor at each.
  struct HashMap {
    ir::Var coordinates, cursors, slots;
    Room room;
  };
  /// What is kept of an operand that is remembered (remember.cpp).
  struct Remembered {
    int operand;         // of the loop: others may be looked up in maps of their own
    ir::Var places;      // by coordinate: where it is in the segment, or -1
    ir::Var slots;       // of these that are in use: none or all
    ir::Var begin, end;  // the segment that was met last
    ir::Var is_held;     // is it in `places`?
    ir::Var met;         // so many coordinates of the other were met since then
    ir::Var wait;        // before there are so many, `places` is not worth making
    ir::Var place;       // where the coordinate is that the other is at: not before 0 if it is written down
    /// In place of `places` for a segment that has many: values by coordinate, and 0 where it has none.
    struct Spread {
      ir::Var values, slots, is_held;
      ir::Var flags;  // by coordinate: is it there?  Read where it is to be noted
    };
    std::optional<Spread> spread;
  };
  /// What opens and closes the memory of a map; one that is filled once stays open in all pieces.
  struct MapMemory {
    ir::Stmt open, close;
    bool is_filled_once = false;
  };
  std::vector<MapMemory> maps_;
  std::map<TensorVar, HashMap> maps_of_parameters_;  // those filled once, by tensor
  /// The lists of indices such as i({1,4,7}).
  struct List {
    ir::Var array;
    std::vector<std::int64_t> entries;
  };
  std::vector<List> lists_;
  const ir::Var& list_of(const std::vector<std::int64_t>& entries, const std::string& name);
  ir::Var threads_ = ir::int64_var("threads");
  std::map<IndexVar, ir::Var>
      tracked_;  // of loops that flat loops are in place of: the node of the level that the point is below
};

}  // namespace filigree::lowering
