// What is cheaper, and when: choices of all stages that change how fast results come, and never what they are.
//
// Stages count what there is to choose between, and ask.  Whoever knows more of a machine or of data, as a search does,
// gives kernels another policy (KernelOptions::policy), which answers some questions in another way.  Nothing here
// knows statements or code: questions and answers are numbers.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

namespace filigree::policy {

/// What one order of loops costs; concrete/loop_order.h says what is counted.
struct OrderCost {
  int missing_pairs;    // loops that are a Cartesian product although a deeper loop links them
  int copies;           // operands to be reformatted, and results that go through workspaces
  int shared_loops;     // with the consumer, from the outermost
  int jumps;            // accesses in which the innermost loop goes from block to block
  int levels_in_place;  // of the result, from the outermost loop
  int against_storage;  // levels that are not visited as they are stored
};

/// How many cases there may be in loops over several operands at once; beyond that, parts are computed on their own.
struct UnionLimits {
  int points = 9;          // of one loop: three operands in a union are 7, a product of two sums is 9
  int nested_points = 64;  // over all loops of a nest: each case of one holds the loops below it
  bool counts_terms =
      false;  // does a reduction meet others as the temporary it is computed into, even if what it reduces would not?
  int operands = 16;       // in one loop, even if they only intersect
  int many_operands = 12;  // where there are more than this, limits are the two below
  int points_of_many = 3, nested_points_of_many = 3;
};
/// Unions of two: fewer cases in all, since C compilers take more than twice the time for twice the cases.
constexpr UnionLimits small_unions = {.points = 3, .nested_points = 3, .counts_terms = true};

/// When code looks for coordinates instead of walking to them: it compares lengths when a loop begins.
struct Lookups {
  /// An operand more than this many times longer than another is galloped through rather than walked, unless it is
  /// longer by less than `gallop_least` anyway: measured, with bench/intersections.cpp and with matrices that have
  /// short rows.
  int gallop_ratio = 6;
  int gallop_least = 8;
  /// An operand that a cursor follows backwards is searched instead if it is this many times longer than the one that
  /// leads.
  int search_ratio = 16;
  /// Of an operand that is remembered and one that is less than so many times as long, looking up every entry of the
  /// longer one takes less than searching it for those of the shorter.
  int lookup_ratio = 32;
  /// One coordinate met is worth so many places made, which are side by side; and so many that are written down:
  /// searching for it takes more steps than that.
  int places_per_met = 128, held_per_met = 16;
  /// If an operand has one in so many coordinates or more, nobody can guess whether it has this one.
  int guessed_extent = 32;
  /// And where the other is more than so many times as long, a merge ends before a walk through the longer one does.
  int walk_ratio = 4;
  bool operator==(const Lookups&) const = default;
};

/// Memory of which nobody knows before a run how much is needed.
struct Memory {
  /// Arrays that grow begin with room for so many elements; from there on by doubling.
  int first_capacity = 256;
  /// So many components of a temporary for a piece are taken without asking how many there can be.
  int unasked_components = 4096;
  /// Pieces of a loop that counts nodes have counters of their own.  Where there are more of these for each entry that
  /// is stored, clearing them costs more than the pieces save.
  int counters_per_entry = 4;
  /// What a statement reads twice, such as a matrix and its transpose, can come twice; a result gets no more room than
  /// for so many times.
  int most_reads = 4;
  bool operator==(const Memory&) const = default;
};

/// Cases of an assignment of scalars that may not have been written.
struct Cases {
  /// Code asks which of so many were written, and has a case for each set; of an expression with more, parts are
  /// computed one after the other.
  int asked_together = 3;
  bool operator==(const Cases&) const = default;
};

/// Launches on GPUs.
struct Grids {
  /// Where the schedule leaves it open, a block has so many threads, or so many warps.
  int threads = 256, warps = 8;
  /// Components of a temporary that each thread has for itself.
  std::int64_t most_of_one_thread = 4096;
};

/// When code goes through what several loops add to in strips (passes/strips.h).
struct Strips {
  /// Elements of a strip: with what is added they fit into the first cache.
  int length = 2048;
  /// So many loops share strips: those that have nothing in one take no more than a thirtieth of an element each.
  int most_loops = 64;
  /// What is larger is not repeated.
  int most_statements = 12;
};

/// When code asks once for a whole block (passes/whole_blocks.h).
struct WholeBlocks {
  int most_places = 64;      // in one direction
  int most_statements = 24;  // what is larger is not repeated: it takes its time anyway
};

/// What passes over finished code weigh.
struct Finishing {
  Strips strips;
  WholeBlocks blocks;
  /// Entries are fetched so many ahead (passes/fetch_ahead.h): as many iterations take as long as memory does.
  int fetched_ahead = 16;
  /// Sums are so many at once (passes/several_sums.h).  Measured: two leave time to wait, eight take more registers and
  /// turns behind the loop than they save.
  int sums_at_once = 4;
};

/// When a statement runs in another way than in its own loops: in several steps, or in the loops of a candidate.
struct OtherWays {
  double least_work = 20'000;  // less than this is left alone
  double least_gain = 1.25;    // so many times less work makes another way worth it; at least 1
};

/// A temporary with a slot for every coordinate, in one run.
struct TemporaryFacts {
  double slots;
  double largest_operand;          // how many components that stores
  std::function<double()> visits;  // how many components the run comes by; it takes a while to find out
};

/// A run that could be shared among threads.
struct SharingFacts {
  int threads;
  double longest_row, all_entries;  // of the operand whose rows the outermost loop goes through
};

/// Coordinates of many fibres that are searched for in one list.
struct SearchFacts {
  std::int64_t length;           // of the list
  std::int64_t lookups, fibres;  // coordinates of all fibres together, and how many fibres there are
};

class Policy {
 public:
  virtual ~Policy() = default;

