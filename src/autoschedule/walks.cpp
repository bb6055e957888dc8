#include "autoschedule/walks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>

#include <fmt/format.h>

#include "level/level_format.h"

namespace filigree::autoschedule {
namespace {

constexpr int fewest_walks = 128;
/// Of the components that agree with one result in its head, so many are looked at.
constexpr std::int64_t most_alike = 4'000;
/// Fewer walks than this that come beyond the first atom tell nothing.
constexpr int fewest_begun = 32;

constexpr std::int64_t unbound = -1;
constexpr size_t most_names = 256;  // of variables

}  // namespace

/// The walks of one query.
class Walks::Walker {
 public:
  Walker(const Query& query, std::vector<const Operand*> operands, const Effort& effort)
      : query_(query), operands_(std::move(operands)), effort_(effort) {
    find_order();
    for (std::uint8_t var = 0; var < most_variables; var++) is_head_[var] = query.head >> var & 1;
  }

  std::optional<double> operator()() {
    if (!can_begin()) return std::nullopt;
    double sum = 0, squares = 0, lost = 0;
    int walks = 0, begun = 0;
    for (; walks < effort_.most_walks && looks_ < effort_.most_looks; walks++) {
      bound_.fill(unbound);
      size_t reached = 0;
      double worth = walk(reached);
      begun += reached > 0;
      if (reached < order_.size()) {
        lost += worth;
        continue;
      }
      if (has_others_) {
        double alike = count_alike();
        if (alike < 1) return std::nullopt;
        worth /= alike;
      }
      sum += worth;
      squares += worth * worth;
      if (walks + 1 >= fewest_walks && is_known(sum, squares, walks + 1)) {
        walks++;
        break;
      }
    }
    if (begun < fewest_begun || walks < fewest_walks) return std::nullopt;
    // Where nothing was found, there may be one in as many walks.
    return sum > 0 ? sum / walks : lost / walks / walks;
  }

 private:
  static bool is_full(const level::Format& format, const level::StoredLevel& stored) {
    return format.properties().full && format.locate() && stored.extent > 0;
  }

  /// Are roots that have to be listed few enough?
  bool can_begin() const {
    return std::all_of(operands_.begin(), operands_.end(), [&](const Operand* operand) {
      if (operand->levels.empty()) return true;
      const level::Format& format = *operand->tensor->format().levels()[0].format;
      return is_full(format, operand->levels[0]) || !operand->roots.empty() ||
             format.storage()->size(operand->levels[0]) <= effort_.most_looks;
    });
  }

  bool is_known(double sum, double squares, int walks) const {
    double mean = sum / walks, variance = std::max(0.0, squares / walks - mean * mean);
    return std::sqrt(variance / walks) <= effort_.well_enough * mean;
  }

  /// From one of the smallest operands on, each next one has as many of its levels told as possible.  Of the smallest,
  /// it is the one after which most are: a component of C(k,j) tells nothing of which rows of B(i,k) have its k.
  void find_order() {
    constexpr double as_small = 4;
    double smallest = std::numeric_limits<double>::infinity();
    for (const Operand* operand : operands_)
      smallest = std::min(smallest, static_cast<double>(operand->tensor->stored()));
    std::pair<double, double> least;
    for (size_t first = 0; first < query_.atoms.size(); first++) {
      double stored = static_cast<double>(operands_[first]->tensor->stored());
      if (stored > as_small * smallest) continue;
      std::vector<size_t> order = {first};
      std::pair<double, double> key(complete(order), stored);
      if (order_.empty() || key < least) order_ = order, least = key;
    }
    std::vector<bool> is_bound(most_names, false);
    for (size_t atom : order_) bind(atom, is_bound);
    for (size_t var = 0; var < most_names; var++)
      has_others_ |= is_bound[var] && !(var < most_variables && (query_.head >> var & 1));
  }

  void bind(size_t atom, std::vector<bool>& is_bound) const {
    for (int d = 0; d < query_.atoms[atom].order; d++) is_bound[query_.atoms[atom].vars[d]] = true;
  }

  /// Puts the others behind the first one; how many levels of them are not told.
  double complete(std::vector<size_t>& order) const {
    std::vector<bool> is_bound(most_names, false), taken(query_.atoms.size(), false);
    taken[order[0]] = true;
    bind(order[0], is_bound);
    double open = 0;
    while (order.size() < query_.atoms.size()) {
      std::optional<size_t> best;
      std::pair<double, double> least;
      for (size_t a = 0; a < query_.atoms.size(); a++) {
        if (taken[a]) continue;
        std::pair<double, double> key(open_levels(a, is_bound), static_cast<double>(operands_[a]->tensor->stored()));
        if (!best || key < least) best = a, least = key;
      }
      order.push_back(*best);
      taken[*best] = true;
      open += least.first;
      bind(*best, is_bound);
    }
    return open;
  }

  /// How many of its levels nothing tells; those above others that are told matter most.
  double open_levels(size_t atom, const std::vector<bool>& is_bound) const {
    double open = 0, weight = 1;
    const std::vector<Level>& levels = operands_[atom]->tensor->format().levels();
    for (size_t k = levels.size(); k-- > 0; weight *= 2)
      open += is_bound[var_of(atom, k)] ? 0 : weight;
    return open;
  }

  std::uint8_t var_of(size_t atom, size_t level) const {
    return query_.atoms[atom].vars[operands_[atom]->tensor->format().levels()[level].dimension()];
  }

