#include "lattice/strategy.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "concrete/derivations.h"
#include "lattice/requested.h"
#include "support/text.h"

namespace filigree::lattice {
namespace {

using level::Ordered;

bool has(Mask mask, size_t k) { return mask >> k & 1; }

/// Why a choice cannot be made: about which operand, and the reason.
struct Problem {
  size_t operand;
  std::string reason;
};

/// Makes the choice for one lattice.
class Chooser {
 public:
  using Requested = std::vector<std::optional<Protocol>>;  // by operand

  Chooser(const Lattice& lattice, Requested requested) : lattice_(lattice), requested_(std::move(requested)) {
    for (const Point& point : lattice.points) strategy_.used |= point.present;
    strategy_.protocols.resize(lattice.operands.size(), Protocol::Locate);
    strategy_.over_universe = lattice.has_universe();
    strategy_.by_length.resize(lattice.points.size(), false);
  }

  std::optional<Problem> run() {
    if (strategy_.used == 0) return std::nullopt;
    for_each_used([&](size_t k) { strategy_.protocols[k] = requested_[k].value_or(preferred(k)); });
    if (!strategy_.over_universe) choose_drivers();
    for (size_t k = 0; k < lattice_.operands.size(); k++) {
      if (!has(strategy_.used, k)) continue;
      if (std::optional<std::string> reason = why_not(k)) return Problem{k, *reason};
    }
    for_each_used([&](size_t k) {
      bool follows = strategy_.protocols[k] == Protocol::SeqIter && !requested_[k] && !strategy_.over_universe;
      if (follows && properties(k).ordered == Ordered::Decreasing && format(k).search())
        strategy_.by_distance |= Mask{1} << k;
    });
    return undriven_point();
  }

  const Strategy& strategy() const { return strategy_; }

  /// What is wrong with a strategy that somebody else chose.
  static std::optional<Problem> problem_of(const Lattice& lattice, const Strategy& strategy) {
    Chooser chooser(lattice, Requested(lattice.operands.size()));
    chooser.strategy_ = strategy;
    if (strategy.collected) return chooser.uncollected();
    for (size_t k = 0; k < lattice.operands.size(); k++) {
      if (!has(strategy.used, k)) continue;
      if (std::optional<std::string> why = chooser.why_not(k)) return Problem{k, *why};
      bool meets = lattice.points.size() == 1 && strategy.by_length[0] && !strategy.over_universe &&
                   std::popcount(strategy.with(Protocol::Step)) == 2 && has(strategy.with(Protocol::Step), k);
      if (has(strategy.remembered, k) && !(meets && chooser.format(k).search()))
        return Problem{k, "only one of two that meet by length is remembered"};
    }
    return chooser.undriven_point();
  }

 private:
  const level::Format& format(size_t k) const {
    const Operand& operand = lattice_.operands[k];
    return *operand.tensor.format().levels()[operand.level].format;
  }
  level::Properties properties(size_t k) const { return format(k).properties(); }
  bool is_intersection() const { return lattice_.points.size() == 1 && !strategy_.over_universe; }
  bool any_requested() const {
    return std::any_of(requested_.begin(), requested_.end(), [](const auto& r) { return r.has_value(); });
  }
  /// Can its coordinates be compared with those of others, finger by finger?
  bool merges(size_t k) const {
    return properties(k).ordered == Ordered::Increasing && is_unique(k) &&
           (format(k).position_iteration() || format(k).value_iteration());
  }

  bool is_unique(size_t k) const { return properties(k).unique || lattice_.groups(k); }

  template <class Visit>
  void for_each_used(const Visit& visit) const {
    for (size_t k = 0; k < lattice_.operands.size(); k++) {
      if (has(strategy_.used, k)) visit(k);
    }
  }

  Protocol preferred(size_t k) const {
    if (strategy_.over_universe) return finder(k);
    return is_intersection() && format(k).locate() ? Protocol::Locate : Protocol::Step;
  }

  /// How an operand is found that does not drive.
  Protocol finder(size_t k) const {
    if (format(k).locate()) return Protocol::Locate;
    if (merges(k)) return Protocol::SeqIter;
    if (properties(k).ordered == Ordered::Decreasing && properties(k).unique && format(k).position_iteration())
      return Protocol::SeqIter;
    return Protocol::Hash;
  }

