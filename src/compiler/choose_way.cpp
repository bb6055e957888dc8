#include "compiler/choose_way.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "autoschedule/choose.h"
#include "autoschedule/contract.h"
#include "autoschedule/realize.h"
#include "autoschedule/weights.h"
#include "compiler/common_parts.h"
#include "compiler/stored_parts.h"
#include "compiler/tuned.h"
#include "compiler/workspace_ways.h"
#include "concrete/concretize.h"
#include "notation/assignment.h"
#include "schedule/schedule.h"

namespace filigree::compiler {
namespace {

/// Of so many splits, other orders of the temporaries' dimensions are tried.
constexpr size_t most_improved = 3;
/// Another kernel, which finds memory, wakes threads, and reads what the one before it left.
constexpr double to_begin = 10'000;
/// Of a long statement, so many parts are tried, and so many are stored together.
constexpr size_t most_parts = 8, most_stored = 3;
/// Of a part that is stored.
constexpr double most_places = 0x1p23;
/// Loops of a frontier keep temporaries in tables, and run on one thread.
constexpr double untuned = 2;
/// Larger frontiers are not looked at: they would take longer than most kernels.
constexpr size_t most_groupings = 300, most_loops = 1000, most_candidates = 1000;
/// In all, so many of its candidates are turned into loops.
constexpr size_t most_realized = 200;

/// Splits with what they come to.
class Measured {
 public:
  Measured(const autoschedule::KnownInputs& inputs, const WayOptions& options) : inputs_(inputs) {
    how_.parallel = options.parallel;
    how_.policy = options.policy;
  }

  /// Of all statements together; nothing if some of it cannot be told.
  std::optional<autoschedule::Measure> operator()(const autoschedule::Split& split) const {
    autoschedule::KnownInputs inputs = inputs_;
    inputs.stored.insert(split.stored.begin(), split.stored.end());
    autoschedule::Measure sum;
    sum.work = to_begin * static_cast<double>(split.statements.size() - 1);
    for (const notation::Statement& statement : split.statements) {
      std::optional<autoschedule::Measure> one = autoschedule::measure(plan(statement, how_), inputs);
      if (!one) return std::nullopt;
      sum.tasks += one->tasks;
      sum.work += one->work;
      if (&statement != &split.statements.back()) sum.work += memory(statement.lhs, inputs);
    }
    return sum;
  }

 private:
  /// All that its levels have room for is cleared, as far as each coordinate has a place.
  static double memory(const notation::Access& made, const autoschedule::KnownInputs& inputs) {
    double all = 1;
    for (const Level& level : made.tensor.format().levels()) {
      bool has_place = level::is_always_found(*level.format) || (level.format->locate() && !level.format->uses_table());
      auto extent = inputs.extents.find(made.indices[static_cast<size_t>(level.dimension())]);
      auto stored = inputs.stored.find(made.tensor.name());
      if (!has_place || extent == inputs.extents.end())
        return stored == inputs.stored.end() ? 1 : autoschedule::Weights::to_grow * stored->second;
      all *= static_cast<double>(extent->second);
    }
    return autoschedule::Weights::to_clear(all);
  }

  const autoschedule::KnownInputs& inputs_;
  PipelineOptions how_;
};

struct MeasuredSplit {
  autoschedule::Split split;
  autoschedule::Measure measure;
};

/// The same with each temporary in the order and format that is least work, one after the other.
MeasuredSplit improved(MeasuredSplit candidate, const Measured& measured) {
  for (size_t n = 0; n + 1 < candidate.split.statements.size(); n++) {
    for (autoschedule::Split& other : autoschedule::variants(candidate.split, n)) {
      std::optional<autoschedule::Measure> measure = measured(other);
      if (measure && measure->work < candidate.measure.work) candidate = {std::move(other), *measure};
    }
  }
  return candidate;
}

bool has_less_work(const auto& a, const auto& b) { return a.measure.work < b.measure.work; }

/// Products in several statements.
std::vector<Way> split_ways(const autoschedule::Problem& problem, const autoschedule::KnownInputs& inputs,
                            const WayOptions& options) {
  Measured measured(inputs, options);
  std::vector<MeasuredSplit> all;
  for (autoschedule::Split& split : autoschedule::splits(problem, inputs)) {
    split.statements = without_copies(std::move(split.statements));
    if (std::optional<autoschedule::Measure> measure = measured(split)) all.push_back({std::move(split), *measure});
  }
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return has_less_work(a, b); });
  std::vector<Way> out;
  for (size_t n = 0; n < all.size(); n++) {
    MeasuredSplit best = n < most_improved ? improved(std::move(all[n]), measured) : std::move(all[n]);
    out.push_back({std::move(best.split.statements), "", "", std::move(best.split.stored), best.measure});
  }
  return out;
}

