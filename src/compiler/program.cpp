#include "compiler/program.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <mutex>
#include <set>

#include <fmt/format.h>

#include "compiler/check_operand.h"
#include "compiler/common_parts.h"
#include "compiler/fuse.h"
#include "compiler/program_work.h"
#include "notation/canonical_names.h"
#include "notation/check.h"
#include "notation/distinct_names.h"
#include "notation/lost_values.h"
#include "support/forked.h"
#include "support/large_stack.h"
#include "support/match.h"
#include "support/text.h"

namespace filigree {
namespace {

using notation::Statement;
using Names = std::set<std::string>;

/// Loops that do more at once run out of registers.
constexpr size_t most_shared = 8;

/// The commands of a schedule that are about a statement.  One that is about none of them goes to the first that reads
/// its tensor, or to the first of all, which says what is wrong.
schedule::Schedule schedule_for(const std::vector<notation::Step>& steps, size_t step, const schedule::Schedule& all) {
  if (all.empty()) return {};
  std::vector<std::vector<bool>> fits;
  for (const notation::Step& s : steps) fits.push_back(schedule::about(all, s.statement));
  schedule::Schedule own;
  for (size_t n = 0; n < all.size(); n++) {
    bool is_own = fits[step][n];
    if (std::none_of(fits.begin(), fits.end(), [&](const std::vector<bool>& f) { return f[n]; })) {
      std::vector<std::string> tensors = schedule::tensors_of(all[n]);
      auto first = std::find_if(steps.begin(), steps.end(), [&](const notation::Step& s) {
        return std::any_of(tensors.begin(), tensors.end(),
                           [&](const std::string& tensor) { return notation::reads(s.statement, tensor); });
      });
      is_own = first == steps.end() ? step == 0 : first == steps.begin() + static_cast<std::ptrdiff_t>(step);
    }
    if (is_own) own.push_back(all[n]);
  }
  return own;
}

/// Can the step run at the same time as the statements?
bool is_independent(const notation::Step& step, const std::vector<Statement>& statements) {
  return std::none_of(statements.begin(), statements.end(), [&](const Statement& statement) {
    const std::string &mine = step.statement.lhs.tensor.name(), &theirs = statement.lhs.tensor.name();
    return mine == theirs || notation::reads(step.statement, theirs) || notation::reads(statement, mine);
  });
}

compiler::Observer for_step(const compiler::Observer& observer, size_t step) {
  if (!observer) return nullptr;
  return [observer, step](compiler::StageReport report) {
    report.step = step;
    observer(report);
  };
}

/// One way to run the program: which depends on the tensors that have a value at its start.
struct Plan {
  std::vector<TensorVar> inputs;
  std::vector<Program::Step> steps;
};

/// What becomes of the statements: temporaries are parts of those that read them, as far as that needs no more copies
/// and walks; or they stay; or what several statements have is computed once before.
enum class Shape { Fused, Stored, Once };

/// In all, so many parts are computed once.
constexpr size_t most_once = 8;

std::string powers_of_two(const Arguments& operands) {
  std::string text;
  for (const Argument& operand : operands) {
    text += operand.name;
    for (std::int64_t extent : operand.tensor->dimensions()) text += fmt::format(" {}", std::ilogb(extent + 1.0));
    text += fmt::format(" {}\n", std::ilogb(static_cast<double>(operand.tensor->stored()) + 1));
  }
  return text;
}

/// The extents of every step's statements, before anything is computed: a mismatch in the last one costs nothing.
std::vector<std::vector<Extents>> all_extents(const Plan& plan, const Arguments& operands, const Sizes& sizes) {
  notation::KnownSizes known{{}, sizes.dimensions, sizes.extents};
  for (const Argument& operand : operands) known.inputs[operand.name] = operand.tensor->dimensions();
  std::vector<Statement> statements;
  for (const Program::Step& step : plan.steps) {
    for (const Statement& statement : step.statements) {
      const TensorVar& result = statement.lhs.tensor;
      auto given = sizes.dimensions.find(result.name());
      if (given != sizes.dimensions.end() && static_cast<int>(given->second.size()) != result.order()) {
        throw UserError(fmt::format("{} given for '{}', which has {}",
                                    counted(given->second.size(), "dimension was", "dimensions were"), result.name(),
                                    result.order()));
      }
      statements.push_back(statement);
    }
  }
  std::vector<std::map<IndexVar, std::int64_t>> found = notation::infer_sizes(statements, known).extents;
  std::vector<std::vector<Extents>> all;
  size_t number = 0;
  for (const Program::Step& step : plan.steps) {
    all.emplace_back(step.statements.size());
    for (size_t n = 0; n < step.statements.size(); n++, number++)
      all.back()[n] = notation::by_name(step.statements[n], found[number]);
  }
  return all;
}

/// The values of tensors while a program runs: borrowed from the caller until a statement assigns them.
class Values {
 public:
  explicit Values(const Arguments& operands) {
    for (const Argument& operand : operands) current_[operand.name] = operand.tensor;
  }