  /// Coordinates are visited increasing.  So what drives increases, or the universe does the driving.
  void choose_drivers() {
    bool alone = std::popcount(strategy_.used) == 1;
    if (strategy_.all_gallop() && is_intersection()) return;
    if (strategy_.with(Protocol::Step) == 0) promote_one();
    if (alone || drives_alone()) return;
    if (!any_requested()) let_others_follow(), look_up_what_others_lead();
    if (drives_alone()) return;
    if (!any_requested()) let_single_lead();
    std::vector<size_t> out_of_order;
    for_each_used([&](size_t k) {
      if (strategy_.protocols[k] == Protocol::Step && !requested_[k] && !merges(k)) out_of_order.push_back(k);
    });
    for (size_t k : out_of_order) strategy_.protocols[k] = finder(k);
    if (!out_of_order.empty() && undriven_point() && !any_requested()) {
      strategy_.over_universe = true;
      for_each_used([&](size_t k) { strategy_.protocols[k] = finder(k); });
    }
    decide_by_length();
    follow_by_runs();
  }

  /// One operand steps and all others are looked up wherever it is: its order does not matter.
  bool drives_alone() const {
    Mask step = strategy_.with(Protocol::Step);
    bool everywhere = std::all_of(lattice_.points.begin(), lattice_.points.end(),
                                  [&](const Point& point) { return (point.present & step) == step; });
    return !strategy_.over_universe && everywhere && std::popcount(step) == 1 &&
           (step | strategy_.with(Protocol::Locate)) == strategy_.used;
  }

  /// An operand that is there at every point but out of order drives alone, if all others can be looked up.
  void let_others_follow() {
    for (size_t k = 0; k < lattice_.operands.size(); k++) {
      if (!has(strategy_.used, k) || merges(k)) continue;
      bool everywhere = std::all_of(lattice_.points.begin(), lattice_.points.end(),
                                    [&](const Point& point) { return has(point.present, k); });
      bool found = true;
      for_each_used([&](size_t other) { found = found && (other == k || format(other).locate()); });
      if (!everywhere || !found) continue;
      for_each_used([&](size_t other) { strategy_.protocols[other] = other == k ? Protocol::Step : Protocol::Locate; });
      return;
    }
  }

  /// Has the operand one coordinate each time the loop runs?
  bool is_single(size_t k) const {
    const Operand& operand = lattice_.operands[k];
    const std::vector<Level>& levels = operand.tensor.format().levels();
    bool under_one = operand.level > 0 && levels[static_cast<size_t>(operand.level) - 1].format->properties().unique;
    return under_one && properties(k).branchless && !properties(k).padded && merges(k);
  }

  /// One coordinate is searched for in the others of an intersection, instead of going through these.
  void let_single_lead() {
    if (!is_intersection()) return;
    for (size_t k = 0; k < lattice_.operands.size(); k++) {
      if (!has(strategy_.used, k) || strategy_.protocols[k] != Protocol::Step || !is_single(k)) continue;
      for_each_used([&](size_t other) {
        if (other != k && strategy_.protocols[other] == Protocol::Step && merges(other) && format(other).search() &&
            !lattice_.groups(other))
          strategy_.protocols[other] = Protocol::Gallop;
      });
      return;
    }
  }

  /// What can be looked up need not step where all points with it have another operand that does.
  void look_up_what_others_lead() {
    for_each_used([&](size_t k) {
      Mask others = strategy_.with(Protocol::Step) & ~(Mask{1} << k);
      bool led = std::all_of(lattice_.points.begin(), lattice_.points.end(),
                             [&](const Point& point) { return !has(point.present, k) || (point.present & others); });
      if (led && format(k).locate() && strategy_.protocols[k] == Protocol::Step)
        strategy_.protocols[k] = Protocol::Locate;
    });
  }

  /// Everything could be looked up: the first that nobody asked to look up is walked instead.
  void promote_one() {
    for (size_t k = 0; k < lattice_.operands.size(); k++) {
      if (!has(strategy_.used, k) || requested_[k] || !(format(k).position_iteration() || format(k).value_iteration()))
        continue;
      strategy_.protocols[k] = Protocol::Step;
      return;
    }
  }

  /// Sizes are known at run time only.
  void decide_by_length() {
    if (strategy_.over_universe || any_requested()) return;
    for (size_t p = 0; p < lattice_.points.size(); p++) {
      Mask present = lattice_.points[p].present, step = present & strategy_.with(Protocol::Step);
      bool searchable = true;
      for_each_used(
          [&](size_t k) { searchable = searchable && (!has(step, k) || (format(k).search() && !lattice_.groups(k))); });
      auto below = [&](const Point& point) { return (point.present & ~present) == 0; };
      bool intersects = std::count_if(lattice_.points.begin(), lattice_.points.end(), below) == 1;
      strategy_.by_length[p] = intersects && std::popcount(step) > 1 && searchable;
    }
  }

  /// Where coordinates come in runs, following another operand from run to run takes fewer steps than merging with it.
  void follow_by_runs() {
    if (!is_intersection() || any_requested()) return;
    for_each_used([&](size_t k) {
      bool others = std::popcount(strategy_.with(Protocol::Step)) > 1;
      if (strategy_.protocols[k] == Protocol::Step && format(k).runs() && others)
        strategy_.protocols[k] = Protocol::SeqIter;
    });
  }

