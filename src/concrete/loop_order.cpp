#include "concrete/loop_order.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "concrete/visits.h"

namespace filigree::concrete {
namespace {

int rank_of(const IndexVar& var, const std::vector<IndexVar>& order) {
  auto found = std::find(order.begin(), order.end(), var);
  if (found != order.end() || !var.map()) return static_cast<int>(found - order.begin());
  int last = -1;  // it is known when all that it follows from is
  for (const IndexMap::Term& term : var.map()->terms) last = std::max(last, rank_of(term.var, order));
  return last;
}

/// Pairs of neighbouring levels visited against storage order.
int inversions(const Access& access, const std::vector<IndexVar>& order) {
  std::vector<IndexVar> vars = level_vars(access);
  int count = 0;
  for (size_t l = 1; l < vars.size(); l++) count += rank_of(vars[l], order) < rank_of(vars[l - 1], order);
  return count;
}

/// Does the innermost loop go through a level that is not the last, from one block to the next?
int jumps_innermost(const Access& access, const std::vector<IndexVar>& order) {
  std::vector<IndexVar> vars = level_vars(access);
  return !order.empty() && contains(vars, order.back()) && !(vars.back() == order.back());
}

/// Which variables are linked by operands, looking only at the first `depth` loops.
class Links {
 public:
  Links(const std::vector<Access>& operands, const std::vector<IndexVar>& order, int depth)
      : parent_(order.size() + 1) {
    std::iota(parent_.begin(), parent_.end(), 0);
    for (const Access& access : operands) {
      int first = -1;
      for (const IndexVar& var : access.indices) {
        int rank = rank_of(var, order);
        if (rank < 0 || rank >= depth) continue;  // of x(3), no loop tells the index
        if (first >= 0) parent_[find(rank)] = find(first);
        first = rank;
      }
    }
  }
  bool linked(int a, int b) { return find(a) == find(b); }