  Arguments operands_of(const Program::Step& step) const {
    Arguments operands;
    Names seen;
    for (const Statement& statement : step.statements) {
      for (const notation::Access& access : notation::accesses(statement.rhs)) {
        const TensorVar* tensor = access.tensor.read();
        if (tensor && seen.insert(tensor->name()).second)
          operands.emplace_back(tensor->name(), *current_.at(tensor->name()));
      }
    }
    return operands;
  }

  void assign(const std::string& name, AnyTensor value) {
    AnyTensor& made = made_[name];
    made = std::move(value);
    current_[name] = &made;
  }

  void release(const std::string& name) {
    current_.erase(name);
    made_.erase(name);
  }

  AnyTensor take(const std::string& name) { return std::move(made_.at(name)); }

 private:
  std::map<std::string, AnyTensor> made_;
  std::map<std::string, const AnyTensor*> current_;
};

}  // namespace

struct Program::Plans {
  Plans(const std::vector<Statement>& s, const ProgramOptions& o) : statements(s), options(o), outputs(o.outputs) {
    if (statements.empty()) throw UserError("There is no statement to compile");
    notation::check_tensor_names(statements);
    for (const Statement& statement : statements) notation::check(statement);
    if (outputs.empty()) outputs = notation::unread_results(notation::statements_of(notation::link(statements, {})));
    for (const std::string& output : outputs) check_output(output);
    // An error of every way to run is told when the program is compiled.
    plan_for(Names{});
  }

  void check_output(const std::string& name) const {
    std::vector<std::string> assigned;
    for (const Statement& statement : statements) assigned.push_back(statement.lhs.tensor.name());
    if (std::find(assigned.begin(), assigned.end(), name) != assigned.end()) return;
    UserError error(fmt::format("No statement assigns the output '{}'", name));
    if (auto guess = did_you_mean(name, assigned))
      throw std::move(error).hint(fmt::format("did you mean '{}'?", *guess));
    throw error;
  }

  /// The statements of a shape; nothing if it is the same as another one.
  std::optional<std::vector<notation::Step>> steps_of(const std::vector<notation::Step>& linked, Shape shape) const {
    std::vector<notation::Step> steps = notation::used_steps(linked, Names(outputs.begin(), outputs.end()));
    std::vector<notation::Step> fused = options.fuse ? compiler::fuse(steps, kept(steps), *options.policy) : steps;
    if (shape == Shape::Fused) return fused;
    if (shape == Shape::Stored) return fused.size() < steps.size() ? std::optional(steps) : std::nullopt;
    std::optional<std::vector<notation::Step>> once;
    for (size_t n = 0; n < most_once; n++) {
      std::optional<std::vector<notation::Step>> more = compiler::with_parts_once(once ? *once : steps);
      if (!more) break;
      once = std::move(more);
    }
    return once ? std::optional(compiler::fuse(*once, kept(*once), *options.policy)) : std::nullopt;
  }

  Plan make_plan(const Names& given, Shape shape) const {
    std::vector<notation::Step> linked = notation::link(statements, given);
    std::vector<notation::Step> steps = steps_of(linked, shape).value();
    Plan plan{notation::inputs(notation::statements_of(linked)), {}};
    for (size_t n = 0; n < steps.size();) {
      KernelOptions how = options;
      how.observer = for_step(options.observer, plan.steps.size());
      how.schedule = schedule_for(steps, n, options.schedule);
      how.validate = Validate::Never;  // `run` looks at every input once, whatever the number of steps that read it
      size_t count = options.fuse ? add_shared(steps, n, how, plan) : 0;
      if (count == 0) {
        plan.steps.push_back(
            {{steps[n].statement}, steps[n].origins, steps[n].remarks, Kernel::of_checked(steps[n].statement, how)});
        count = 1;
      }
      n += count;
    }
    return plan;
  }