  std::optional<std::string> why_not(size_t k) const {
    const level::Properties facts = properties(k);
    bool alone = std::popcount(strategy_.used) == 1;
    Protocol protocol = strategy_.protocols[k];
    if (protocol == Protocol::Locate) return format(k).locate() ? std::nullopt : reason("it has no random access");
    bool walked = format(k).position_iteration() || (protocol == Protocol::Step && format(k).value_iteration());
    if (!walked) return reason("its coordinates cannot be walked");
    if (protocol == Protocol::Step) {
      if (strategy_.over_universe)
        return reason("the loop visits every coordinate of the dimension, so nothing else drives it");
      if (alone || drives_alone()) return std::nullopt;
      if (facts.ordered != Ordered::Increasing) return reason("its coordinates do not increase");
      bool merged = std::popcount(strategy_.with(Protocol::Step)) > 1;
      return merged && !is_unique(k) ? reason("it may have a coordinate twice") : std::nullopt;
    }
    if (protocol == Protocol::SeqIter && strategy_.over_universe && lattice_.groups(k) &&
        facts.ordered == Ordered::Increasing)
      return std::nullopt;
    if (!facts.unique) return reason("it may have a coordinate twice");
    if (protocol == Protocol::Hash || protocol == Protocol::Scan) return std::nullopt;
    if (protocol == Protocol::Binary) {
      return (format(k).search() && facts.ordered != Ordered::No) || format(k).runs()
                 ? std::nullopt
                 : reason("its coordinates are not sorted in an array");
    }
    if (protocol == Protocol::Gallop && !format(k).search()) {
      if (!format(k).runs()) return reason("its coordinates are not sorted in an array");
      if (strategy_.all_gallop())
        return reason("its coordinates come in runs, which can only follow, so another operand has to step");
    }
    bool sorted = facts.ordered == Ordered::Increasing ||
                  (protocol == Protocol::SeqIter && facts.ordered == Ordered::Decreasing);
    return sorted ? std::nullopt
                  : reason(protocol == Protocol::SeqIter ? "its coordinates are not sorted"
                                                         : "its coordinates do not increase, as those of the loop do");
  }
  static std::optional<std::string> reason(std::string text) { return text; }

  /// Of a strategy that collects coordinates: what keeps it from that.
  std::optional<Problem> uncollected() const {
    if (can_be_collected(lattice_) && strategy_.with(Protocol::Locate) == strategy_.used && !strategy_.over_universe)
      return std::nullopt;
    return Problem{0, "coordinates of the operands that meet there cannot be collected"};
  }

  /// A point none of whose operands drives.
  std::optional<Problem> undriven_point() const {
    if (strategy_.over_universe || (strategy_.all_gallop() && is_intersection())) return std::nullopt;
    Mask step = strategy_.with(Protocol::Step);
    for (const Point& point : lattice_.points) {
      if (point.present & step) continue;
      for (size_t k = 0; k < lattice_.operands.size(); k++) {
        if (!has(point.present, k) || (any_requested() && !requested_[k])) continue;
        if (std::popcount(strategy_.used) == 1) return Problem{k, "no other operand can drive it"};
        bool alone = std::popcount(point.present) == 1;
        return Problem{k, alone ? "the loop has work where no other operand is present, so this one has to step"
                                : "some operand has to step, and no other does"};
      }
    }
    return std::nullopt;
  }