 private:
  int find(int x) {
    while (parent_[x] != x) x = parent_[x];
    return x;
  }
  std::vector<int> parent_;
};

/// Loops that form a Cartesian product with a loop around them although a deeper loop links the two.
int cartesian_clashes(const std::vector<Access>& operands, const std::vector<IndexVar>& order) {
  int depth = static_cast<int>(order.size());
  Links all(operands, order, depth);
  int clashes = 0;
  for (int inner = 1; inner < depth; inner++) {
    Links so_far(operands, order, inner + 1);
    bool linked_now = false, linked_deeper = false;
    for (int outer = 0; outer < inner; outer++) {
      linked_now |= so_far.linked(outer, inner);
      linked_deeper |= all.linked(outer, inner);
    }
    clashes += linked_deeper && !linked_now;
  }
  return clashes;
}

int common_prefix(const std::vector<IndexVar>& order, size_t from, const std::vector<IndexVar>& wanted) {
  size_t n = 0;
  while (n < wanted.size() && from + n < order.size() && order[from + n] == wanted[n]) n++;
  return static_cast<int>(n);
}

/// What assembling the result costs beside in-place assembly, counted in copies of a tensor.
int workspace_copies(const Access& result, const std::vector<IndexVar>& order) {
  std::vector<IndexVar> vars = level_vars(result);
  const std::vector<Level>& levels = result.tensor.format().levels();
  size_t in_place = common_prefix(order, 0, vars);
  bool insertable = std::all_of(levels.begin() + in_place, levels.end(),
                                [](const Level& l) { return level::takes_any_order(*l.format); });
  if (insertable || levels.size() - in_place < 2) return 0;
  bool accumulates = order.size() > vars.size();
  if (in_place == 0 && !accumulates && can_take_two_passes(result.tensor.format())) return 0;
  return accumulates ? 2 : 1;
}

policy::OrderCost cost(const LoopOrderProblem& problem, const std::vector<IndexVar>& order) {
  std::set<std::pair<TensorVar, std::vector<int>>> reformats;
  int against = inversions(problem.result, order);
  for (const Access& access : problem.operands) {
    if (!follows(access, order)) reformats.insert({access.tensor, dimensions_in_order(access, order)});
    against += inversions(access, order);
  }
  for (const Access& access : problem.hints) against += inversions(access, order);
  // A dense result takes components in any order: then neighbours are visited one after the other.
  const std::vector<Level>& levels = problem.result.tensor.format().levels();
  int jumps = 0;
  if (std::all_of(levels.begin(), levels.end(), [](const Level& l) { return level::is_always_found(*l.format); })) {
    jumps = jumps_innermost(problem.result, order);
    for (const Access& access : problem.operands) jumps += jumps_innermost(access, order);
  }
  std::vector<Access> linking = problem.operands;
  linking.insert(linking.end(), problem.links.begin(), problem.links.end());
  return {cartesian_clashes(linking, order),
          static_cast<int>(reformats.size()) + workspace_copies(problem.result, order),
          common_prefix(order, problem.bound.size(), problem.shared),
          jumps,
          common_prefix(order, 0, level_vars(problem.result)),
          against};
}

bool has_reductions_last(const LoopOrderProblem& problem, const std::vector<IndexVar>& order) {
  auto is_reduced = [&](const IndexVar& var) {
    return rank_of(var, problem.result.indices) == problem.result.tensor.order();
  };
  return std::is_partitioned(order.begin() + problem.bound.size(), order.end(),
                             [&](const IndexVar& var) { return !is_reduced(var); });
}

/// For many variables: take, again and again, the first that has the fewest unplaced ones in front.  Those of an
/// operand are in front of a variable if their levels are above its level, and all of them if it has none.
std::vector<IndexVar> greedy_order(const LoopOrderProblem& problem) {
  constexpr int must = 1 << 20;  // more than operands have levels
  size_t count = problem.vars.size();
  std::map<IndexVar, size_t> number;
  for (size_t n = 0; n < count; n++) number.emplace(problem.vars[n], n);
  // All levels less those from the first of a variable on; and what each variable takes from that of the others when it
  // is placed.
  std::vector<int> in_front(count, 0);
  std::vector<std::vector<int>> taken(count, std::vector<int>(count, 0));
  for (const Access& access : problem.operands) {
    std::vector<size_t> seen;
    for (const IndexVar& var : level_vars(access)) {
      auto found = number.find(var);
      if (found == number.end()) continue;
      if (std::find(seen.begin(), seen.end(), found->second) == seen.end()) seen.push_back(found->second);
      for (size_t n : seen) {
        in_front[n]--;
        taken[found->second][n]--;
      }
    }
  }
  for (const auto& [first, second] : problem.before) {
    if (!number.count(first) || !number.count(second)) continue;
    in_front[number[second]] += must;
    taken[number[first]][number[second]] += must;
  }
  std::vector<IndexVar> order = problem.bound;
  std::vector<size_t> left(count);
  std::iota(left.begin(), left.end(), 0);
  while (!left.empty()) {
    auto best =
        std::min_element(left.begin(), left.end(), [&](size_t a, size_t b) { return in_front[a] < in_front[b]; });
    order.push_back(problem.vars[*best]);
    for (size_t n = 0; n < count; n++) in_front[n] -= taken[*best][n];
    left.erase(best);
  }
  std::vector<IndexVar> chosen(order.begin() + problem.bound.size(), order.end());
  if (problem.reduces_innermost) {
    std::stable_partition(chosen.begin(), chosen.end(), [&](const IndexVar& var) {
      return rank_of(var, problem.result.indices) < problem.result.tensor.order();
    });
  }
  return chosen;
}

int broken(const std::vector<std::pair<IndexVar, IndexVar>>& before, const std::vector<IndexVar>& order) {
  return static_cast<int>(std::count_if(before.begin(), before.end(), [&](const auto& pair) {
    return rank_of(pair.first, order) > rank_of(pair.second, order);
  }));
}

/// Are those of the wished-for variables that there are in the order of the wish?
bool keeps_to(const std::vector<IndexVar>& wish, const std::vector<IndexVar>& order) {
  int last = -1, all = static_cast<int>(order.size());
  for (const IndexVar& var : wish) {
    int rank = rank_of(var, order);
    if (rank == all) continue;
    if (rank < last) return false;
    last = rank;
  }
  return true;
}

/// An order with what decides between it and others.
struct Candidate {
  std::vector<IndexVar> order;
  int broken;
  policy::OrderCost cost;
  bool is_better_than(const std::optional<Candidate>& other, const policy::Policy& policy) const {
    return !other || broken < other->broken || (broken == other->broken && policy.is_cheaper(cost, other->cost));
  }
};

}  // namespace

bool follows(const Access& access, const std::vector<IndexVar>& order) {
  std::vector<IndexVar> vars = level_vars(access);
  const std::vector<Level>& levels = access.tensor.format().levels();
  int latest = -1;
  for (size_t l = 0; l < vars.size(); l++) {
    int rank = rank_of(vars[l], order);
    // What may be missing is looked for in the loop over its variable; by then its parent must be known.
    if (!level::is_always_found(*levels[l].format) && rank < latest) return false;
    latest = std::max(latest, rank);
  }
  return true;
}

std::vector<int> dimensions_in_order(const Access& access, const std::vector<IndexVar>& order) {
  std::vector<int> dimensions(access.indices.size());
  std::iota(dimensions.begin(), dimensions.end(), 0);
  std::stable_sort(dimensions.begin(), dimensions.end(),
                   [&](int a, int b) { return rank_of(access.indices[a], order) < rank_of(access.indices[b], order); });
  return dimensions;
}

std::vector<IndexVar> choose_order(const LoopOrderProblem& problem, const policy::Policy& policy) {
  if (problem.vars.size() > static_cast<size_t>(policy.most_ordered())) return greedy_order(problem);
  std::vector<int> permutation(problem.vars.size());
  std::iota(permutation.begin(), permutation.end(), 0);
  std::optional<Candidate> best, wished;
  do {  // in lexicographic order, so the first of equals follows the order of appearance
    std::vector<IndexVar> order = problem.bound;
    for (int v : permutation) order.push_back(problem.vars[v]);
    if (problem.reduces_innermost && !has_reductions_last(problem, order)) continue;
    Candidate candidate{order, broken(problem.before, order), cost(problem, order)};
    if (candidate.is_better_than(best, policy)) best = candidate;
    bool is_wish = !problem.wishes.empty() &&
                   std::all_of(problem.wishes.begin(), problem.wishes.end(),
                               [&](const std::vector<IndexVar>& wish) { return keeps_to(wish, order); });
    if (is_wish && candidate.is_better_than(wished, policy)) wished = candidate;
  } while (std::next_permutation(permutation.begin(), permutation.end()));
  if (wished && wished->broken <= best->broken && wished->cost.copies <= best->cost.copies) best = wished;
  return {best->order.begin() + static_cast<std::ptrdiff_t>(problem.bound.size()), best->order.end()};
}

}  // namespace filigree::concrete