  /// One kernel for as many steps from `begin` on as share their loops; how many, or 0 if it is none but the first.
  size_t add_shared(const std::vector<notation::Step>& steps, size_t begin, const KernelOptions& how,
                    Plan& plan) const {
    std::optional<Program::Step> shared;
    std::vector<Statement> together = {steps[begin].statement};
    std::vector<size_t> origins = steps[begin].origins;
    std::vector<std::string> remarks = steps[begin].remarks;
    for (size_t n = begin + 1; n < steps.size() && n < begin + most_shared && how.schedule.empty(); n++) {
      if (!is_independent(steps[n], together) || !schedule_for(steps, n, options.schedule).empty()) break;
      together.push_back(steps[n].statement);
      std::optional<compiler::SharedKernel> kernel = compiler::SharedKernel::compile(together, how);
      if (!kernel) break;
      origins.insert(origins.end(), steps[n].origins.begin(), steps[n].origins.end());
      remarks.insert(remarks.end(), steps[n].remarks.begin(), steps[n].remarks.end());
      shared = Program::Step{together, origins, remarks, *kernel};
    }
    if (!shared) return 0;
    std::sort(shared->origins.begin(), shared->origins.end());
    std::vector<std::string> names;
    for (const Statement& statement : shared->statements) names.push_back("'" + statement.lhs.tensor.name() + "'");
    std::string last = names.back();
    names.pop_back();
    shared->remarks.push_back(fmt::format("{} and {} are computed in the same loops", join(names, ", "), last));
    plan.steps.push_back(*shared);
    return shared->statements.size();
  }

  /// Temporaries that stay: those asked for, and those of statements that a schedule is about.
  Names kept(const std::vector<notation::Step>& steps) const {
    Names names(outputs.begin(), outputs.end());
    names.insert(options.stored.begin(), options.stored.end());
    for (const notation::Step& step : steps) {
      const Statement& statement = step.statement;
      std::vector<bool> fits = schedule::about(options.schedule, statement);
      if (std::find(fits.begin(), fits.end(), true) == fits.end()) continue;
      names.insert(statement.lhs.tensor.name());
      for (const notation::Access& access : notation::accesses(statement.rhs)) {
        if (access.tensor.read()) names.insert(access.tensor.read()->name());
      }
    }
    return names;
  }

  const Plan& plan_for(const Names& given, Shape shape = Shape::Fused) {
    std::lock_guard lock(mutex);
    std::unique_ptr<const Plan>& plan = plans[{given, shape}];
    if (!plan) plan = on_large_stack([&] { return std::make_unique<const Plan>(make_plan(given, shape)); });
    return *plan;
  }

  /// For these operands.
  const Plan& plan_for(const Arguments& operands, const Sizes& sizes) {
    Names given = starts(operands);
    return plan_for(given, operands.empty() ? Shape::Fused : shape_for(given, operands, sizes));
  }

  bool may_have_shapes() const {
    return statements.size() > 1 && options.automatic && options.fuse && !options.strict && !options.make_loops &&
           options.schedule.empty() && options.stored.empty();
  }

  /// The shape with the least work, as far as can be told.
  Shape shape_for(const Names& given, const Arguments& operands, const Sizes& sizes) {
    if (!may_have_shapes()) return Shape::Fused;
    std::lock_guard lock(mutex);
    std::optional<std::map<Shape, std::vector<Statement>>>& known = shapes[given];
    if (!known) known = on_large_stack([&] { return find_shapes(given); });
    if (known->size() < 2) return Shape::Fused;
    auto [choice, is_new] = choices.try_emplace({given, powers_of_two(operands)}, Shape::Fused);
    if (is_new) choice->second = on_large_stack([&] { return least_work(*known, operands, sizes); });
    return choice->second;
  }

