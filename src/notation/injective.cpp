#include "notation/injective.h"

#include <algorithm>
#include <set>

namespace filigree::notation {
namespace {

using Wide = __int128;

bool repeats_coordinate(const IndexMap& map) {
  std::vector<std::int64_t> list = map.list;
  std::sort(list.begin(), list.end());
  return std::adjacent_find(list.begin(), list.end()) != list.end();
}

/// The variables that the component does not tell one after the other: an index with one variable that is not known yet
/// tells it.
std::vector<IndexVar> untold(const Access& access) {
  std::set<IndexVar> known;
  for (const IndexVar& index : access.indices) {
    if (!index.map()) known.insert(index);
  }
  std::vector<IndexVar> all = free_of(access.indices), left;
  for (bool more = true; more;) {
    more = false;
    for (const IndexVar& index : access.indices) {
      std::vector<IndexVar> unknown;
      for (const IndexVar& var : free_of({index})) {
        if (!known.count(var)) unknown.push_back(var);
      }
      if (unknown.size() == 1) more |= known.insert(unknown[0]).second;
    }
  }
  std::copy_if(all.begin(), all.end(), std::back_inserter(left),
               [&](const IndexVar& var) { return !known.count(var); });
  return left;
}

std::int64_t factor_of(const IndexMap& map, const IndexVar& var) {
  for (const IndexMap::Term& term : map.terms) {
    if (term.var == var) return term.factor;
  }
  return 0;
}

Wide floor_divided(Wide a, Wide b) { return a / b - ((a % b != 0) && ((a < 0) != (b < 0))); }

/// Looks for a difference of two points, other than none, that no index shows.
///
/// Variables are taken one after the other, those with large factors first; a difference goes on only as far as the
/// variables that are left could make up for it.  So 61*j+k takes one step if k has at most 61 coordinates.
class CollisionSearch {
 public:
  CollisionSearch(const Access& access, const std::map<IndexVar, std::int64_t>& extents) : vars_(untold(access)) {
    for (const IndexVar& index : access.indices) {
      if (index.map()) rows_.push_back(index.map());
    }
    auto largest = [&](const IndexVar& var) {
      std::int64_t most = 0;
      for (const IndexMap* row : rows_) most = std::max(most, std::abs(factor_of(*row, var)));
      return most;
    };
    std::stable_sort(vars_.begin(), vars_.end(),
                     [&](const IndexVar& a, const IndexVar& b) { return largest(a) > largest(b); });
    for (const IndexVar& var : vars_) extents_.push_back(extents.at(var));
    for (const IndexVar& var : free_of(access.indices)) is_empty_ = is_empty_ || extents.at(var) <= 0;
    difference_.resize(vars_.size());
    reach_.assign(vars_.size() + 1, std::vector<Wide>(rows_.size(), 0));
    for (size_t v = vars_.size(); v-- > 0;) {
      for (size_t r = 0; r < rows_.size(); r++)
        reach_[v][r] = reach_[v + 1][r] + Wide(std::abs(factor(r, v))) * (extents_[v] - 1);
    }
  }

  std::optional<Collision> operator()() {
    if (is_empty_ || !search(0, std::vector<Wide>(rows_.size(), 0), false)) return std::nullopt;
    Collision found;
    if (steps_ > most_steps) return found;
    for (size_t v = 0; v < vars_.size(); v++) {
      std::int64_t d = difference_[v];
      if (d != 0) found.vars.push_back({vars_[v], std::max<std::int64_t>(d, 0), std::max<std::int64_t>(-d, 0)});
    }
    return found;
  }

 private:
  static constexpr std::int64_t most_steps = std::int64_t{1} << 22;

  std::int64_t factor(size_t row, size_t var) const { return factor_of(*rows_[row], vars_[var]); }

  /// Is there one for the variables from `v` on, where the others have come to `sums`?  True as well when that takes
  /// too long to say.
  bool search(size_t v, const std::vector<Wide>& sums, bool differs) {
    if (++steps_ > most_steps) return true;
    if (v == vars_.size()) return differs;
    // One of a difference and its opposite is enough.
    Wide first = differs ? 1 - extents_[v] : 0, last = extents_[v] - 1;
    for (size_t r = 0; r < rows_.size(); r++) {
      Wide f = factor(r, v), rest = reach_[v + 1][r];
      if (f == 0 && (sums[r] > rest || sums[r] < -rest)) return false;
      if (f == 0) continue;
      Wide low = -rest - sums[r], high = rest - sums[r];
      if (f < 0) std::swap(low, high);
      first = std::max(first, -floor_divided(-low, f));
      last = std::min(last, floor_divided(high, f));
    }
    for (Wide d = first; d <= last; d++) {
      std::vector<Wide> with = sums;
      for (size_t r = 0; r < rows_.size(); r++) with[r] += factor(r, v) * d;
      difference_[v] = static_cast<std::int64_t>(d);
      if (search(v + 1, with, differs || d != 0)) return true;
    }
    return false;
  }

  std::vector<IndexVar> vars_;
  std::vector<const IndexMap*> rows_;
  std::vector<std::int64_t> extents_, difference_;
  std::vector<std::vector<Wide>> reach_;  // of the variables from each on, in each index
  bool is_empty_ = false;                 // there are no points
  std::int64_t steps_ = 0;
};

}  // namespace

Injectivity injectivity(const Access& access) {
  for (const IndexVar& index : access.indices) {
    if (index.map() && repeats_coordinate(*index.map())) return Injectivity::Never;
  }
  std::vector<IndexVar> vars = untold(access);
  if (vars.empty()) return Injectivity::Always;
  std::map<IndexVar, std::int64_t> two;
  for (const IndexVar& var : free_of(access.indices)) two[var] = 2;
  return find_collision(access, two) ? Injectivity::Never : Injectivity::DependsOnExtents;
}

bool is_injective(const Access& access) { return injectivity(access) == Injectivity::Always; }

std::optional<Collision> find_collision(const Access& access, const std::map<IndexVar, std::int64_t>& extents) {
  return CollisionSearch(access, extents)();
}

}  // namespace filigree::notation
