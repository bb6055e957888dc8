#include "compiler/pipeline.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <set>

#include <fmt/format.h>

#include "assemble/assemble.h"
#include "concrete/concretize.h"
#include "concrete/derivations.h"
#include "concrete/share_loops.h"
#include "concrete/verify.h"
#include "concrete/workspace.h"
#include "emit/emit_c.h"
#include "ir/print.h"
#include "ir/verify.h"
#include "lattice/count_cases.h"
#include "lattice/lattice.h"
#include "lattice/strategy.h"
#include "notation/assignment.h"
#include "notation/use_names.h"
#include "passes/passes.h"
#include "plan/text.h"
#include "plan/verify.h"
#include "support/text.h"

namespace filigree::compiler {
namespace {

/// Runs one stage: times it, verifies what it made, and shows it to whoever listens.
template <class Run, class Verify, class Print>
auto stage(const char* name, const Observer& observer, Run run, Verify verify, Print print) {
  auto start = std::chrono::steady_clock::now();
  auto made = run();
  verify(made);
  std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - start;
  if (observer) observer({name, print(made), taken.count()});
  return made;
}

auto verify_program(const char* name) {
  return [name](const concrete::Program& program) { concrete::verify(program, name); };
}

std::string print_program(const concrete::Program& program) {
  std::string text = concrete::to_string(program.statement) + "\n";
  for (const concrete::Derivation& derivation : program.environment.derivations) {
    if (!derivation.as<concrete::AtPoint>()) text += "  " + concrete::to_string(derivation) + "\n";
  }
  for (const concrete::PieceLoop& cut : program.environment.piece_loops) text += "  " + concrete::to_string(cut) + "\n";
  std::set<IndexVar> loops;
  concrete::for_each(program.statement, [&](const concrete::Stmt& stmt) {
    if (const concrete::Forall* forall = stmt.as<concrete::Forall>()) loops.insert(forall->var);
  });
  for (const concrete::FlatLoop& flat : program.environment.flat_loops) {
    if (loops.count(flat.var)) text += "  " + concrete::to_string(flat) + "\n";  // others only have bounds
  }
  for (const concrete::ExtentBound& bound : program.environment.bounds)
    text += "  " + concrete::to_string(bound) + "\n";
  return text;
}

/// Operands in the order of the statement as it was written: marking parts of it may have changed the order of their
/// use.
concrete::Program with_operands_of(const notation::Statement& statement, concrete::Program program) {
  std::map<std::string, TensorVar> left;
  for (const TensorVar& operand : program.operands) left.emplace(operand.name(), operand);
  std::vector<TensorVar> ordered;
  for (const notation::Access& access : notation::accesses(statement.rhs)) {
    auto found = left.find(access.tensor.name());
    if (found == left.end()) continue;
    ordered.push_back(found->second);
    left.erase(found);
  }
  program.operands = ordered;
  return program;
}

/// Checks that every loop can run as it is asked to, and remarks on what is decided.
concrete::Program with_strategies(concrete::Program program, const PipelineOptions& options) {
  for (std::string& remark : lattice::check_strategies(program, *options.policy))
    program.environment.remarks.push_back(std::move(remark));
  return program;
}

concrete::Program assembled(const concrete::Program& program, const PipelineOptions& options) {
  return assemble::assemble(program, options.mode == lowering::Mode::Grow || options.mode == lowering::Mode::Pattern);
}

/// Loops, and what later stages make of them as far as somebody has looked at that already: nothing is made twice.
struct Loops {
  concrete::Program program;
  std::optional<concrete::Program> filled = {};  // assembled as they are
  /// The same with commands that may be what is chosen for them.
  struct Tried {
    schedule::Schedule commands;
    concrete::Program scheduled, filled;
  };
  std::optional<Tried> tried = {};

