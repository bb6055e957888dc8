#include "compiler/kernel_family.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "compiler/way_program.h"
#include "concrete/update.h"
#include "notation/assignment.h"
#include "support/large_stack.h"

namespace filigree {

Kernel::Family::Family(const notation::Statement& s, const KernelOptions& o, bool share)
    : declared(s),
      reformatted(schedule::reformat(o.schedule, s)),
      written(reformatted.statement),
      statement(notation::as_assignment(written)),
      options(o),
      share_patterns(share),
      program(compiler::plan(written, plan_options(concrete::Tables::None))),
      expected_visits(statement) {
  std::set<TensorVar> seen;
  for (const notation::Access& access : notation::accesses(statement.rhs)) {
    if (seen.insert(access.tensor).second) operands.push_back(access.tensor);
  }
  for (const TensorVar& operand : operands) operand_names.push_back(operand.name());
  for (size_t d = 0; d < statement.lhs.indices.size(); d++)
    result_dimension_names.push_back(notation::dimension_name(statement.lhs.tensor, d));
  for (const auto& [from, to] : reformatted.copies) add_copy(from, to);
  in_place = plan_in_place();
  has_ways = compiler::may_choose(options, written);
}

void Kernel::Family::add_copy(const TensorVar& from, const TensorVar& to) {
  std::vector<IndexVar> indices;
  for (const std::string& name : usual_dimension_names(from.order())) indices.emplace_back(name);
  KernelOptions how = options;
  how.schedule.clear();
  how.observer = nullptr;
  how.make_loops = nullptr;
  copies.insert({from.name(),
                 {from, Kernel::of_checked(
                            {{to, indices}, std::nullopt, notation::Expr(notation::Access{from, indices})}, how)}});
  program.environment.remarks.push_back(fmt::format("'{}' is copied from {} into {} first, as the schedule asks",
                                                    from.name(), to_string(from.format()), to_string(to.format())));
}

compiler::PipelineOptions Kernel::Family::plan_options(concrete::Tables tables) const {
  compiler::PipelineOptions how;
  how.schedule = options.schedule;
  how.tables = tables;
  how.deterministic = options.deterministic;
  // A table may lack what an array has everywhere, so that an operand does not tell alone what the result has.
  how.share_patterns = share_patterns && tables == concrete::Tables::None;
  how.observer = options.observer;
  how.make_loops = options.make_loops;
  how.policy = options.policy.get();
  return how;
}

bool Kernel::Family::pattern_depends_on_values() const {
  bool depends = false;
  concrete::for_each(program.statement, [&](const concrete::Stmt& s) {
    const concrete::Assign* assign = s.as<concrete::Assign>();
    depends = depends || (assign && (assign->prunes || assign->drops_fill));
  });
  return depends;
}

compiler::PipelineOptions Kernel::Family::pipeline_options(const MemberKey& key, const std::string& name) const {
  compiler::PipelineOptions how = plan_options(key.tables);
  how.function_name = name;
  how.mode = key.mode;
  how.array_types = key.types;
  notation::Statement read = notation::with_old_tensor(statement).statement;
  how.accesses = notation::accesses(read.rhs);
  how.accesses.push_back(read.lhs);
  how.parallel = key.parallel;
  how.circumstances = key.circumstances;
  return how;
}

ir::FunctionDef Kernel::Family::function(const MemberKey& key, const std::string& name) const {
  compiler::PipelineOptions how = pipeline_options(key, name);
  return compiler::generate(planned(key, how), how);
}

ir::FunctionDef Kernel::Family::lowered(lowering::Mode mode, const std::string& name, const Arguments& operands,
                                        const Extents& extents) const {
  if (!operands.empty()) return function(key(mode, prepare(operands, extents)), name);
  std::optional<compiler::Circumstances> circumstances;  // those of large operands
  bool parallel = options.thread_count() > 1;
  if (options.automatic && options.schedule.empty() && parallel)
    circumstances = {compiler::Circumstances::Sharing::Rows};
  return function({mode, concrete::Tables::None, parallel, circumstances,
                   lowering::uniform_array_types(program, ElementType::Int32, ElementType::Int32)},
                  name);
}

concrete::Program Kernel::Family::planned(const MemberKey& key, const compiler::PipelineOptions& how) const {
  bool another_plan = key.tables != concrete::Tables::None || key.parallel || key.circumstances ||
                      (!program.environment.two_passes.empty() && key.mode != lowering::Mode::Grow &&
                       key.mode != lowering::Mode::Pattern);
  if (key.mode == lowering::Mode::Update) {
    std::optional<concrete::Program> other =
        another_plan ? concrete::updating(compiler::plan(written, how), *update_operator()) : std::nullopt;
    return other ? *other : *in_place;
  }
  return another_plan ? compiler::plan(written, how) : program;
}

std::optional<Operator> Kernel::Family::update_operator() const {
  if (!written.op || notation::reads_result(written) ||
      !can_reduce(written.op == Operator::Subtract ? Operator::Add : *written.op))
    return std::nullopt;
  return written.op == Operator::Subtract ? Operator::Add : written.op;
}

std::optional<concrete::Program> Kernel::Family::plan_in_place() const {
  std::optional<Operator> op = update_operator();
  bool has_type = op && result_type(*written.op, {written.lhs.tensor.type(), written.rhs.type()}) ==
                            written.lhs.tensor.type();
  return has_type ? concrete::updating(program, *op) : std::nullopt;
}

const compiler::Executable& Kernel::Family::member(const MemberKey& key) {
  std::lock_guard lock(mutex);
  auto& executable = members[key];
  if (options.target != compiler::Target::Interpret) compiler::check_units(program);
  if (!executable) executable = on_large_stack([&] { return compiler::make_executable(function(key), options); });
  return *executable;
}

const compiler::Executable& Kernel::Family::member_for(lowering::Mode mode, const Call& call) {
  std::vector<std::int64_t> sizes = {static_cast<std::int64_t>(mode)};
  for (const auto& [var, extent] : call.extents) sizes.push_back(extent);
  sizes.insert(sizes.end(), call.result_dimensions.begin(), call.result_dimensions.end());
  auto add_types = [&](const AnyTensor& tensor) {
    for (const std::vector<Array>& level : tensor.level_arrays())
      for (const Array& array : level) sizes.push_back(static_cast<std::int64_t>(array.type()));
  };
  for (const AnyTensor* operand : call.operands) {
    sizes.push_back(operand->stored());
    add_types(*operand);
  }
  if (call.given) sizes.push_back(-1), add_types(*call.given);
  {
    std::lock_guard lock(remembering);
    if (remembered_member && remembered_member->sizes == sizes) return *remembered_member->executable;
  }
  const compiler::Executable& found = member(key(mode, call));
  if (is_worth_threads(call)) return found;  // how threads share work follows from more than sizes
  std::lock_guard lock(remembering);
  remembered_member = std::make_shared<const RememberedMember>(RememberedMember{std::move(sizes), &found});
  return found;
}

Kernel::Family& Kernel::Family::in_sparse_format() {
  std::lock_guard lock(mutex);
  if (sparse_family) return *sparse_family;
  sparse_family = on_large_stack([&] {
    notation::Statement sparse = notation::with_old_tensor(statement).statement;
    const TensorVar& tensor = statement.lhs.tensor;
    sparse.lhs.tensor = TensorVar(tensor.name(), tensor.type(), Format::sparse(tensor.order()), tensor.fill());
    KernelOptions unscheduled = options;  // the schedule is for the loops of the declared format
    unscheduled.schedule.clear();
    return std::make_unique<Family>(sparse, unscheduled);
  });
  return *sparse_family;
}

Kernel::Family& Kernel::Family::with_own_pattern() {
  std::lock_guard lock(mutex);
  if (!unshared_family) unshared_family = on_large_stack([&] { return plan_own_pattern(); });
  return *unshared_family;
}

std::unique_ptr<Kernel::Family> Kernel::Family::plan_own_pattern() const {
  bool was_applied_in_part = !reformatted.copies.empty();
  if (!was_applied_in_part) {
    try {
      return std::make_unique<Family>(written, options, false);
    } catch (const UserError&) {}
  }
  KernelOptions unscheduled = options;
  unscheduled.schedule.clear();
  return std::make_unique<Family>(written, unscheduled, false);
}

Kernel::Family& Kernel::Family::for_arguments(const Arguments& arguments) {
  const TensorVar& tensor = written.lhs.tensor;
  bool given =
      std::any_of(arguments.begin(), arguments.end(), [&](const Argument& a) { return a.name == tensor.name(); });
  if (!given || !written.op || notation::reads_result(written)) return *this;
  std::lock_guard lock(mutex);
  if (!updating_family) {
    updating_family =
        on_large_stack([&] { return std::make_unique<Family>(notation::with_old_value(declared), options); });
    updating_family->written_names = written_names;
  }
  return *updating_family;
}

const Program& Kernel::Family::part_update() {
  std::lock_guard lock(mutex);
  if (!part_program) {
    ProgramOptions how;
    static_cast<KernelOptions&>(how) = options;
    part_program = std::make_unique<const Program>(Program::compile({declared}, how));
  }
  return *part_program;
}

}  // namespace filigree
