#include "autoschedule/choose.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "autoschedule/realize.h"

namespace filigree::autoschedule {
namespace {

/// A component that is copied is read, counted, and put in its place.
constexpr double tasks_of_a_copy = 4;

/// By variable of a query: its extent.  A variable that is no coordinate of the task has that of a dimension it
/// indexes, which an index variable of the sunk costs tells.
class Extents {
 public:
  Extents(const Universe& universe, const InputSizes& sizes) : universe_(universe), sizes_(sizes) {}

  double of_index(int var) const { return sizes_.extents.at(universe_.indices[static_cast<size_t>(var)]); }
  double of_dimension(const Atom& atom, int d) const {
    for (const Query& sunk : universe_.sunk) {
      if (!sunk.atoms.empty() && sunk.atoms[0].tensor == atom.tensor) return of_index(sunk.atoms[0].vars[d]);
    }
    return 1;
  }
  double density(const Atom& atom) const {
    double all = 1;
    for (int d = 0; d < atom.order; d++) all *= of_dimension(atom, d);
    return all > 0 ? std::min(1.0, sizes_.stored.at(universe_.tensors[atom.tensor]) / all) : 0;
  }

 private:
  const Universe& universe_;
  const InputSizes& sizes_;
};

}  // namespace

namespace {

/// What the number of components alone does not tell: how several patterns meet, and how many rows are empty.
std::optional<double> walked(const Query& query, const Universe& universe, const InputSizes& sizes) {
  if (!sizes.walks || query.atoms.empty()) return std::nullopt;
  const Atom& first = query.atoms[0];
  auto is_head = [&](std::uint8_t var) { return var < most_variables && (query.head >> var & 1); };
  bool is_told =
      query.atoms.size() == 1 && std::all_of(first.vars.begin(), first.vars.begin() + first.order, is_head);
  return is_told ? std::nullopt : sizes.walks->count(query, universe, sizes.extents);
}

}  // namespace

double estimate(const Query& query, const Universe& universe, const InputSizes& sizes) {
  if (std::optional<double> tasks = walked(query, universe, sizes)) return *tasks;
  Extents extents(universe, sizes);
  auto is_head = [&](std::uint8_t var) { return var < most_variables && (query.head >> var & 1); };
  double tasks = 1;
  for (int var = 0; var < most_variables; var++) {
    if (query.head >> var & 1) tasks *= extents.of_index(var);
  }
  // Atoms that share variables outside of the head hang together.
  std::vector<size_t> group(query.atoms.size());
  std::iota(group.begin(), group.end(), 0);
  auto join_groups = [&](size_t a, size_t b) {
    std::replace(group.begin(), group.end(), std::max(group[a], group[b]), std::min(group[a], group[b]));
  };
  for (size_t a = 0; a < query.atoms.size(); a++) {
    for (size_t b = 0; b < a; b++) {
      for (int d = 0; d < query.atoms[a].order; d++) {
        for (int e = 0; e < query.atoms[b].order; e++) {
          std::uint8_t var = query.atoms[a].vars[d];
          if (var == query.atoms[b].vars[e] && !is_head(var)) join_groups(a, b);
        }
      }
    }
  }
  for (size_t g = 0; g < query.atoms.size(); g++) {
    double expected = 1;
    bool any = false, certain = true;
    std::vector<std::uint8_t> seen;
    for (size_t a = 0; a < query.atoms.size(); a++) {
      if (group[a] != g) continue;
      const Atom& atom = query.atoms[a];
      any = true;
      expected *= extents.density(atom);
      for (int d = 0; d < atom.order; d++) {
        std::uint8_t var = atom.vars[d];
        if (is_head(var) || std::find(seen.begin(), seen.end(), var) != seen.end()) continue;
        seen.push_back(var);
        expected *= extents.of_dimension(atom, d);
        certain = false;
      }
    }
    if (any) tasks *= certain ? expected : 1 - std::exp(-expected);
  }
  return tasks;
}

double estimate(const TaskSet& tasks, const Universe& universe, const InputSizes& sizes) {
  double sum = 0;
  for (const Query& query : tasks) sum += estimate(query, universe, sizes);
  return sum;
}

std::optional<Burden> burden(const Stmt& candidate, const Problem& problem, const InputSizes& sizes) {
  auto made = realize(candidate, problem);
  const concrete::Program* program = std::get_if<concrete::Program>(&made);
  if (!program) return std::nullopt;
  Burden out;
  concrete::for_each(program->statement, [&](const concrete::Stmt& stmt) {
    const concrete::Forall* loop = stmt.as<concrete::Forall>();
    const concrete::Assign* assign = loop ? loop->body.as<concrete::Assign>() : nullptr;
    if (!assign || !loop->as_stored) return;
    const concrete::Access* copied = assign->rhs.as<concrete::Access>();
    auto stored = copied ? sizes.stored.find(copied->tensor.name()) : sizes.stored.end();
    out.copied += stored == sizes.stored.end() ? 1 : stored->second;
  });
  std::vector<std::string> names = workspaces(candidate);
  out.temporaries = static_cast<int>(names.size());
  for_each_assign(candidate, [&](const Assign& assign, const auto&) {
    bool is_workspace = std::find(names.begin(), names.end(), assign.lhs.tensor) != names.end();
    for (const Mode& mode : assign.lhs.modes) {
      out.workspace_modes += is_workspace;
      out.inserted += mode.protocol == Protocol::Insert;
    }
  });
  return out;
}

std::optional<Choice> choose(const Frontier& frontier, const Problem& problem, const InputSizes& sizes, size_t most) {
  std::vector<double> tasks;
  for (const CostClass& one : frontier.classes) tasks.push_back(estimate(one.cost, frontier.universe, sizes));
  std::vector<size_t> order(tasks.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return tasks[a] < tasks[b]; });
  std::optional<Choice> best;
  double least = std::numeric_limits<double>::infinity();
  for (size_t number : order) {
    if (tasks[number] > least) break;
    const std::vector<Candidate>& members = frontier.classes[number].members;
    for (size_t n = 0; n < std::min(most, members.size()); n++) {
      Stmt candidate = frontier.plan(members[n], problem);
      std::optional<Burden> found = burden(candidate, problem, sizes);
      if (!found) continue;
      double all = tasks[number] + tasks_of_a_copy * found->copied;
      if (all < least || (all == least && *found < best->burden)) {
        least = all;
        best = Choice{tasks, number, candidate, *found};
      }
    }
  }
  return best;
}

}  // namespace filigree::autoschedule