  const concrete::Program& assembled_with(const PipelineOptions& options) {
    if (!filled) filled = assembled(program, options);
    return *filled;
  }
};

/// The loops are there already.
UserError no_workspaces(const concrete::WorkspaceRequest& request) {
  UserError error("'precompute' has a say before there are loops, and these are written already");
  std::move(error).hint(fmt::format("write the workspace into the loops: where(... {} ..., ...)", request.name));
  if (request.source) std::move(error).at(request.source, request.span);
  return error;
}

/// Where loops over all operands at once would take too much code, fewer of them meet in one loop.
Loops concretized(const notation::Statement& statement, const schedule::Steered& steered,
                  const PipelineOptions& options) {
  if (options.make_loops) {
    if (std::optional<concrete::Program> made = options.make_loops(statement)) {
      if (!steered.requests.workspaces.empty()) throw no_workspaces(steered.requests.workspaces[0]);
      made->environment.may_share_patterns = options.share_patterns;
      return {with_operands_of(statement, *made)};
    }
  }
  auto make = [&](bool small_unions) {
    concrete::Requests requests = steered.requests;
    requests.small_unions = small_unions;
    requests.policy = options.policy;
    concrete::Program program =
        with_operands_of(statement, concrete::concretize(steered.statement, options.parallel, requests));
    program.environment.may_share_patterns = options.share_patterns;
    return Loops{program};
  };
  Loops loops = make(false);
  constexpr size_t few_operands = 3;  // have few cases
  if (notation::accesses(statement.rhs).size() < few_operands) return loops;
  const std::int64_t most_cases = options.policy->most_cases();
  std::int64_t cases = lattice::count_cases(loops.assembled_with(options), most_cases);
  if (cases <= most_cases) return loops;
  Loops smaller = make(true);
  smaller.program.environment.remarks.push_back(
      "parts are computed on their own, because loops over all operands at once would need too many cases");
  return lattice::count_cases(smaller.assembled_with(options), cases) < cases ? smaller : loops;
}

/// The commands that are given, or those that a person would have given.
schedule::Schedule schedule_for(Loops& loops, const PipelineOptions& options) {
  if (!options.schedule.empty() || !options.circumstances) return options.schedule;
  const concrete::Program& program = loops.program;
  const concrete::Program& filled = loops.assembled_with(options);
  bool has_pieces = std::any_of(filled.results.begin(), filled.results.end(), [&](const TensorVar& result) {
    return filled.environment.two_passes.count(result) > 0;
  });
  if (has_pieces) return {};
  return default_schedule(program, *options.circumstances, [&](const schedule::Schedule& commands) {
    try {
      concrete::Program scheduled = schedule::apply_schedule(commands, program);
      if (options.deterministic) schedule::check_deterministic(scheduled);
      concrete::Program tried = assembled(scheduled, options);
      with_strategies(options.tables == concrete::Tables::None ? tried : concrete::with_tables(tried, options.tables),
                      options);
      loops.tried = Loops::Tried{commands, std::move(scheduled), std::move(tried)};
      return true;
    } catch (const UserError&) {
      return false;
    }
  });
}

std::string print_lattices(const concrete::Program& program) { return lattice::describe_lattices(program); }

std::string print_function(const ir::FunctionDef& function) { return ir::print(function); }

/// What the reader of the generated code wants to know first.
std::vector<std::string> header(const concrete::Program& program) {
  std::vector<std::string> lines;
  for (const auto* tensors : {&program.results, &program.operands}) {
    for (const TensorVar& tensor : *tensors) {
      std::string format = tensor.order() == 0 ? "scalar" : to_string(tensor.format());
      lines.push_back(tensor.name() + ": " + to_string(tensor.type()) + ", " + format);
    }
  }
  lines.push_back(concrete::to_string(program.statement));
  for (const concrete::ExtentBound& bound : program.environment.bounds)
    lines.push_back("only where " + concrete::to_string(bound));
  return lines;
}

}  // namespace

namespace {

/// What all statements go through once there are loops.
concrete::Program planned_from(Loops loops, const schedule::Schedule& commands, const PipelineOptions& options) {
  const Observer& observer = options.observer;
  concrete::Program program = loops.program;
  bool is_tried = !commands.empty() && loops.tried && loops.tried->commands == commands;
  if (!commands.empty()) {
    auto print = [&](const concrete::Program& scheduled) {
      return schedule::to_string(commands) + "\n" + print_program(scheduled);
    };
    program = stage(
        "schedule", observer,
        [&] { return is_tried ? loops.tried->scheduled : schedule::apply_schedule(commands, program); },
        verify_program("schedule"), print);
  }
  if (options.deterministic) schedule::check_deterministic(program);
  auto fill = [&] {
    if (is_tried) return loops.tried->filled;
    return commands.empty() ? loops.assembled_with(options) : assembled(program, options);
  };
  program = stage("assemble", observer, fill, verify_program("assemble"), print_program);
  if (options.tables != concrete::Tables::None) {
    program = stage(
        "tables", observer, [&] { return concrete::with_tables(program, options.tables); }, verify_program("tables"),
        print_program);
  }
  return stage(
      "lattice", observer, [&] { return with_strategies(program, options); }, [](const auto&) {}, print_lattices);
}

}  // namespace

concrete::Program plan(const notation::Statement& written, const PipelineOptions& given) {
  notation::Statement statement = notation::with_old_tensor(notation::as_assignment(written)).statement;
  PipelineOptions options = given;
  options.schedule = schedule::with_names(given.schedule, statement);
  const Observer& observer = options.observer;
  if (observer) observer({"notation", notation::to_string(written) + "\n", 0});
  schedule::Steered steered = schedule::steer(options.schedule, statement);
  Loops loops = stage(
      "concrete", observer, [&] { return concretized(statement, steered, options); },
      [](const Loops& made) { concrete::verify(made.program, "concretize"); },
      [](const Loops& made) { return print_program(made.program); });
  schedule::Schedule commands = schedule_for(loops, options);
  return planned_from(std::move(loops), commands, options);
}

std::optional<SharedPlan> plan_together(const std::vector<notation::Statement>& statements,
                                        const PipelineOptions& options) {
  const Observer& observer = options.observer;
  std::optional<concrete::Program> shared;
  std::map<std::string, std::string> old_values;
  std::string written;
  FreshNames names;
  for (const notation::Statement& statement : statements) notation::use_names(names, statement);
  for (const notation::Statement& statement : statements) {
    notation::WithOldTensor apart = notation::with_old_tensor(notation::as_assignment(statement), names);
    if (apart.old) {
      names.use(apart.old->name());
      old_values[apart.old->name()] = statement.lhs.tensor.name();
    }
    concrete::Requests requests;
    requests.policy = options.policy;
    concrete::Program program = concrete::concretize(apart.statement, false, requests);
    shared = shared ? concrete::share_loops(*shared, program) : program;
    if (!shared) return std::nullopt;
    written += notation::to_string(statement) + "\n";
  }
  if (observer) observer({"notation", written, 0});
  concrete::Program program =
      stage("concrete", observer, [&] { return *shared; }, verify_program("share_loops"), print_program);
  return SharedPlan{planned_from({program}, {}, options), old_values};
}

namespace {

/// What passes are to know of a plan.
passes::Options pass_options(const concrete::Program& program, const policy::Policy& policy) {
  passes::Options options{policy.finishing()};
  for (const concrete::Forall& loop : concrete::tagged_loops(program.statement)) {
    if (loop.tag.gpu)
      options.asked.insert({loop.var.name(), {loop.tag.parallel_by.source, loop.tag.parallel_by.span}});
  }
  return options;
}

}  // namespace

ir::FunctionDef generate(const concrete::Program& program, const PipelineOptions& options) {
  auto print = [](const plan::Plan& plan) { return plan::to_string(plan); };
  return generate(stage(
                      "plan", options.observer,
                      [&] {
                        plan::Plan plan = plan::make_plan(
                            program, {options.mode, options.parallel, options.deterministic, options.policy});
                        plan::tell_stored(plan, options.accesses);
                        return plan;
                      },
                      plan::verify, print),
                  options);
}

ir::FunctionDef generate(const plan::Plan& plan, const PipelineOptions& options) {
  const concrete::Program& program = plan.program;
  const Observer& observer = options.observer;
  lowering::Options how{options.function_name, options.array_types};
  if (how.array_types.empty())
    how.array_types = lowering::uniform_array_types(program, ElementType::Int32, ElementType::Int32);
  auto function = stage("lower", observer, [&] { return lowering::lower(plan, how); }, ir::verify, print_function);
  passes::Options over = pass_options(program, *options.policy);
  for (const passes::Stage& step : passes::stages()) {
    if (!step.is_needed || step.is_needed(function))
      function = stage(step.name, observer, [&] { return step.run(function, over); }, ir::verify, print_function);
  }
  function.header = header(program);
  return function;
}

void check_units(const concrete::Program& program) {
  for (const concrete::Forall& loop : concrete::tagged_loops(program.statement)) {
    if (!loop.tag.gpu) continue;
    UserError error(
        fmt::format("The loop over '{}' is for a GPU, and there is no code generator for GPUs", loop.var.name()));
    std::move(error).hint(
        "use cpu or vector as the unit, or Target::Interpret to try it",
        "use cpu or vector as the unit, or --target interpret to try it; --print ir shows the launch");
    if (loop.tag.parallel_by.source) std::move(error).at(loop.tag.parallel_by.source, loop.tag.parallel_by.span);
    throw error;
  }
}

std::string emit(const ir::FunctionDef& function, const emit::EmitOptions& options, const Observer& observer) {
  return stage(
      "c", observer, [&] { return emit::emit_c(ir::Module{{function}}, options); }, [](const auto&) {},
      [](const std::string& text) { return text; });
}

}  // namespace filigree::compiler