autoschedule::InputSizes sizes_of(const autoschedule::Problem& problem, const autoschedule::KnownInputs& inputs) {
  autoschedule::InputSizes out{{}, inputs.stored, inputs.walks};
  for (const std::string& index : problem.indices) {
    auto extent = inputs.extents.find(problem.variables.at(problem.dimensions.at(index)));
    out.extents[index] = extent == inputs.extents.end() ? 1 : static_cast<double>(extent->second);
  }
  return out;
}

/// Nothing if the result cannot be filled so, or costs do not know the loops.
std::optional<autoschedule::Measure> measure_loops(const notation::Statement& statement, const PipelineOptions& how,
                                                   const autoschedule::KnownInputs& inputs) {
  try {
    return autoschedule::measure(plan(statement, how), inputs);
  } catch (const UserError&) {
    return std::nullopt;
  }
}

/// Loops of the frontier, if it is small: some of those that seem to take the fewest tasks.
std::vector<Way> frontier_ways(const autoschedule::Problem& problem, const autoschedule::KnownInputs& inputs,
                               const WayOptions& options) {
  std::vector<Way> out;
  autoschedule::FrontierOptions few{{}, {most_groupings, most_loops, most_loops}, false, most_candidates};
  auto found = autoschedule::find_frontier(problem, few);
  const auto* frontier = std::get_if<autoschedule::Frontier>(&found);
  if (!frontier) return out;
  autoschedule::InputSizes sizes = sizes_of(problem, inputs);
  std::vector<std::pair<double, const autoschedule::CostClass*>> classes;
  for (const autoschedule::CostClass& one : frontier->classes)
    classes.push_back({autoschedule::estimate(one.cost, frontier->universe, sizes), &one});
  std::stable_sort(classes.begin(), classes.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::set<std::string> seen;  // loops
  for (size_t n = 0; n < std::min(options.most_classes, classes.size()); n++) {
    const std::vector<autoschedule::Candidate>& members = classes[n].second->members;
    for (size_t m = 0; m < std::min(options.most_members, members.size()) && seen.size() < most_realized; m++) {
      Way way{{problem.statement}, to_string(frontier->plan(members[m], problem))};
      PipelineOptions how;
      how.policy = options.policy;
      how.make_loops = loops_of(way);
      std::optional<concrete::Program> loops = how.make_loops(problem.statement);
      bool is_new = loops && seen.insert(concrete::to_string(loops->statement)).second;
      if (!is_new) continue;  // or it cannot be realized
      std::optional<autoschedule::Measure> measure = measure_loops(problem.statement, how, inputs);
      if (!measure) continue;
      way.measure = *measure;
      way.measure.work *= untuned;
      out.push_back(std::move(way));
    }
  }
  return out;
}

/// Parts in workspaces: each of them alone, and all that help together.
std::vector<Way> workspace_ways(const notation::Statement& statement, const autoschedule::Measure& own,
                                const autoschedule::KnownInputs& inputs, const WayOptions& options) {
  std::vector<Way> out;
  auto add = [&](const std::string& schedule) -> const Way* {
    Way way{{statement}, "", schedule};
    PipelineOptions how;
    how.policy = options.policy;
    how.make_loops = loops_of(way);
    if (!how.make_loops(statement)) return nullptr;
    std::optional<autoschedule::Measure> measure = measure_loops(statement, how, inputs);
    if (!measure) return nullptr;
    way.measure = *measure;
    out.push_back(std::move(way));
    return &out.back();
  };
  std::string best;
  double least = own.work;
  std::vector<std::string> schedules = workspace_schedules(statement);
  if (schedules.size() > most_parts) schedules.resize(most_parts);
  for (const std::string& one : schedules) {
    const Way* alone = add(one);
    if (!alone || alone->measure.work >= own.work) continue;
    const Way* together = best.empty() ? alone : add(best + ", " + one);
    if (!together || together->measure.work >= least) continue;
    best = together->schedule;
    least = together->measure.work;
  }
  return out;
}

/// A part and the rest, with a place for each coordinate of the part; nothing if that is too much or cannot run.
std::optional<Way> stored_way(const std::vector<notation::Statement>& statements, const Measured& measured,
                              const autoschedule::KnownInputs& inputs) {
  autoschedule::Split split{statements, {}, 0};
  for (size_t n = 0; n + 1 < statements.size(); n++) {
    const notation::Access& made = statements[n].lhs;
    double all = 1;
    for (const IndexVar& index : made.indices) {
      auto extent = inputs.extents.find(index);
      all *= extent == inputs.extents.end() ? most_places + 1 : static_cast<double>(extent->second);
    }
    if (all > most_places) return std::nullopt;
    split.stored[made.tensor.name()] = all;
  }
  try {
    std::optional<autoschedule::Measure> measure = measured(split);
    if (measure) return Way{std::move(split.statements), "", "", std::move(split.stored), *measure};
  } catch (const UserError&) {  // the result cannot be filled so
  }
  return std::nullopt;
}

/// Parts in statements of their own: each of them alone, and beside the best one those that help.
std::vector<Way> stored_ways(const notation::Statement& statement, const autoschedule::Measure& own,
                             const autoschedule::KnownInputs& inputs, const WayOptions& options) {
  Measured measured(inputs, options);
  std::vector<Way> out;
  std::vector<notation::Statement> now = {statement};
  double least = own.work;
  for (size_t rounds = 0; rounds < most_stored; rounds++) {
    std::vector<std::vector<notation::Statement>> all = stored_parts(now);
    all.resize(std::min(all.size(), most_parts));
    std::vector<Way> found;
    for (const std::vector<notation::Statement>& statements : all) {
      if (std::optional<Way> way = stored_way(statements, measured, inputs)) found.push_back(std::move(*way));
    }
    auto best = std::min_element(found.begin(), found.end(), has_less_work<Way, Way>);
    if (best == found.end()) break;
    bool is_better = best->measure.work < least;
    if (is_better) now = best->statements, least = best->measure.work;
    if (rounds == 0) out.insert(out.end(), found.begin(), found.end());
    else if (is_better) out.push_back(*best);
    if (!is_better) break;
  }
  return out;
}

/// The loops that a schedule asks for.
std::optional<concrete::Program> scheduled_loops(const std::string& text, const notation::Statement& statement) {
  try {
    schedule::Schedule commands = schedule::with_names(schedule::parse(text), statement);
    schedule::Steered steered = schedule::steer(commands, statement);
    return concrete::concretize(steered.statement, false, steered.requests);
  } catch (const UserError&) {  // it has no such part, or the part cannot be computed on its own
    return std::nullopt;
  }
}

}  // namespace

