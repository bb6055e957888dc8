// Accesses with indices that follow from index variables: A(i+1,j), A(3,j), B(i,i), I(x+u), A(i(2,10,2)).
//
// Where the levels of such indices always find what they are asked for, the access is read in place: i_at = i + 1 is
// computed when i is known.  Where an index is a variable and an offset and its level is sorted, loops run through the
// window that the access shows (tensor/slice_level.h).  Otherwise the part of the tensor that the access shows is
// copied first, by a walk over what is stored, with the relation solved for the index variables: i = i_at - 1, and
// nothing to do where that is outside of i's extent.
#pragma once

#include "concrete/level_space.h"
#include "policy/policy.h"

namespace filigree::concrete {

/// Can it be read as it is, when its variables are known?
bool is_read_in_place(const Access& access);

/// The access as choosing an order of loops should see it: with index variables for what follows from them.
std::optional<Access> in_index_variables(const Access& access);

/// Can it be read through a window into what is stored?  Then each index that is not read in place is a variable and an
/// offset, and its level's coordinates can be searched.
bool has_window(const Access& access);

class Slices {
 public:
  Slices(Environment& environment, FreshNames& names, const policy::Policy& policy)
      : environment_(environment), names_(names), policy_(&policy) {}

  /// The same components, through a tensor over the index variables that is stored in the operand.  Requires:
  /// has_window(access).
  Access window(const Access& access);

  /// Adds what `access` needs to be read in place, or to be written.
  void relate(const Access& access);

  /// A component of `access` tells all its variables: runs with extents for which it does not are refused.
  void imply_variables(const Access& access);

  /// The last index of a selection follows from the others.
  void imply_selected(const Access& access);

  /// What to walk to visit the access's components: all that is stored, by the tensor's own coordinates.
  struct Walk {
    Access stored;
    std::vector<IndexVar> loops;  // beside those of the walk: variables that a stored component leaves open
  };
  Walk walk(const Access& access);

 private:
  void solve(const IndexVar& coordinate, const IndexMap& map, const IndexVar& unknown);
  void look_up(const IndexVar& coordinate, const std::vector<std::int64_t>& numbers, const IndexVar& unknown);
  IndexVar zero();
  void require(const IndexVar& coordinate, const IndexMap& map);
  void add(Derivation derivation);

  Environment& environment_;
  FreshNames& names_;
  const policy::Policy* policy_;
  std::vector<std::pair<Access, Access>> windows_;
};

}  // namespace filigree::concrete
