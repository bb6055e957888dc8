#include "fuzz/check_frontier.h"

#include <set>

#include <fmt/format.h>

#include "autoschedule/frontier.h"
#include "autoschedule/realize.h"
#include "concrete/workspace.h"
#include "notation/assignment.h"
#include "tests/differential/check_kernel.h"

namespace filigree::fuzz {
namespace {

using autoschedule::Frontier;
using autoschedule::Problem;

constexpr size_t most_candidates = 20'000;

struct Found {
  Problem problem;
  Frontier frontier;
};

std::optional<Found> frontier_of(const notation::Statement& statement) {
  if (statement.op || notation::reads_result(statement)) return std::nullopt;
  auto made = autoschedule::problem_of(statement);
  const auto* problem = std::get_if<Problem>(&made);
  if (!problem) return std::nullopt;
  autoschedule::FrontierOptions options{{}, {2000, 10'000, 10'000}, false, most_candidates};
  auto found = autoschedule::find_frontier(*problem, options);
  auto* frontier = std::get_if<Frontier>(&found);
  return frontier ? std::optional(Found{*problem, std::move(*frontier)}) : std::nullopt;
}

/// Loops and how temporaries are stored: what is equal is one program.
std::string text_of(const concrete::Program& program) {
  std::string text = concrete::to_string(program.statement);
  for (const concrete::Access& temporary : concrete::temporaries(program))
    text += " " + to_string(temporary.tensor.format());
  return text;
}

/// What is wrong with a program, if it can run at all.
std::optional<std::string> run(const notation::Statement& statement, const concrete::Program& loops,
                               const Arguments& arguments, const Extents& extents, const reference::Box& expected) {
  KernelOptions options;
  options.target = compiler::Target::Interpret;
  options.make_loops = [&](const notation::Statement&) { return std::optional(loops); };
  try {
    return differential::check_kernel(Kernel::compile(statement, options), arguments, extents, expected,
                                      tolerance(statement));
  } catch (...) {
    return "compile: " + differential::describe_exception();
  }
}

}  // namespace

std::optional<Sketch> frontier_sketch(std::uint64_t seed) {
  constexpr std::uint64_t tries = 1000;
  constexpr size_t fewest = 2, most = 4;
  for (std::uint64_t n = 0; n < tries; n++) {
    Sketch sketch = random_sketch(seed * tries + n);
    sketch.schedule_seed = sketch.split_seed = 0;
    sketch.prunes = false;
    try {
      Program program = render(sketch);
      notation::Statement statement = statement_of(program);
      size_t operands = notation::accesses(statement.rhs).size();
      if (operands < fewest || operands > most || holds_special(program) || !frontier_of(statement)) continue;
    } catch (const UserError&) {
      continue;
    }
    return sketch;
  }
  return std::nullopt;
}

FrontierCheck check_frontier(const Kernel& kernel, const Arguments& arguments, const Extents& extents,
                             const reference::Box& expected, size_t most) {
  FrontierCheck out;
  std::optional<Found> found = frontier_of(kernel.statement());
  if (!found) return out;
  size_t longest = 0;
  for (const autoschedule::CostClass& one : found->frontier.classes) longest = std::max(longest, one.members.size());
  std::set<std::string> seen;
  for (size_t n = 0; n < longest; n++) {
    for (const autoschedule::CostClass& one : found->frontier.classes) {
      if (n >= one.members.size()) continue;
      if (out.programs == most) return out;
      autoschedule::Stmt plan = found->frontier.plan(one.members[n], found->problem);
      auto realized = autoschedule::realize(plan, found->problem);
      const auto* program = std::get_if<concrete::Program>(&realized);
      if (!program || !seen.insert(text_of(*program)).second) continue;
      out.programs++;
      if (std::optional<std::string> wrong = run(kernel.statement(), *program, arguments, extents, expected)) {
        out.wrong = fmt::format("frontier: {}\nwith {}\nas {}", *wrong, to_string(plan), text_of(*program));
        return out;
      }
    }
  }
  return out;
}

}  // namespace filigree::fuzz