std::string name_of(const Way& way) {
  if (way.statements.empty()) return "its own loops";
  if (!way.candidate.empty()) return "a candidate";
  if (!way.commands.empty()) return "commands";
  if (!way.schedule.empty()) return "a schedule";
  return fmt::format("{} statements", way.statements.size());
}

MakeLoops loops_of(const Way& way) {
  if (!way.schedule.empty())
    return [text = way.schedule](const notation::Statement& statement) { return scheduled_loops(text, statement); };
  if (way.candidate.empty()) return nullptr;
  return [text = way.candidate](const notation::Statement& statement) -> std::optional<concrete::Program> {
    auto made = autoschedule::problem_of(statement);
    const auto* problem = std::get_if<autoschedule::Problem>(&made);
    if (!problem) return std::nullopt;
    try {
      auto loops = autoschedule::realize(autoschedule::parse(text), *problem);
      const auto* program = std::get_if<concrete::Program>(&loops);
      return program ? std::optional(*program) : std::nullopt;
    } catch (const UserError&) {  // the text of a complex number is not read back
      return std::nullopt;
    }
  };
}

bool may_have_ways(const notation::Statement& statement) {
  constexpr size_t fewest_operands = 3;
  std::vector<notation::Access> operands = notation::accesses(statement.rhs);
  if (statement.op || statement.prunes || notation::reads_result(statement)) return false;
  if (operands.size() < fewest_operands && workspace_schedules(statement).empty()) return false;
  std::vector<IndexVar> all = notation::index_vars(statement);
  return std::all_of(all.begin(), all.end(), [&](const IndexVar& var) {
    return std::any_of(operands.begin(), operands.end(),
                       [&](const notation::Access& access) { return contains(access.indices, var); });
  });
}

