#include "tensor/compose.h"

#include <algorithm>
#include <numeric>

#include "tensor/composed_level.h"

namespace filigree {
namespace {

/// Is every coordinate found, by arithmetic alone?
bool is_located(const level::Format& format) {
  return level::is_always_found(format) || (format.locate() && format.pads() && format.arrays().empty());
}

/// Levels that know more of their surroundings than their parent's position and their own coordinate.
bool needs_others(const level::Format& format) {
  return format.holds_below() > 0 || format.is_held_above() || format.stands_under_rows() || format.uses_table();
}

/// Are its coordinates in increasing order, each once?
bool is_sorted(const level::Properties& properties) {
  return properties.unique && properties.ordered == level::Ordered::Increasing;
}

/// Gives the levels of a format, from the outermost on, to the dimensions of loops, from the outermost on.
class Composer {
 public:
  explicit Composer(const Format& format) : levels_(format.levels()) {}

  /// The chain for the next loop.
  Chain next(int dimension) {
    Chain chain{known_, {}};
    chain.dimensions.push_back(dimension);
    chain.is_driven = taken_ < levels_.size() && drives(dimension);
    bool counts = chain.is_driven && levels_[taken_].coordinate.as<relation::Counter>();
    if (chain.is_driven) take(chain);
    if (counts) {  // the dimension is in what has the numbers
      take_located(chain);
      take(chain);
    }
    known_.push_back(dimension);
    take_located(chain);
    return chain;
  }

  bool has_levels_left() const { return taken_ < levels_.size(); }

 private:
  bool is_known(int dimension) const { return std::find(known_.begin(), known_.end(), dimension) != known_.end(); }

  /// Do the coordinates of a level follow from those of the loops?
  bool follows(const Level& level) const {
    std::vector<int> needed = level.coordinate.dimensions();
    return !level.coordinate.as<relation::Counter>() &&
           std::all_of(needed.begin(), needed.end(), [&](int d) { return is_known(d); });
  }

  void take(Chain& chain) { chain.levels.push_back(levels_[taken_++]); }
  void take_located(Chain& chain) {
    while (has_levels_left() && is_located(*levels_[taken_].format) && follows(levels_[taken_])) take(chain);
  }

  /// Does the dimension follow from the next level and from what is known, so that it increases with the level's
  /// coordinate?
  bool drives(int dimension) const {
    const Level& level = levels_[taken_];
    level::Properties properties = level.format->properties();
    if (level.coordinate.as<relation::Counter>()) return fills_slots(dimension);
    bool has_nodes = level.format->position_iteration() && is_sorted(properties) && !properties.branchless &&
                     !properties.padded;
    if (!has_nodes) return false;
    const relation::Digits* digits = level.coordinate.as<relation::Digits>();
    if (digits && digits->whole == dimension && digits->modulus == 0) return true;
    const relation::Difference* difference = level.coordinate.as<relation::Difference>();
    return difference && ((difference->plus == dimension && is_known(difference->minus)) ||
                          (difference->minus == dimension && is_known(difference->plus)));
  }

  /// Are the next levels slots, and, maybe after some that are located, the dimension in them?  The entries of a fibre
  /// are counted in order, so if they differ in this dimension only, its coordinates increase from slot to slot.
  bool fills_slots(int dimension) const {
    if (!is_known(levels_[taken_].coordinate.as<relation::Counter>()->within)) return false;
    size_t last = taken_ + 1;
    while (last < levels_.size() && is_located(*levels_[last].format) && follows(levels_[last])) last++;
    if (!levels_[taken_].format->counts_entries() || !levels_[taken_].format->locate() || last + 1 != levels_.size())
      return false;
    const level::Format& entries = *levels_[last].format;
    return levels_[last].coordinate.plain() == dimension && entries.position_iteration() &&
           entries.properties().branchless && is_sorted(entries.properties());
  }

  const std::vector<Level>& levels_;
  size_t taken_ = 0;
  std::vector<int> known_;
};

}  // namespace

std::optional<Format> compose(const Format& format, const std::vector<int>& dimensions) {
  bool alone = std::none_of(format.levels().begin(), format.levels().end(),
                            [](const Level& level) { return needs_others(*level.format); });
  if (format.symmetry() != Symmetry::None || !alone) return std::nullopt;
  Composer composer(format);
  std::vector<Level> levels;
  for (int dimension : dimensions) levels.push_back({dimension, composed_level(composer.next(dimension))});
  return composer.has_levels_left() ? std::nullopt : std::optional(Format(std::move(levels)));
}

std::optional<Format> decompose(const Format& composed) {
  std::vector<Level> levels;
  for (const Level& level : composed.levels()) {
    const Chain* chain = chain_of(*level.format);
    if (!chain) return std::nullopt;
    levels.insert(levels.end(), chain->levels.begin(), chain->levels.end());
  }
  return levels.empty() ? std::nullopt : std::optional(Format(std::move(levels)));
}

std::vector<std::vector<int>> composable_orders(const Format& format) {
  constexpr int most_dimensions = 5;
  std::vector<std::vector<int>> orders;
  if (format.order() > most_dimensions) return orders;
  std::vector<int> order(static_cast<size_t>(format.order()));
  std::iota(order.begin(), order.end(), 0);
  do {
    if (compose(format, order)) orders.push_back(order);
  } while (std::next_permutation(order.begin(), order.end()));
  return orders;
}

}  // namespace filigree
