#include "compiler/planned_kernel.h"

#include <algorithm>
#include <mutex>

#include <fmt/format.h>

#include "compiler/check_operand.h"
#include "compiler/check_sizes.h"
#include "compiler/memory_error.h"
#include "compiler/plan_sizes.h"
#include "compiler/race_error.h"
#include "compiler/views.h"
#include "plan/words.h"
#include "support/check.h"
#include "support/large_stack.h"
#include "support/text.h"
#include "tensor/size.h"

namespace filigree {

using compiler::PlanSizes;

struct PlannedKernel::Made {
  using Types = std::vector<lowering::ArrayTypes>;

  Made(const plan::Plan& p, const KernelOptions& o) : plan(p), options(o) {
    for (const TensorVar& operand : plan.program.operands) operands.push_back(compiler::outside_of(plan, operand));
    for (const TensorVar& result : plan.program.results) results.push_back(compiler::outside_of(plan, result));
  }

  /// The format of a result when it is made.
  const Format& made_format(size_t result) const {
    return plan.program.made ? *plan.program.made : results[result].format();
  }

  ir::FunctionDef function(const Types& types, const std::string& name) const {
    compiler::PipelineOptions how;
    how.function_name = name;
    how.array_types = types;
    how.observer = options.observer;
    how.policy = options.policy.get();
    try {
      return on_large_stack([&] { return compiler::generate(plan, how); });
    } catch (const InternalError& error) {  // the plan is a person's, so nothing is certain of it
      throw UserError("The plan cannot be carried out").note(error.what());
    }
  }

  const compiler::Executable& member(const Types& types) {
    std::lock_guard lock(mutex);
    auto& executable = members[types];
    if (!executable)
      executable = on_large_stack([&] { return compiler::make_executable(function(types, "kernel"), options); });
    return *executable;
  }

  /// What one run is about.
  struct Call {
    std::vector<const AnyTensor*> operands;  // in the plan's order
    PlanSizes sizes;
    Types types;  // of results first
  };

  Call prepare(const Arguments& arguments, const Sizes& given) const {
    Call call;
    std::map<std::string, std::vector<std::int64_t>> dimensions = given.dimensions;
    for (const TensorVar& operand : operands) {
      auto argument =
          std::find_if(arguments.begin(), arguments.end(), [&](const Argument& a) { return a.name == operand.name(); });
      if (argument == arguments.end()) throw UserError(fmt::format("The operand '{}' is missing", operand.name()));
      compiler::check_operand(operand, *argument->tensor, options.validate, options.thread_count());
      call.operands.push_back(argument->tensor);
      dimensions[operand.name()] = argument->tensor->dimensions();
    }
    for (const Argument& argument : arguments) {
      bool is_known = std::any_of(operands.begin(), operands.end(),
                                  [&](const TensorVar& operand) { return operand.name() == argument.name; });
      if (!is_known) throw UserError(fmt::format("The plan has no operand '{}'", argument.name));
    }
    call.sizes = compiler::find_sizes(plan, dimensions, given.extents);
    compiler::check_sizes(plan, call.sizes);
    compiler::check_points(plan.program, call.sizes.extents);
    compiler::check_bounds(plan.program, call.operands, call.sizes.extents, "plan");
    for (size_t n = 0; n < results.size(); n++) {
      const std::vector<std::int64_t>& own = call.sizes.dimensions.at(results[n].name());
      check_shape(own, results[n].format(), results[n].name());
      check_storage_fits(own, made_format(n), results[n].type(), 0, results[n].name());
      call.types.push_back(compiler::result_array_types(made_format(n), own, ElementType::Int64));
      share_types(n, call);
    }
    for (const AnyTensor* operand : call.operands) call.types.push_back(compiler::array_types(*operand));
    return call;
  }

  /// Positions that are an operand's are as wide as there.
  void share_types(size_t result, Call& call) const {
    auto filling = plan.fillings.find(plan.program.results[result]);
    const plan::PatternOf* shared = filling == plan.fillings.end() ? nullptr
                                                                   : std::get_if<plan::PatternOf>(&filling->second);
    if (!shared) return;
    auto operand = std::find(plan.program.operands.begin(), plan.program.operands.end(), shared->operand.tensor);
    if (operand == plan.program.operands.end()) return;
    lowering::ArrayTypes source =
        compiler::array_types(*call.operands[static_cast<size_t>(operand - plan.program.operands.begin())]);
    size_t number = 0;
    for (int l = 0; l < shared->levels; l++) {
      const Level& level = plan.program.results[result].format().levels()[static_cast<size_t>(l)];
      for (const level::ArrayDescription& array : level.format->arrays()) {
        if (array.holds == level::ArrayDescription::Holds::Positions && number < source.size())
          call.types[result][number] = source[number];
        number++;
      }
    }
  }

