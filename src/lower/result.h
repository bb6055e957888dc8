// Assembly of one result, level by level, as the loops reach it (P3 section 3.4; docs/architecture.md names the
// papers).
//
// Levels that can be inserted into have a position as soon as their coordinate is known; those that tell which
// coordinates are there are told with the value.  Levels that can only be appended to have a counter, the position of
// the node being made: the node is appended with its value, or after the loops below it have stored something, and its
// parent's edges are written when the parent's loop ends.
#pragma once

#include <optional>

#include "lower/parameters.h"
#include "lower/placement.h"
#include "lower/room.h"
#include "lower/scope.h"

namespace filigree::lowering {

/// The operand whose pattern a result has.
struct PatternSource {
  plan::PatternOf pattern;
  TensorParameter tensor;
  std::optional<ir::Var> threads;  // so many copy its index, if there are several
};

/// How a result is filled, if there is more to it than levels that are appended to or inserted into.
struct FillingDetails {
  std::optional<plan::Placed> two_passes;  // the last level is filled by counting and placing
  std::optional<IndexVar> counted_within;  // a level counts the entries within this variable
  std::optional<PatternSource> source;     // the first levels are copies
  bool in_pieces = false;                  // pieces of the loop make parts of it
  bool accumulates = false;                // values are combined with what is there
  bool cleared_in_loop = false;            // a loop clears values before it comes to them
};

class ResultAssembly : public Writer {
 public:
  /// `expected`: a first guess at how many components will be stored; memory that is not used costs nothing.
  ResultAssembly(const concrete::Access& lhs, const TensorParameter& parameter, Mode mode, const ir::Expr& expected,
                 const FillingDetails& filling);

  const TensorVar& tensor() const { return lhs_.tensor; }

  // In two passes: `count` stands for every write of the first one, between them room is made, and `finish_passes`
  // tidies up.
  bool takes_two_passes() const { return placement_ || counted_; }
  Placement* placement() { return placement_ ? &*placement_ : nullptr; }
  ir::Stmt count(const concrete::Access& lhs, const Scope& scope) const;
  ir::Stmt between_passes() const;
  ir::Stmt finish_passes() const;

  // Index first: the values below the innermost level that is appended to wait until all its nodes are there.
  void fill_after_index();
  /// Between the passes: every component holds the fill, which must be zero.
  ir::Stmt allocate_blocks() const;
  /// `visit` gets each node of that level below the parent the loops are at.
  ir::Stmt for_each_node(const Scope& scope, const std::function<ir::Stmt(const level::Node&)>& visit) const;
  /// Stores a value below the node at `position`.
  ir::Stmt write_below(const ir::Expr& position, const Scope& scope,
                       const std::function<ir::Expr(const ir::Expr& current)>& value) const;

  // With the pattern of an operand (result_shared.cpp): the first levels are copies, and positions there are the
  // operand's.
  /// Is `var` that of the last level that is a copy, and are there levels below?  Then the body of its loop has to
  /// store something.
  bool has_blocks_below(const IndexVar& var) const;
  ir::Stmt before_block() const { return ir::declare(block_stored_, ir::boolean(false)); }
  ir::Stmt after_block() const {
    return ir::if_then(ir::negate(block_stored_), ir::Return{ir::Status::PatternMismatch});
  }
  /// There is no value for the component the loops are at: then the pattern is another, if the operand has a position
  /// for it.
  ir::Stmt no_value() const {
    bool tells = order() > 0 && is_shared(order() - 1) && !notes_nodes();
    return tells ? ir::Stmt(ir::Return{ir::Status::PatternMismatch}) : ir::Stmt();
  }

  // In pieces (result_pieces.cpp): the iterations of a parallel loop over the first level make a part of the result
  // each, with their own counters and arrays that grow; these are put together when all are done.
  bool is_in_pieces() const { return pieces_.has_value(); }
  /// Where the pattern is given, its positions tell where nodes go.
  void read_given_positions();
  void cut_into(const ir::Var& pieces);
  /// Around the parallel loop: memory for what the pieces leave behind, and what becomes of that.
  ir::Stmt open_parts() const;
  ir::Stmt join_parts() const;
  /// `body`, which makes one piece, with what is needed around it.
  ir::Stmt make_part(const ir::Var& piece, const ir::Stmt& body) const;

  /// Is the first level one that is appended to?
  bool appends_first() const { return order() > 0 && is_appended(0); }
  /// The innermost level that is appended to.
  std::optional<int> last_append() const;
  /// The append level that the loop over `var` fills next, if there is one.
  std::optional<int> append_level(const IndexVar& var, const Scope& scope) const;