  std::map<Shape, std::vector<Statement>> find_shapes(const Names& given) const {
    std::map<Shape, std::vector<Statement>> out;
    std::vector<notation::Step> linked = notation::link(statements, given);
    for (Shape shape : {Shape::Fused, Shape::Stored, Shape::Once}) {
      if (std::optional<std::vector<notation::Step>> steps = steps_of(linked, shape))
        out[shape] = notation::statements_of(*steps);
    }
    return out;
  }

  Shape least_work(const std::map<Shape, std::vector<Statement>>& known, const Arguments& operands,
                   const Sizes& sizes) const {
    notation::KnownSizes given{{}, sizes.dimensions, sizes.extents};
    std::map<std::string, double> stored;
    for (const Argument& operand : operands) {
      given.inputs[operand.name] = operand.tensor->dimensions();
      stored[operand.name] = static_cast<double>(operand.tensor->stored());
    }
    compiler::WayOptions how;
    how.worth = options.policy->other_ways();
    how.policy = options.policy.get();
    how.parallel = options.thread_count() > 1;
    Shape best = Shape::Fused;
    double least = 0;
    for (const auto& [shape, steps] : known) {
      try {
        std::optional<double> work =
            compiler::work_of(steps, notation::infer_sizes(steps, given).extents, stored, how);
        if (!work) return Shape::Fused;
        bool is_better = shape == Shape::Fused || *work * (best == Shape::Fused ? how.worth.least_gain : 1) < least;
        if (is_better) best = shape, least = *work;
      } catch (const UserError&) {  // sizes do not fit: a run says so
        return Shape::Fused;
      }
    }
    return best;
  }

  /// Tensors that `op=` starts from, although it could do without: the first statement that has them assigns them so.
  Names starts(const Arguments& operands) const {
    Names given, seen;
    for (const Statement& statement : statements) {
      for (const notation::Access& access : notation::accesses(statement.rhs)) {
        if (access.tensor.read()) seen.insert(access.tensor.read()->name());
      }
      const std::string& name = statement.lhs.tensor.name();
      bool is_given = std::any_of(operands.begin(), operands.end(), [&](const Argument& a) { return a.name == name; });
      if (seen.insert(name).second && statement.op && is_given) given.insert(name);
    }
    return given;
  }

  void check_operands(const Plan& plan, const Arguments& operands) const {
    std::vector<std::string> names;
    for (const TensorVar& input : plan.inputs) {
      names.push_back(input.name());
      auto operand =
          std::find_if(operands.begin(), operands.end(), [&](const Argument& a) { return a.name == input.name(); });
      if (operand == operands.end()) throw missing(input.name());
      compiler::check_operand(input, *operand->tensor, options.validate, options.thread_count());
    }
    for (const Argument& operand : operands) {
      if (std::find(names.begin(), names.end(), operand.name) != names.end()) continue;
      UserError error(fmt::format("The program reads no operand '{}'", operand.name));
      if (auto guess = did_you_mean(operand.name, names)) throw std::move(error).hint("did you mean '" + *guess + "'?");
      throw error;
    }
  }

  UserError missing(const std::string& name) const {
    bool is_assigned = std::any_of(statements.begin(), statements.end(),
                                   [&](const Statement& s) { return notation::assigns(s, name); });
    if (!is_assigned) return UserError(fmt::format("The operand '{}' is missing", name));
    UserError error = UserError(fmt::format("'{}' is read before it is assigned, so its first value is missing", name))
                          .hint("give it as an operand, or assign it in an earlier statement");
    for (const Statement& statement : statements) {
      const notation::Expr* access = notation::find_access(statement.rhs, name);
      if (access && statement.source) return std::move(error).at(statement.source, access->span());
      if (access) break;
    }
    return error;
  }

  /// For every step, what nobody asked for and no later step reads: it is given back then.
  std::vector<std::vector<std::string>> last_uses(const Plan& plan) const {
    std::vector<std::vector<std::string>> last(plan.steps.size());
    Names needed(outputs.begin(), outputs.end());
    for (size_t n = plan.steps.size(); n-- > 0;) {
      auto note = [&](const std::string& name) {
        if (needed.insert(name).second) last[n].push_back(name);
      };
      for (const Statement& statement : plan.steps[n].statements) {
        note(statement.lhs.tensor.name());
        for (const notation::Access& access : notation::accesses(statement.rhs)) {
          if (access.tensor.read()) note(access.tensor.read()->name());
        }
      }
    }
    return last;
  }