  std::string activity(const Call& call) const {
    std::vector<std::string> all;
    for (const TensorVar& result : results) {
      std::vector<std::int64_t> own = call.sizes.dimensions.at(result.name());
      all.push_back("'" + result.name() + "'" + (own.empty() ? "" : " (" + describe_dimensions(own) + ")"));
    }
    return "computing " + join(all, ", ");
  }

  void execute(const Call& call, std::vector<ir::TensorView>& views) {
    compiler::MemoryLimit limit;
    ir::Status status;
    try {
      status = member(call.types).run(views, limit);
    } catch (const ir::RaceError&) {
      if (std::optional<UserError> error = compiler::ignored_race(plan.program)) throw std::move(*error);
      throw;
    }
    switch (status) {
      case ir::Status::Ok: return;
      case ir::Status::OutOfMemory: throw compiler::out_of_memory(activity(call), plan.program, limit.refused);
      case ir::Status::DoesNotFit:
        throw UserError("A result has no place for a component that the plan stores there")
            .hint("give it another format in the plan");
      case ir::Status::PatternMismatch:
        throw UserError("Nodes of an operand have nothing below them, so a result cannot have its pattern")
            .hint("let the plan fill the result by appending");
    }
  }

  std::map<std::string, AnyTensor> run(const Arguments& arguments, const Sizes& given) {
    Call call = prepare(arguments, given);
    std::vector<ir::TensorView> views;
    for (size_t n = 0; n < results.size(); n++) {
      size_t count = 1;
      for (const Level& level : plan.program.results[n].format().levels()) count += level.format->arrays().size();
      views.push_back({call.sizes.dimensions.at(results[n].name()), std::vector<ir::ArrayView>(count)});
    }
    for (const AnyTensor* operand : call.operands) views.push_back(compiler::view(*operand));
    execute(call, views);
    std::map<std::string, AnyTensor> made;
    for (size_t n = 0; n < results.size(); n++) made.emplace(results[n].name(), result(n, call, views[n]));
    return made;
  }

  AnyTensor result(size_t number, const Call& call, const ir::TensorView& view) const {
    const TensorVar &seen = plan.program.results[number], &outside = results[number];
    AnyTensor tensor = compiler::adopt(view, call.sizes.dimensions.at(outside.name()), seen, made_format(number),
                                       plan.mode == plan::Mode::Grow);
    // The loops may be a person's, who may have overlooked something.
    tensor.validate(outside.name());
    return plan.program.made ? tensor.converted(outside.format(), outside.name(), options.force) : tensor;
  }

  plan::Plan plan;
  KernelOptions options;
  std::vector<TensorVar> operands, results;
  std::mutex mutex;
  std::map<Types, std::unique_ptr<const compiler::Executable>> members;
};

PlannedKernel PlannedKernel::compile(const plan::Plan& plan, const KernelOptions& options) {
  if (plan.mode != plan::Mode::Grow && plan.mode != plan::Mode::Pattern)
    throw UserError(fmt::format("A plan in the mode '{}' fills in a part of results that are there already",
                                plan::mode_words[static_cast<size_t>(plan.mode)]))
        .hint("leave the mode out: then the plan makes its results");
  if (plan.program.made && !plan.stored.count(plan.program.results.front()))
    throw UserError(fmt::format("The plan does not say how '{}' is stored in the end", plan.program.results[0].name()))
        .hint("write a line such as: stored A(i,j) as csr");
  for (const TensorVar& operand : plan.program.operands) {
    if (operand.selection())
      throw UserError(fmt::format("'{}' says which coordinates a statement selects, and a plan cannot be given that",
                                  operand.name()))
          .hint("give the statement instead");
  }
  if (options.target != compiler::Target::Interpret) compiler::check_units(plan.program);
  return PlannedKernel(std::make_shared<Made>(plan, options));
}

std::map<std::string, AnyTensor> PlannedKernel::run(const Arguments& operands, const Sizes& sizes) const {
  return made_->run(operands, sizes);
}

const plan::Plan& PlannedKernel::plan() const { return made_->plan; }
const std::vector<TensorVar>& PlannedKernel::operands() const { return made_->operands; }
const std::vector<TensorVar>& PlannedKernel::results() const { return made_->results; }

ir::FunctionDef PlannedKernel::function(const std::string& name, const Arguments& operands, const Sizes& sizes) const {
  if (!operands.empty()) return made_->function(made_->prepare(operands, sizes).types, name);
  return made_->function(lowering::uniform_array_types(plan().program, ElementType::Int32, ElementType::Int32), name);
}

}  // namespace filigree