  /// The children of a node that agree with what is bound.
  const std::vector<Child>& children(size_t atom, size_t level, std::int64_t parent, std::vector<Child>& room) {
    const level::StoredLevel& stored = operands_[atom]->levels[level];
    const level::Storage& storage = *operands_[atom]->tensor->format().levels()[level].format->storage();
    std::int64_t at = bound_[var_of(atom, level)];
    room.clear();
    if (at != unbound) {
      storage.for_each_child_at(stored, parent, at, [&](std::int64_t position) { room.push_back({at, position}); });
      looks_++;
      return room;
    }
    bool is_kept = level == 0;
    std::vector<Child>& kept = operands_[atom]->roots;
    if (is_kept && !kept.empty()) return kept;
    storage.for_each_child(stored, parent, [&](std::int64_t coordinate, std::int64_t position) {
      room.push_back({coordinate, position});
    });
    looks_ += static_cast<std::int64_t>(room.size());
    if (is_kept) kept = room;
    return room;
  }

  /// One child at random, and how many there were; nothing if there is none.
  std::optional<Child> one_of(size_t atom, size_t level, std::int64_t parent, double& worth) {
    const level::Format& format = *operands_[atom]->tensor->format().levels()[level].format;
    const level::StoredLevel& stored = operands_[atom]->levels[level];
    std::uint8_t var = var_of(atom, level);
    if (bound_[var] == unbound && is_full(format, stored)) {
      std::int64_t coordinate = stored.origin + random(stored.extent);
      worth *= static_cast<double>(stored.extent);
      std::optional<Child> child;
      format.storage()->for_each_child_at(stored, parent, coordinate,
                                          [&](std::int64_t position) { child = Child{coordinate, position}; });
      return child;
    }
    const std::vector<Child>& all = children(atom, level, parent, room_);
    if (all.empty()) return std::nullopt;
    worth *= static_cast<double>(all.size());
    return all[static_cast<size_t>(random(static_cast<std::int64_t>(all.size())))];
  }

  std::int64_t random(std::int64_t count) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(count));
  }

  /// What the result is worth; `reached`: how many atoms agree.
  double walk(size_t& reached) {
    double worth = 1;
    for (size_t atom : order_) {
      std::int64_t position = 0;
      for (size_t k = 0; k < operands_[atom]->levels.size(); k++) {
        std::optional<Child> child = one_of(atom, k, position, worth);
        if (!child) return worth;
        bound_[var_of(atom, k)] = child->coordinate;
        position = child->position;
      }
      reached++;
    }
    return worth;
  }

  /// How many results have the head of the one that is bound; less than one if there are too many.
  double count_alike() {
    for (size_t var = 0; var < most_names; var++) {
      if (!is_head_[var]) bound_[var] = unbound;
    }
    alike_ = 0;
    left_ = most_alike;
    for_each_alike(0, 0, 0);
    return left_ > 0 ? alike_ : 0;
  }

  void for_each_alike(size_t n, size_t level, std::int64_t position) {
    if (n == order_.size()) {
      alike_++;
      return;
    }
    size_t atom = order_[n];
    if (level == operands_[atom]->levels.size()) return for_each_alike(n + 1, 0, 0);
    std::uint8_t var = var_of(atom, level);
    bool is_open = bound_[var] == unbound;
    std::vector<Child> room;
    std::vector<Child> all = children(atom, level, position, room);
    left_ -= static_cast<std::int64_t>(all.size());
    for (const Child& child : all) {
      if (left_ <= 0) return;
      bound_[var] = child.coordinate;
      for_each_alike(n, level + 1, child.position);
      if (is_open) bound_[var] = unbound;
    }
  }

  const Query& query_;
  std::vector<const Operand*> operands_;  // by atom
  const Effort& effort_;
  std::vector<size_t> order_;  // of atoms
  bool has_others_ = false;               // are there variables that are not in the head?
  std::array<bool, most_names> is_head_ = {};
  std::array<std::int64_t, most_names> bound_ = {};  // by variable
  std::vector<Child> room_;
  std::mt19937_64 random_{1};
  std::int64_t looks_ = 0, left_ = 0;
  double alike_ = 0;
};

Walks::Walks(const std::map<std::string, const AnyTensor*>& operands) {
  for (const auto& [name, tensor] : operands) {
    bool has_components = tensor->format().is_plain() && tensor->stored() > 0 &&
                          tensor->format().symmetry() == Symmetry::None;
    if (has_components) operands_[name] = {tensor, tensor->stored_levels()};
  }
}

std::optional<double> Walks::count(const Query& query, const Universe& universe,
                                   const std::map<std::string, double>& extents,
                                   const Effort& effort) const {
  std::vector<const Operand*> operands;
  for (const Atom& atom : query.atoms) {
    auto found = operands_.find(universe.tensors[atom.tensor]);
    if (found == operands_.end()) return std::nullopt;
    operands.push_back(&found->second);
  }
  if (operands.empty()) return std::nullopt;
  double loops = 1;  // over what no operand tells
  Query told = query;
  for (std::uint8_t var = 0; var < most_variables; var++) {
    if (!(query.head >> var & 1)) continue;
    bool is_told = std::any_of(query.atoms.begin(), query.atoms.end(), [&](const Atom& atom) {
      return std::find(atom.vars.begin(), atom.vars.begin() + atom.order, var) != atom.vars.begin() + atom.order;
    });
    if (is_told) continue;
    loops *= extents.at(universe.indices[var]);
    told.head &= ~(std::uint32_t{1} << var);
  }
  std::lock_guard lock(mutex_);
  auto [known, is_new] = known_.try_emplace(fmt::format("{} {}", effort.most_walks, to_string(told, universe)));
  if (is_new) known->second = Walker(told, operands, effort)();
  return known->second ? std::optional(loops * *known->second) : std::nullopt;
}

}  // namespace filigree::autoschedule
