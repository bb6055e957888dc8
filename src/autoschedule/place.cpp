#include "autoschedule/place.h"

#include <algorithm>

namespace filigree::autoschedule {
namespace {

using Indices = std::vector<std::string>;
using WorkspaceIndices = std::map<std::string, Indices>;

bool has(const std::set<std::string>& set, const std::string& index) { return set.count(index) > 0; }

Indices both(const Indices& indices, const std::set<std::string>& set) {
  Indices out;
  std::copy_if(indices.begin(), indices.end(), std::back_inserter(out), [&](const auto& i) { return has(set, i); });
  return out;
}

class Placer {
 public:
  Placer(int most_depth, size_t most) : most_depth_(most_depth), most_(most) {}

  struct TooMany {};

  /// `around`: how many loops there are already.
  std::vector<Placement> place(const Grouping& grouping, const Indices& loops, const WorkspaceIndices& known,
                               int around) const {
    std::vector<Placement> out;
    if (grouping.assign) {
      if (around + static_cast<int>(loops.size()) > most_depth_) return out;
      out.push_back({loops, with_indices(*grouping.assign, known)});
      return out;
    }
    const Grouping &consumer = *grouping.consumer, &producer = *grouping.producer;
    std::set<std::string> by_consumer = used(consumer, known), by_producer = used(producer, known);
    by_consumer.insert(grouping.kept.begin(), grouping.kept.end());
    const Assign& filled = target(producer);
    std::set<std::string> reduced = reduced_inside(grouping, known);
    for (size_t subset = 0; subset < size_t{1} << loops.size(); subset++) {
      Indices moved, stay;
      for (size_t k = 0; k < loops.size(); k++) (subset >> k & 1 ? moved : stay).push_back(loops[k]);
      bool known_here = std::all_of(moved.begin(), moved.end(),
                                    [&](const auto& i) { return has(by_consumer, i) || has(by_producer, i); });
      bool reduced_twice = std::any_of(stay.begin(), stay.end(), [&](const auto& i) { return has(reduced, i); });
      if (!known_here || reduced_twice) continue;
      WorkspaceIndices with = known;
      Indices shared = both(moved, by_producer);
      with[filled.lhs.tensor] = filled.op ? both(shared, by_consumer) : shared;
      int inside = around + static_cast<int>(stay.size());
      if (inside > most_depth_) continue;
      std::vector<Placement> producers = place(producer, shared, with, inside);
      if (producers.empty()) continue;
      std::vector<Placement> consumers = place(consumer, filled.op ? both(moved, by_consumer) : moved, with, inside);
      for (const Placement& c : consumers) {
        for (const Placement& p : producers) {
          out.push_back(
              {stay, std::nullopt, std::make_shared<const Placement>(c), std::make_shared<const Placement>(p)});
          if (out.size() > most_) throw TooMany{};
        }
      }
    }
    return out;
  }

 private:
  static std::set<std::string> used(const Grouping& grouping, const WorkspaceIndices& known) {
    if (grouping.assign) return indices_of(Stmt(with_indices(*grouping.assign, known)));
    std::set<std::string> out = used(*grouping.consumer, known);
    out.merge(used(*grouping.producer, known));
    return out;
  }

  /// Indices that a producer in it reduces for itself: their loops are part of that producer.
  static std::set<std::string> reduced_inside(const Grouping& grouping, const WorkspaceIndices& known) {
    if (grouping.assign) return {};
    std::set<std::string> out = reduced_inside(*grouping.consumer, known);
    out.merge(reduced_inside(*grouping.producer, known));
    if (grouping.distributes || !target(*grouping.producer).op) return out;
    for (const std::string& index : used(*grouping.producer, known)) {
      if (std::find(grouping.kept.begin(), grouping.kept.end(), index) == grouping.kept.end()) out.insert(index);
    }
    return out;
  }

  static Access with_indices(const Access& access, Protocol protocol, const WorkspaceIndices& known) {
    auto found = known.find(access.tensor);
    if (found == known.end()) return access;
    Access out{access.tensor, {}};
    for (const std::string& index : found->second) out.modes.push_back({protocol, index});
    return out;
  }
  static Expr with_indices(const Expr& expr, const WorkspaceIndices& known) {
    return match(
        expr, [&](const Number&) { return expr; },
        [&](const Access& n) -> Expr { return with_indices(n, Protocol::Step, known); },
        [&](const Apply& n) -> Expr {
          Apply out{n.op, {}};
          for (const Expr& operand : n.operands) out.operands.push_back(with_indices(operand, known));
          return out;
        });
  }
  static Assign with_indices(const Assign& assign, const WorkspaceIndices& known) {
    return {with_indices(assign.lhs, Protocol::Insert, known), assign.op, with_indices(assign.rhs, known)};
  }

  int most_depth_;
  size_t most_;
};

}  // namespace

int depth(const Placement& placement) {
  int inside = placement.assign ? 0 : std::max(depth(*placement.consumer), depth(*placement.producer));
  return static_cast<int>(placement.loops.size()) + inside;
}

bool placements(const Grouping& grouping, const std::vector<std::string>& indices, int most_depth, size_t most,
                std::vector<Placement>& out) {
  try {
    std::vector<Placement> found = Placer(most_depth, most).place(grouping, indices, {}, 0);
    if (out.size() + found.size() > most) return false;
    out.insert(out.end(), found.begin(), found.end());
    return true;
  } catch (const Placer::TooMany&) {
    return false;
  }
}

double order_count(const Placement& placement) {
  double count = 1;
  for (size_t n = 2; n <= placement.loops.size(); n++) count *= static_cast<double>(n);
  if (placement.assign) return count;
  return count * order_count(*placement.consumer) * order_count(*placement.producer);
}

std::vector<Stmt> orders(const Placement& placement) {
  std::vector<Stmt> bodies;
  if (placement.assign) {
    bodies = {*placement.assign};
  } else {
    std::vector<Stmt> producers = orders(*placement.producer);
    for (const Stmt& consumer : orders(*placement.consumer)) {
      for (const Stmt& producer : producers) bodies.push_back(Where{consumer, producer});
    }
  }
  std::vector<Stmt> out;
  std::vector<size_t> permutation(placement.loops.size());
  for (size_t k = 0; k < permutation.size(); k++) permutation[k] = k;
  do {
    std::vector<std::string> loops;
    for (size_t k : permutation) loops.push_back(placement.loops[k]);
    for (const Stmt& body : bodies) out.push_back(foralls(loops, body));
  } while (std::next_permutation(permutation.begin(), permutation.end()));
  return out;
}

}  // namespace filigree::autoschedule