  // Around and inside the loop that fills append level `level`; it makes at most `iterations` nodes, for
  // which room is made once.
  ir::Stmt before_loop(int level, const Scope& scope, const ir::Expr& iterations) const;
  /// Room for so many nodes more: part of the above, and again for each of several loops over one level.
  ir::Stmt reserve(int level, const ir::Expr& iterations) const;
  /// `whole`: the body copies all components below the node.
  ir::Stmt before_body(int level, bool whole) const;
  /// `scope`: inside the loop.
  ir::Stmt after_body(int level, const Scope& scope, bool whole) const;
  ir::Stmt after_loop(int level, const Scope& scope) const;
  // A level whose siblings are arranged and have children: `collect` appends the coordinate of each, and then,
  // arranged, all are visited.
  bool is_arranged_first(int level) const { return format(level).arrange() && level < order() - 1; }
  ir::Stmt collect(int level, const ir::Expr& coordinate) const;
  ir::Stmt visit_arranged(int level, const ir::Var& coordinate, const ir::Stmt& body) const;
  /// The loop does not reach every parent of the append level below: its edges must be completed at the end.
  void misses_coordinates(const IndexVar& var);

  /// What follows may be left out at some coordinates: levels not reached yet may miss parents.
  void may_skip(const Scope& scope);

  /// Adds positions of levels whose variables are bound; returns declarations.
  ir::Stmt extend(Scope& scope) const;

  /// Stores a value at the component the loops are at.
  ir::Stmt write(const Write& component) const override;

  /// Before and after everything else.
  ir::Stmt prologue() const;
  ir::Stmt epilogue() const;
  bool allocates() const { return plan::allocates(mode_); }
  /// Of one that is cleared in a loop: gives the values below a coordinate of its first level the fill.
  ir::Stmt clear_below(const ir::Var& coordinate) const;
  const std::vector<ir::Parameter>& parameters() const { return parameters_; }
  const ir::Var& values() const { return parameter_.values; }
  bool writes_values() const { return plan::writes_values(mode_); }
  ir::Expr value_count() const { return order() == 0 ? ir::integer(1) : size(order() - 1); }

 private:
  /// Memory whose size is known from the start, which pieces share; and memory that grows, of which each has its own.
  enum class Memory { Fixed, Growing, All };
  bool writes_positions() const { return plan::writes_positions(mode_); }
  bool writes_coordinates() const { return plan::writes_coordinates(mode_); }
  /// Are there values on the way, if only to be sorted along with coordinates?
  bool keeps_values() const { return writes_values() || (placement_ && placement_->keeps_values()); }
  bool writes(const level::ArrayDescription& array) const;

  int order() const { return lhs_.tensor.order(); }
  const level::Format& format(int level) const { return *lhs_.tensor.format().levels()[level].format; }
  bool is_appended(int level) const { return !format(level).insert() && !is_placed(level) && !is_shared(level); }
  bool is_shared(int level) const { return source_ && level < source_->pattern.levels; }
  bool is_placed(int level) const { return takes_two_passes_ && level == order() - 1; }
  /// Is every node of the level appended together with its one child?
  bool follows_child(int level) const {
    return level + 1 < order() && is_appended(level + 1) && format(level + 1).properties().branchless;
  }
  std::optional<int> append_above(int level) const;
  std::optional<int> append_below(int level) const;
  /// Positions that one node of `level` gets at the last level of the run of insertable levels below it, up to `end`.
  ir::Expr block_size(int level, int end) const;
  ir::Expr parent(int level, const Scope& scope) const;
  /// Number of positions of a level, and of its parents, once everything is assembled.
  ir::Expr size(int level) const;
  ir::Expr parent_count(int level) const { return level == 0 ? ir::integer(1) : size(level - 1); }
  /// How many elements an array of the level has then.
  ir::Expr element_count(int level, const level::ArrayDescription& array) const;
  std::vector<Room::Growing> arrays(int level, level::ArrayDescription::IndexedBy indexed_by) const;
  ir::Stmt initialize_values(const ir::Expr& begin, const ir::Expr& end) const;
  /// Room for the components below the node being made, which get the fill unless all of them are about to be written.
  ir::Stmt make_block(bool whole) const;
  ir::Stmt open_block() const;
  /// The position of the parent of the last level, where all levels above it have one for every coordinate.
  ir::Expr last_parent(const concrete::Access& lhs, const Scope& scope) const;
  ir::Stmt place(const concrete::Access& lhs, const Scope& scope, const ir::Expr& value) const;

