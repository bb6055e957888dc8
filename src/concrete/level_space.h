// Accesses in the space of levels: what a format with a map looks like to loops.
//
//   B(i,j), bcsr(4,4)   ->   B(ib,jb,ii,ji)   with i = 4*ib + ii, ib = i/4, ii = i%4, and the same for j
//   B(i,j), dia         ->   B(d,i,j)         with j = d + i, d = j - i
//
// Accesses that divide an index in the same way share the variables, so that loops can run over blocks.
//
// Or loops run over the dimensions, and each goes through the levels that make up its own: tensor/compose.h.  A tensor
// is viewed in one way throughout a statement.
#pragma once

#include <map>
#include <set>
#include <tuple>

#include "concrete/concrete.h"
#include "support/fresh_names.h"

namespace filigree::concrete {

/// Can loops over an operand's dimensions, in storage order, visit it like any other: each coordinate once, increasing?
/// If not, it is walked on its own, as it is stored, or copied.
bool is_tame(const Format& format);
/// How many levels, from the outermost on, can loops walk in order?
size_t tame_levels(const Format& format);
/// Does some level hold a coordinate several times under one parent?
bool repeats_coordinates(const Format& format);
/// The same index twice in one access is a diagonal: what levels make of it would have to agree.
bool repeats_an_index(const Access& access);
/// May two stored components have the same coordinates?
bool has_duplicates(const Format& format);

class LevelSpace {
 public:
  /// Extents and derivations of new variables go into `environment`.
  LevelSpace(Environment& environment, FreshNames& names) : environment_(environment), names_(names) {}

  /// The tensor with its levels as dimensions; the tensor itself if they are.
  const TensorVar& view(const TensorVar& tensor);
  /// The same access, through the view.
  Access view(const Access& access);
  /// The same access for loops in this order, if each can run through the levels that make up its dimension: from here
  /// on that is how the tensor is viewed.  Nothing if it is viewed in another way already, or cannot be composed.
  std::optional<Access> composed(const Access& access, const std::vector<IndexVar>& order);
  bool is_composed(const TensorVar& tensor) const { return composed_.count(tensor) > 0; }
  /// The variable for a part of an index: the block it is in, or where in the block.
  IndexVar part(const IndexVar& var, const relation::Digits& digits) { return make_digits(var, digits); }
  /// The variable for the difference of two.
  IndexVar difference(const IndexVar& plus, const IndexVar& minus) { return make_difference(plus, minus); }
  /// The loops that visit an operand as it is stored.
  std::vector<IndexVar> walk(const Access& access);

 private:
  IndexVar level_var(const Access& access, int level);
  IndexVar make_digits(const IndexVar& var, const relation::Digits& digits);
  IndexVar make_difference(const IndexVar& plus, const IndexVar& minus);
  void relate(const Access& access, const std::vector<IndexVar>& levels);
  void add(Derivation derivation);

  Environment& environment_;
  FreshNames& names_;
  std::map<TensorVar, TensorVar> views_;
  std::set<TensorVar> composed_;  // those viewed by dimension
  std::map<std::tuple<IndexVar, std::int64_t, std::int64_t>, IndexVar> digits_;
  std::map<std::pair<IndexVar, IndexVar>, IndexVar> differences_;
  std::map<std::tuple<TensorVar, std::vector<IndexVar>, int>, IndexVar> counters_;
};

}  // namespace filigree::concrete