  std::vector<Statement> statements;
  ProgramOptions options;
  std::vector<std::string> outputs;
  std::mutex mutex;
  std::map<std::pair<Names, Shape>, std::unique_ptr<const Plan>> plans;
  std::map<Names, std::optional<std::map<Shape, std::vector<Statement>>>> shapes;  // those that there are
  std::map<std::pair<Names, std::string>, Shape> choices;                          // by powers of two of sizes
};

Program Program::compile(const std::vector<Statement>& statements, const ProgramOptions& options) {
  Inside inside;
  return on_large_stack([&] {
    if (!options.schedule.empty())
      return Program(
          std::make_shared<Plans>(statements, options));  // which has index variables by the names that they have
    return Program(std::make_shared<Plans>(notation::with_canonical_names(statements).statements, options));
  });
}

std::map<std::string, AnyTensor> Program::run(const Arguments& operands, const Sizes& sizes,
                                              std::vector<double>* milliseconds) const {
  Inside inside;
  plans_->check_operands(plans_->plan_for(plans_->starts(operands)), operands);
  const Plan& plan = plans_->plan_for(operands, sizes);
  std::vector<std::vector<Extents>> extents = all_extents(plan, operands, sizes);
  Values values(operands);
  std::vector<std::vector<std::string>> unused = plans_->last_uses(plan);
  if (milliseconds) milliseconds->clear();
  for (size_t n = 0; n < plan.steps.size(); n++) {
    const Step& step = plan.steps[n];
    auto start = std::chrono::steady_clock::now();
    std::vector<AnyTensor> made = match_variant(
        step.kernel,
        [&](const Kernel& kernel) {
          std::vector<AnyTensor> one;
          one.push_back(kernel.run(values.operands_of(step), extents[n][0]));
          return one;
        },
        [&](const compiler::SharedKernel& kernel) { return kernel.run(values.operands_of(step), extents[n]); });
    for (size_t r = 0; r < made.size(); r++) values.assign(step.statements[r].lhs.tensor.name(), std::move(made[r]));
    if (milliseconds)
      milliseconds->push_back(
          std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
    for (const std::string& name : unused[n]) values.release(name);
  }
  std::map<std::string, AnyTensor> results;
  for (const std::string& output : plans_->outputs) results.emplace(output, values.take(output));
  return results;
}

const std::vector<Program::Step>& Program::steps(const Arguments& operands, const Sizes& sizes) const {
  return plans_->plan_for(operands, sizes).steps;
}

const std::vector<std::string>& Program::outputs() const { return plans_->outputs; }

std::vector<Warning> Program::warnings(const std::vector<std::map<IndexVar, std::int64_t>>& extents) const {
  return notation::lost_values(notation::statements_of(notation::link(plans_->statements, {})), extents);
}

const concrete::Program& Program::Step::program() const {
  return std::visit([](const auto& k) -> const concrete::Program& { return k.program(); }, kernel);
}

bool Program::Step::reads(const std::string& tensor) const {
  return std::any_of(statements.begin(), statements.end(),
                     [&](const Statement& s) { return notation::reads(s, tensor); });
}

std::vector<ir::FunctionDef> Program::functions(const Arguments& operands, const Sizes& sizes) const {
  const Plan& plan = plans_->plan_for(operands, sizes);
  const Kernel* only = plan.steps.size() == 1 ? std::get_if<Kernel>(&plan.steps[0].kernel) : nullptr;
  if (only && !operands.empty())
    return {only->function(lowering::Mode::Grow, "kernel", operands, all_extents(plan, operands, sizes)[0][0])};
  std::vector<ir::FunctionDef> functions;
  for (const Step& step : plan.steps) {
    std::string name = plan.steps.size() == 1 ? "kernel" : fmt::format("kernel_{}", functions.size() + 1);
    functions.push_back(match_variant(
        step.kernel, [&](const Kernel& kernel) { return kernel.function(lowering::Mode::Grow, name); },
        [&](const compiler::SharedKernel& kernel) { return kernel.function(name); }));
  }
  return functions;
}

}  // namespace filigree