  // result_levels.cpp: levels that need more than a position.
  bool has_arrays(int level) const {
    return !is_appended(level) && !is_placed(level) && !is_shared(level) &&
           !arrays(level, level::ArrayDescription::IndexedBy::Position).empty();
  }
  ir::Stmt set_initially(int level, const ir::Expr& begin, const ir::Expr& end) const;
  ir::Stmt allocate_inserted(Memory memory) const;
  /// Room below the node of an append level that is being made, up to the next append level.
  ir::Stmt make_inserted(int level) const;
  /// The value's component is there: `store` stores it at the position of each level, if all of them have a place for
  /// it.
  ir::Stmt insert_all(const std::vector<ir::Expr>& positions, const concrete::Access& lhs, const Scope& scope,
                      const ir::Stmt& store, const ir::Expr& value) const;
  /// Memory for values, all of it if its size is known.
  ir::Stmt open_values(const ir::Expr& expected) const;
  ir::Stmt make_slots() const;
  /// The component takes the next slot.
  ir::Stmt write_counted(const concrete::Access& lhs, const Scope& scope,
                         const std::function<ir::Expr(const ir::Expr&)>& value) const;
  /// A component other than the one whose levels the loops have reached.
  ir::Stmt write_elsewhere(const concrete::Access& lhs, const Scope& scope,
                           const std::function<ir::Expr(const ir::Expr&)>& value) const;
  ir::Stmt append_node(int level, const Scope& scope) const;
  /// The siblings that were appended in a loop take the level's own order.
  ir::Stmt arrange(int level) const;
  /// Ends the function unless the given arrays have at least `count` elements.
  ir::Stmt check_limit(const std::optional<ir::Var>& limit, const ir::Expr& count) const;
  ir::Stmt check_limit_is_met(const ir::Var& limit, const ir::Expr& count) const;
  ir::Stmt open(Memory memory, const ir::Expr& expected) const;
  int parent_extra(int level) const;
  /// In pieces: the edges of this parent are there.
  ir::Stmt reach_parent(int level, const ir::Expr& parent) const;
  /// A number that has grown when something was stored at this append level or below.
  const ir::Var& made_so_far(int level) const { return goes_to_given() ? written_ : append_[level]->counter; }
  bool goes_to_given() const { return pieces_ && !allocates(); }
  /// In pieces of a given pattern: nodes of the level go where it has some below this parent; and all of these are
  /// there now.
  ir::Stmt go_to_given(int level, const ir::Expr& parent) const;
  ir::Stmt check_given(int level, const ir::Expr& parent) const;
  /// A parent that is appended may be one too many: are there this many elements for it, from its own on?
  ir::Stmt check_given_parent(int level, const ir::Expr& parent, int elements) const;
  void collect_parameters();
  ir::Stmt copy_index() const;
  bool notes_nodes() const { return source_ && source_->pattern.noted; }
  /// Where the loops are, something is stored.
  ir::Stmt note_node(const Scope& scope) const;
  /// In the end: there must be something below every node.
  ir::Stmt check_notes() const;

  concrete::Access lhs_;
  TensorParameter parameter_;
  Mode mode_;
  ir::Expr expected_;
  bool takes_two_passes_;
  bool fills_after_index_ = false;
  std::optional<Placement> placement_;  // in two passes: of the last level
  struct EntryCounts {
    int level;        // that has a slot for each entry
    IndexVar within;  // entries with the same coordinate here are counted together
    ir::Expr extent;
    ir::Var counts;
  };
  std::optional<EntryCounts> counted_;
  std::optional<PatternSource> source_;
  std::map<int, ir::Var> shared_sizes_;  // of levels that are copies, unless their size follows from the level above
  ir::Var block_stored_ = ir::bool_var("stored");  // has anything been stored below the node of the last of these?
  ir::Var noted_;                                  // by node of the last of these, if that is noted: the same
  std::vector<std::pair<ir::Var, ir::Var>> copy_limits_;  // of given arrays: how many elements they have
  bool accumulates_;
  bool cleared_in_loop_;
  std::vector<IndexVar> vars_;
  std::vector<ir::Parameter> parameters_;
  struct AppendState {
    ir::Var counter;                    // position of the node being made
    ir::Var begin;                      // counter when the loop began
    ir::Var before;                     // counter of this level when the body of the append level above began
    ir::Var stored;                     // has the body stored anything yet? (above levels of fixed size only)
    Room nodes;                         // arrays with one element a node
    Room parents;                       // arrays with one element a parent, when parents are appended too
    bool complete = true;               // every parent gets edges
    std::optional<ir::Var> limit = {};  // how many elements there are for nodes, when arrays are given
    int per = 1;                        // of those, how many a node takes
  };
  std::vector<std::optional<AppendState>> append_;
  /// An array of which every piece makes a part.
  struct Part {
    ir::Var whole, own, parts;
    int level;                        // it grows with the nodes of this level,
    ir::Expr each;                    // by so many elements a node,
    int extra = 0;                    // after so many that are there from the start
    std::optional<int> numbers = {};  // it holds positions of this level
  };
  /// An array that pieces share, each with the elements of its own parents: it holds positions of a level.
  struct Shared {
    ir::Var array;
    int level;
    int extra;
  };
  struct Pieces {
    ir::Var number;
    std::map<int, ir::Var> ends;  // of the nodes of each piece, by append level
    std::map<int, ir::Var>
        parents;  // up to where a piece has reached the parents of the level, if they are not appended
    std::map<int, ir::Var> parent_ends;  // and every piece
    std::vector<Part> parts;
    std::vector<Shared> shared;
  };
  std::optional<Pieces> pieces_;
  std::map<int, ir::Var> parent_limits_;        // of a given pattern: how many elements the positions of a level have
  ir::Var written_ = ir::int64_var("written");  // nodes of the innermost append level, by one piece of a given pattern
  std::optional<ir::Var> values_limit_;         // how many values there is room for, when the array is given
  std::optional<Room> values_room_;             // values, when they grow in blocks of their own
  std::map<int, Room>
      inserted_room_;  // arrays of levels that are inserted into, when they grow with an append level above
};

}  // namespace filigree::lowering