Ways find_ways(const notation::Statement& statement, const concrete::Program& own,
               const autoschedule::KnownInputs& known, const WayOptions& options) {
  Ways out;
  autoschedule::KnownInputs inputs = known;
  inputs.walks = nullptr;
  bool is_empty =
      std::any_of(inputs.extents.begin(), inputs.extents.end(), [](const auto& extent) { return extent.second == 0; });
  if (is_empty) {
    out.reason = "there is nothing to compute with";
    return out;
  }
  out.own = autoschedule::measure(own, inputs);
  if (!out.own) {
    out.reason = "the work of its own loops cannot be told";
    return out;
  }
  if (out.own->work < options.worth.least_work) {
    out.reason = fmt::format("its own loops are little work: about {:.3g} tasks", out.own->work);
    return out;
  }
  if (known.walks && out.own->work >= options.worth_walking) {
    inputs.walks = known.walks;
    out.own = autoschedule::measure(own, inputs);
  }
  out.others = workspace_ways(statement, *out.own, inputs, options);
  for (Way& way : stored_ways(statement, *out.own, inputs, options)) out.others.push_back(std::move(way));
  auto made = autoschedule::problem_of(statement);
  if (const auto* problem = std::get_if<autoschedule::Problem>(&made)) {
    for (Way& way : split_ways(*problem, inputs, options)) out.others.push_back(std::move(way));
    for (Way& way : frontier_ways(*problem, inputs, options)) out.others.push_back(std::move(way));
  } else if (out.others.empty()) {
    out.reason = std::get<autoschedule::NotScheduled>(made).reason;
    return out;
  }
  // A sparse temporary can give the result another fill, and so another meaning.
  Scalar fill = notation::result_fill(statement);
  std::erase_if(out.others, [&](const Way& way) { return !(notation::result_fill(way.statements.back()) == fill); });
  std::stable_sort(out.others.begin(), out.others.end(),
                   [](const Way& a, const Way& b) { return has_less_work(a, b); });
  std::set<std::string> seen;  // a part that is stored can be a split, too
  std::erase_if(out.others, [&](const Way& way) { return !seen.insert(text_of(way)).second; });
  if (out.others.empty()) {
    out.reason = "there is no other way: it is no product, and its frontier is too large or has nothing that can run";
    return out;
  }
  double work = out.others[0].measure.work, own_work = out.own->work;
  out.takes_other = work * options.worth.least_gain <= own_work;
  out.reason = work < own_work ? fmt::format("{} {} {:.3g} times less work", name_of(out.others[0]),
                                             out.others[0].statements.size() > 1 ? "are" : "is", own_work / work)
                               : fmt::format("its own loops are the least work");
  if (work < own_work && !out.takes_other)
    out.reason += fmt::format(", and {:.3g} times would be worth it", options.worth.least_gain);
  return out;
}

}  // namespace filigree::compiler