  // --- Loops (concrete/, compiler/pipeline.h) --------------------------------------------------------

  /// Are loops in the first order cheaper than in the second?  A strict weak order.
  virtual bool is_cheaper(const OrderCost& one, const OrderCost& other) const;
  /// `small`: because with the usual limits there were too many cases.
  virtual UnionLimits unions(bool small) const;
  /// So many assignments code may have before smaller unions are tried.
  virtual std::int64_t most_cases() const;
  virtual OtherWays other_ways() const;
  /// Of so many variables all orders are tried, and of more only one that follows storage: 6 have 720 orders, which
  /// take well under a millisecond.
  virtual int most_ordered() const;
  /// A list of indices is turned around, so that a coordinate is looked up in it, if that has no more places than so
  /// many for each entry; else the entries are tried.
  virtual std::int64_t places_per_listed() const;

  // --- Plans (plan/) -----------------------------------------------------------------------------------

  virtual Lookups lookups() const;
  virtual Memory memory() const;
  virtual Cases cases() const;
  virtual Grids grids() const;
  /// Loops whose full pieces are in a loop of their own repeat what is inside; so many copies at most, at least 1.
  virtual int most_copies() const;
  /// Where results are to be the same on any number of threads, loops are in so many pieces: enough for many threads,
  /// and fewer if each piece has a tensor of its own, for the memory they take.  At least 1.
  virtual std::int64_t fixed_pieces(bool with_tensors) const;

  // --- Code (passes/) ----------------------------------------------------------------------------------

  virtual Finishing finishing() const;

  // --- Runs (compiler/kernel_choice.cpp) ---------------------------------------------------------------

  /// Is the temporary kept in a table of what it has, and not in an array that each run clears?
  virtual bool keeps_in_table(const TemporaryFacts& temporary) const;
  /// Do threads share entries evenly, wherever rows end, and not whole rows?
  virtual bool shares_entries(const SharingFacts& sharing) const;
  /// Is a dimension of this size worth code of its own?
  virtual bool is_worth_constant(std::int64_t extent) const;
  /// And so, if it is cut into tiles that stay in registers, in a loop nest with so many steps?
  virtual bool is_worth_tiles(std::int64_t extent, double steps) const;
  /// Is a sum over so many neighbours worth the lanes of vectors?
  virtual bool is_worth_lanes(std::int64_t extent) const;
  /// And one over the entries of fibres that have so many on average?  Most of them can have the same length.
  virtual bool are_fibres_worth_lanes(double entries, const std::function<bool()>& are_regular) const;
  /// Is a list that is searched kept in a hash table?
  virtual bool searches_in_table(const SearchFacts& search) const;
};

/// What was measured to be best on the whole.
const Policy& usual();
std::shared_ptr<const Policy> shared_usual();

}  // namespace filigree::policy
