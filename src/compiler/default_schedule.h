// A schedule for statements that come without one.  It is made of the commands that a person would write, and prints as
// such.
#pragma once

#include <functional>
#include <map>
#include <set>

#include "concrete/concrete.h"
#include "schedule/schedule.h"

namespace filigree::compiler {

/// What a default depends on beside the statement.  Operands decide it, and kernels are kept by it.
struct Circumstances {
  enum class Sharing {
    None,     // one thread
    Rows,     // threads take whole rows, as many as make equal numbers of entries
    Entries,  // some row is too long for one thread
  };
  Sharing sharing = Sharing::None;
  std::map<std::string, std::int64_t> constants = {};  // sizes of variables that are worth code of their own
  std::set<std::string> in_lanes = {};                 // variables over which sums are long enough for vectors
  std::set<std::string> one_by_one = {};  // variables in whose loops short fibres meet
  std::set<std::string> hashed = {};      // variables in whose loops a long list is searched again and again
  auto operator<=>(const Circumstances&) const = default;
};

/// Does a schedule pass all checks?
using Accepts = std::function<bool(const schedule::Schedule&)>;

/// Commands for a program as concretize makes it: the outermost loop on threads, dense inner loops as vectors and of
/// known size, sums over dense dimensions and long fibres in the lanes of vectors.  Only such that give the same bits
/// whatever the number of threads, unless a row is too long for one.
schedule::Schedule default_schedule(const concrete::Program& program, const Circumstances& circumstances,
                                    const Accepts& accepts);

/// The operand that the outermost loop of a program goes through, if it has rows: a level below that of the loop.
std::optional<TensorVar> operand_with_rows(const concrete::Program& program);

/// Variables of innermost loops over dense dimensions, whose sizes may be constants.
std::vector<IndexVar> dense_inner_loops(const concrete::Stmt& stmt);
/// The loop right around such a one, if each of its iterations adds to the same components: those stay in registers
/// where their number is known.
std::optional<IndexVar> reduction_around(const concrete::Stmt& stmt, const IndexVar& dense);
/// How many components of so many are added up at once; none if that is more than registers hold, and no part of them
/// is just as many.
std::optional<std::int64_t> tile_of(std::int64_t extent);
/// Variables of innermost loops that reduce floating-point numbers which stand side by side.  Vectors do that in
/// another order.
std::vector<IndexVar> dense_reductions(const concrete::Stmt& stmt);

/// A loop that reduces each fibre of an operand's last level, and looks up whatever else it reads.
struct ReducedFibres {
  IndexVar var;
  TensorVar operand;
};
/// Innermost loops of this kind that reduce floating-point numbers.  Several sums at once are worth it where fibres are
/// long: a single one waits for each addition.
std::vector<ReducedFibres> sparse_reductions(const concrete::Stmt& stmt);

/// An innermost loop in which the fibres of two operands meet, and only what both have counts.
struct MetFibres {
  IndexVar var;
  TensorVar one, other;
};
/// Loops of this kind.
std::vector<MetFibres> met_fibres(const concrete::Stmt& stmt);

/// A loop in which the list of all coordinates of an operand's first level meets one fibre of another after the other.
struct RepeatedSearch {
  IndexVar var;
  TensorVar searched, leading;
  int level;  // of `leading`
};
/// Loops of this kind.  If fibres are short, a table of the list, made once, finds them sooner than a search.
std::vector<RepeatedSearch> repeated_searches(const concrete::Stmt& stmt);

}  // namespace filigree::compiler