  const Lattice& lattice_;
  Requested requested_;
  Strategy strategy_;
};

}  // namespace

Mask Strategy::with(Protocol protocol) const {
  Mask mask = 0;
  for (size_t k = 0; k < protocols.size(); k++) {
    if (has(used, k) && protocols[k] == protocol) mask |= Mask{1} << k;
  }
  return mask;
}

bool Strategy::all_gallop() const {
  return !over_universe && std::popcount(used) > 1 && with(Protocol::Gallop) == used;
}

namespace {

/// The request about each operand, or none.
std::vector<const ProtocolRequest*> requests_by_operand(const Lattice& lattice,
                                                        const std::vector<ProtocolRequest>& requests) {
  std::vector<const ProtocolRequest*> out(lattice.operands.size(), nullptr);
  for (size_t k = 0; k < lattice.operands.size(); k++) {
    for (const ProtocolRequest& request : requests) {
      if (is_about(request, lattice.operands[k], lattice.var)) out[k] = &request;
    }
  }
  return out;
}

std::string describe(const Problem& problem, const Lattice& lattice, const Strategy& strategy) {
  std::string protocol = concrete::to_string(strategy.protocols[problem.operand]);
  return fmt::format("{} cannot be reached by '{}' in the loop over '{}': {}",
                     level_name(lattice.operands[problem.operand]), protocol, lattice.var.name(), problem.reason);
}

Chooser::Requested protocols_of(const std::vector<const ProtocolRequest*>& requests) {
  Chooser::Requested out;
  for (const ProtocolRequest* request : requests)
    out.push_back(request ? std::optional(request->protocol) : std::nullopt);
  return out;
}

}  // namespace

Strategy choose_strategy_of_part(const Lattice& lattice, const std::vector<ProtocolRequest>& requests) {
  Chooser::Requested requested = protocols_of(requests_by_operand(lattice, requests));
  while (true) {
    Chooser chooser(lattice, requested);
    std::optional<Problem> problem = chooser.run();
    if (!problem) return chooser.strategy();
    if (!requested[problem->operand]) return choose_strategy(lattice, {});  // not for a request: says why
    requested[problem->operand] = std::nullopt;
  }
}

Strategy choose_strategy(const Lattice& lattice, const std::vector<ProtocolRequest>& requests) {
  std::vector<const ProtocolRequest*> origin = requests_by_operand(lattice, requests);
  Chooser::Requested requested = protocols_of(origin);
  Chooser chooser(lattice, requested);
  std::optional<Problem> problem = chooser.run();
  if (!problem) return chooser.strategy();

  size_t k = problem->operand;
  UserError error(capitalized(describe(*problem, lattice, chooser.strategy())));
  std::vector<std::string> valid;
  for (const std::string& name : concrete::protocol_names()) {
    Chooser::Requested other = requested;
    other[k] = concrete::parse_protocol(name);
    if (!Chooser(lattice, other).run()) valid.push_back(name);
  }
  // Where there are several requests, it may take another one to change.
  std::move(error).hint(valid.empty() ? "let one of the operands that meet there step, or leave this command out"
                                      : "valid there: " + join(valid, ", "));
  throw origin[k] ? at_request(std::move(error), *origin[k]) : std::move(error);
}

namespace {

/// Are an operand's coordinates in an array, one behind the other, each a node of its own?
bool can_be_remembered(const Lattice& lattice, size_t k) {
  const Operand& operand = lattice.operands[k];
  const level::Format& format = *operand.tensor.format().levels()[static_cast<size_t>(operand.level)].format;
  return format.search() && !format.properties().padded && !lattice.groups(k);
}

}  // namespace

void remember_unchanged(const Lattice& lattice, const IndexVar& around, const std::vector<TensorVar>& operands,
                        Strategy& strategy) {
  Mask step = strategy.with(Protocol::Step);
  bool meet_by_length = lattice.points.size() == 1 && strategy.by_length[0] && std::popcount(step) == 2;
  if (!meet_by_length) return;
  Mask changing = 0, unchanged = 0;
  for (size_t k = 0; k < lattice.operands.size(); k++) {
    const Operand& operand = lattice.operands[k];
    if (!has(step, k)) continue;
    if (contains(operand.path, around)) {
      changing |= Mask{1} << k;
    } else if (can_be_remembered(lattice, k) &&
               std::find(operands.begin(), operands.end(), operand.tensor) != operands.end()) {
      unchanged |= Mask{1} << k;
    }
  }
  if (changing != 0) strategy.remembered = unchanged;
}

bool can_be_collected(const Lattice& lattice) {
  Mask used = 0, alone = 0;
  for (const Point& point : lattice.points) {
    used |= point.present;
    if (std::popcount(point.present) == 1) alone |= point.present;
  }
  if (used == 0 || used != alone || lattice.has_universe() || lattice.skipped || lattice.if_empty ||
      !lattice.tag.is_plain())
    return false;
  for (size_t k = 0; k < lattice.operands.size(); k++) {
    const Operand& operand = lattice.operands[k];
    const level::Format& format = *operand.tensor.format().levels()[static_cast<size_t>(operand.level)].format;
    bool fits = format.locate() && format.position_iteration() && format.properties().unique && !lattice.groups(k);
    if (has(used, k) && !fits) return false;
  }
  return true;
}

Strategy collect(const Lattice& lattice) {
  Strategy strategy;
  for (const Point& point : lattice.points) strategy.used |= point.present;
  strategy.protocols.resize(lattice.operands.size(), Protocol::Locate);
  strategy.by_length.resize(lattice.points.size(), false);
  strategy.collected = true;
  return strategy;
}

std::optional<std::string> find_problem(const Lattice& lattice, const Strategy& strategy) {
  std::optional<Problem> problem = Chooser::problem_of(lattice, strategy);
  if (!problem) return std::nullopt;
  return describe(*problem, lattice, strategy);
}

}  // namespace filigree::lattice
