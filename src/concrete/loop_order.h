// The order of loops for one nest: the replaceable heart of concretization.
#pragma once

#include <vector>

#include "concrete/concrete.h"
#include "policy/policy.h"

namespace filigree::concrete {

/// One nest to be ordered.
struct LoopOrderProblem {
  std::vector<IndexVar> bound;     // loops around the nest, outermost first; fixed
  std::vector<IndexVar> vars;      // the nest's own variables, in order of appearance
  std::vector<Access> operands;    // what the innermost statement reads
  Access result;                   // what it writes
  std::vector<Access> hints;       // accesses of terms computed elsewhere that would like to share loops
  std::vector<IndexVar> shared;    // loops of the consumer, after `bound`, that are worth sharing
  bool reduces_innermost = false;  // loops over variables the result lacks must come last
  std::vector<std::pair<IndexVar, IndexVar>> before = {};  // the first of these must be around the second
  std::vector<std::vector<IndexVar>> wishes = {};          // orders that a schedule asks for
  /// What else links loops: temporaries that the innermost statement reads, and operands of the consumer without whose
  /// entries the nest is not needed.
  std::vector<Access> links = {};
};

/// An order of `vars`, with the result's variables first if `reduces_innermost`.  One that keeps to `before` if there
/// is one; then one that keeps to `wishes`, if that takes no more copies than others.  Preference, first difference
/// decides:
///  1. no loop that is a Cartesian product under another while only a deeper loop, and no other, links them (the inner
///     product of CSR and CSC), since that visits pairs that meet in nothing;
///  2. fewest copies: operands whose levels cannot be reached in this order and must be reformatted, and a
///     result of several levels that must go through a workspace, which counts twice if sums accumulate
///     in it, since it is searched once for every term and not once for every component;
///  3. most loops shared with `shared`, from the outermost;
///  4. of a dense result, fewest accesses in which the innermost loop goes from block to block and not to neighbours;
///  5. most of the result's leading levels outermost, so that they are assembled in place;
///  6. fewest levels of operands and results visited against their storage order;
///  7. order of appearance.
/// Which of these differences decides is the policy's (Policy::is_cheaper); the above is the usual one.
std::vector<IndexVar> choose_order(const LoopOrderProblem& problem, const policy::Policy& policy = policy::usual());

/// Can `access` be walked when loops run in this order?  Not if a level at which coordinates may be missing
/// comes before one of the levels above it.
bool follows(const Access& access, const std::vector<IndexVar>& order);

/// The dimensions of `access` sorted by when their variables are bound.
std::vector<int> dimensions_in_order(const Access& access, const std::vector<IndexVar>& order);

}  // namespace filigree::concrete
