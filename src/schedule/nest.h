// The loops of a program while a schedule changes them, and what the names in it stand for.  Internal to schedules.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "concrete/parts.h"
#include "schedule/schedule.h"

namespace filigree::schedule {

/// What a variable stands for: loops, one directly inside the other, whose points it runs through.  Where they were
/// cut, it runs through the points of one piece.
struct Space {
  std::vector<IndexVar> loops;
  std::optional<concrete::Access> positions = {};  // whose positions number the points; none: coordinates do
  bool is_both = false;                            // coordinates are positions: an operand has a place for each
};

class Nest {
 public:
  explicit Nest(const concrete::Program& program);

  concrete::Program& program() { return program_; }
  const concrete::Program& program() const { return program_; }

  /// Throws UserError if there is no such variable, or no longer.
  Space space(const Name& name, const Place& place) const;
  /// The loop over a variable that stands for one.  `instead` is what works if it stands for several.
  IndexVar one_loop(const Name& name, const Place& place, const char* instead) const;
  /// The loop over a variable.  If it stands for several, one loop over their points takes their place; where that
  /// cannot be, there is one around them from here on, with a point in each piece.
  IndexVar as_one_loop(const Name& name, const Place& place);
  /// The loop over a variable that is in coordinates and stands for one; else one loop over its points takes the place
  /// of its loops.  Nothing where that cannot be.
  std::optional<IndexVar> as_numbered_loop(const Name& name, const Place& place);
  /// Variables that run through the same points as others: they are in the same pieces, and loops in place of several
  /// have copies.  Requires: if one of these is in the map, so are those that it is in place of.
  void copy_points(const std::map<IndexVar, IndexVar>& copies);
  /// The same with pieces of this kind around them.
  IndexVar flatten(const Name& name, concrete::PieceLoop::Given given, std::int64_t amount, const Place& place);
  /// Throws UserError if the name is taken.
  IndexVar define_loop(const Name& name, const Place& place);
  void define(const Name& name, const Space& space, const Place& place);
  /// There is no such variable from here on; `became` completes a sentence: "was split into 'i0' and 'i1'".
  void retire(const Name& name, const std::string& became);

  /// The operand of this name that the loops of `space` run through, as a run of levels; its positions number their
  /// points.
  concrete::Access positions_of(const Name& tensor, const Space& space, const Place& place) const;
  /// The same space, numbered by positions of the operand of this name.
  Space in_positions(const Name& tensor, const Space& space, const Place& place) const;

  /// Pieces of pieces, together, have at most 2^40 points: their numbers stay small enough for formulas.
  void check_size(const concrete::PieceLoop& cut) const;
  /// Pieces of more than 2^40 points, and more than 2^20 pieces, are not what anybody means.  Throws UserError.
  void check_amount(concrete::PieceLoop::Given given, std::int64_t amount, const Place& place) const;
  /// How the loops over `var` run.
  concrete::LoopTag tag(const IndexVar& var) const;
  void set_tag(const IndexVar& var, const concrete::LoopTag& tag);
  /// A loop over pieces around every loop over the first variable that the cut is about.
  void insert(concrete::PieceLoop cut);
  /// Loops over parts of the same points may stand in any order (concrete/parts.h): the innermost of them becomes the
  /// one that visits the points. `refuse` is called with an outer loop and one inside of it that cannot be there, and
  /// why; it throws.
  using Refuse = std::function<void(const IndexVar& outer, const IndexVar& inner, const std::string& why)>;
  void settle_parts(const Refuse& refuse);
  /// Takes a loop over pieces away again.
  void remove(const concrete::PieceLoop& cut);
  /// What the schedule calls a loop.
  std::string name_of(const IndexVar& var) const;

  /// Throws with a note that shows the loops, those over `marked` with an arrow.
  [[noreturn]] void fail(UserError error, const Place& place, Span span,
                         const std::vector<IndexVar>& marked = {}) const;
  /// The same for a name that is not among `known`.
  [[noreturn]] void fail_unknown(const std::string& message, const Name& name, const std::vector<std::string>& known,
                                 const Place& place) const;

 private:
  concrete::Access levels_along(const Name& tensor, const Space& space, const Place& place) const;
  bool can_be_one(const Space& several, const concrete::Stmt& outermost) const;
  IndexVar number_points(const Name& name, const Space& several, const Place& place);
  void check_free(const Name& name, const Place& place) const;
  void check_repeated(const concrete::PieceLoop& cut) const;
  void imply(const concrete::PieceLoop& cut);
  void settle(const concrete::PointParts& parts, const Refuse& refuse);
  /// The loops that are cut visit this part of the points from here on.
  void turn(const concrete::PointParts& parts, size_t visiting, const Refuse& refuse);
  std::vector<std::string> variables() const;

  concrete::Program program_;
  std::map<std::string, Space> spaces_;
  std::map<std::string, std::string> retired_;
};

/// The variable of the loop directly inside the loops over `outer`, wherever these stand.
std::optional<IndexVar> loop_inside(const IndexVar& outer, const concrete::Stmt& stmt);

/// Does what is absent count, because the reduction starts from another value?  Then all points of one component have
/// to be seen in one go.
bool counts_absent_points(const concrete::Assign& assign);

/// The loops over `var` that commands mean: those that lead to the result, unless only temporaries have some.
std::vector<concrete::Stmt> loops_over(const IndexVar& var, const concrete::Stmt& stmt);

}  // namespace filigree::schedule
