#include "compiler/kernel.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <mutex>
#include <set>

#include <fmt/format.h>

#include "compiler/check_operand.h"
#include "compiler/expected_visits.h"
#include "compiler/memory_error.h"
#include "compiler/program.h"
#include "compiler/result_arrays.h"
#include "compiler/selections.h"
#include "compiler/views.h"
#include "compiler/workspace_tables.h"
#include "concrete/relations.h"
#include "concrete/update.h"
#include "concrete/workspace.h"
#include "notation/assignment.h"
#include "notation/check.h"
#include "notation/distinct_names.h"
#include "notation/extents.h"
#include "notation/part_update.h"
#include "support/check.h"
#include "support/out_of_memory.h"
#include "support/text.h"
#include "tensor/size.h"

namespace filigree {
namespace {

using level::ArrayDescription;

/// A member of the family.
struct MemberKey {
  lower::Mode mode;
  bool tables;
  bool parallel;
  std::optional<compiler::Circumstances> circumstances;  // of a default schedule
  std::vector<lower::ArrayTypes> types;
  auto operator<=>(const MemberKey&) const = default;
};

/// Everything about one call that follows from its operands.
struct Call {
  std::vector<const Tensor*> operands;     // in the program's order
  std::vector<std::shared_ptr<const Tensor>> copies;  // those of them that were copied into another format
  std::map<IndexVar, std::int64_t> extents;
  std::vector<std::int64_t> result_dimensions;
  const Tensor* given = nullptr;           // the result, if its pattern is there
};

}  // namespace

struct Kernel::Family {
  Family(const notation::Statement& s, const KernelOptions& o, bool share = true)
      : declared(s), reformatted(schedule::reformat(o.schedule, s)), written(reformatted.statement), statement(notation::as_assignment(written)), options(o),
        share_patterns(share), program(compiler::plan(written, plan_options(false))), expected_visits(statement) {
    for (const auto& [from, to] : reformatted.copies) add_copy(from, to);
    for (const TensorVar& operand : declared_operands()) operand_names.push_back(operand.name());
    in_place = plan_in_place();
  }

  /// A kernel that copies an operand into the format that the schedule asks for.
  void add_copy(const TensorVar& from, const TensorVar& to) {
    std::vector<IndexVar> indices;
    for (const std::string& name : usual_dimension_names(from.order())) indices.emplace_back(name);
    KernelOptions how = options;
    how.schedule.clear();
    how.observer = nullptr;
    copies.insert({from.name(), {from, Kernel::of_checked({{to, indices}, std::nullopt, notation::Expr(notation::Access{from, indices})}, how)}});
    program.environment.remarks.push_back(fmt::format("'{}' is copied from {} into {} first, as the schedule asks", from.name(), to_string(from.format()), to_string(to.format())));
  }

  compiler::PipelineOptions plan_options(bool tables) const {
    compiler::PipelineOptions how;
    how.schedule = options.schedule;
    how.table_workspaces = tables;
    how.deterministic = options.deterministic;
    how.share_patterns = share_patterns;
    how.observer = options.observer;
    return how;
  }

  const TensorVar& result() const { return program.results[0]; }
  /// The format of the tensor that code makes: the declared one, unless that has to be packed from another.
  const Format& made_format() const { return program.made ? *program.made : statement.lhs.tensor.format(); }
  bool has_all_modes() const { return !program.made && concrete::has_all_modes(program.results[0].format()) && !pattern_depends_on_values(); }
  bool pattern_depends_on_values() const {
    bool depends = false;
    concrete::for_each(program.statement, [&](const concrete::Stmt& s) {
      const concrete::Assign* assign = s.as<concrete::Assign>();
      depends = depends || (assign && (assign->prunes || assign->drops_fill));
    });
    return depends;
  }
  std::vector<TensorVar> declared_operands() const {
    std::vector<TensorVar> out;
    for (const notation::Access& access : notation::accesses(statement.rhs)) {
      if (std::find(out.begin(), out.end(), access.tensor) == out.end()) out.push_back(access.tensor);
    }
    return out;
  }

  Call prepare(const Arguments& arguments, const Extents& given) const {
    Call call;
    std::map<TensorVar, std::vector<std::int64_t>> dimensions;
    compiler::Selections selections(statement);
    for (const TensorVar& declared : declared_operands()) {
      if (declared.selection()) {
        const Tensor* source = declared.read() ? &source_of(declared, arguments) : nullptr;
        dimensions[declared] = selections.add(declared, source);
        call.operands.push_back(nullptr);  // made when the sizes are known
        continue;
      }
      auto argument = std::find_if(arguments.begin(), arguments.end(), [&](const Argument& a) { return a.name == declared.name(); });
      if (argument == arguments.end()) throw UserError(fmt::format("The operand '{}' is missing", declared.name()));
      auto copy = copies.find(declared.name());
      compiler::check_operand(copy == copies.end() ? declared : copy->second.from, *argument->tensor);
      if (copy != copies.end()) call.copies.push_back(std::make_shared<const Tensor>(copy->second.kernel.run({*argument})));
      call.operands.push_back(copy == copies.end() ? argument->tensor : call.copies.back().get());
      dimensions[declared] = argument->tensor->dimensions();
    }
    for (const Argument& argument : arguments) check_known(argument.name);
    dimensions.emplace(statement.lhs.tensor, given_dimensions(given));
    call.extents = notation::infer_extents(statement, dimensions, by_variable(given));
    if (!selections.empty()) {
      selections.find_sizes(call.extents, dimensions);
      call.extents = notation::infer_extents(statement, dimensions, by_variable(given));
    }
    check_bounds(call);
    for (const IndexVar& var : statement.lhs.indices) {
      auto extent = call.extents.find(var);
      if (extent == call.extents.end()) {
        throw std::move(UserError(fmt::format("The size of '{}' is unknown: no operand has that index variable", var.name())))
            .hint(fmt::format("give it, as in -d {}:100", var.name()));
      }
      call.result_dimensions.push_back(extent->second);
    }
    // What is given must be what the result's dimensions leave: code has only these.
    dimensions[statement.lhs.tensor] = call.result_dimensions;
    notation::infer_extents(statement, dimensions, by_variable(given));
    std::vector<TensorVar> declared = declared_operands();
    for (size_t n = 0; n < declared.size(); n++) {
      if (!declared[n].selection()) continue;
      call.copies.push_back(std::make_shared<const Tensor>(selections.make(declared[n], call.extents)));
      call.operands[n] = call.copies.back().get();
    }
    check_shape(call.result_dimensions, statement.lhs.tensor.format(), result().name());
    check_storage_fits(call.result_dimensions, made_format(), result().type(), 0, result().name());
    return call;
  }

  /// The operand whose values a selection holds.
  const Tensor& source_of(const TensorVar& selection, const Arguments& arguments) const {
    const TensorVar& source = *selection.read();
    auto argument = std::find_if(arguments.begin(), arguments.end(), [&](const Argument& a) { return a.name == source.name(); });
    if (argument == arguments.end()) throw UserError(fmt::format("The operand '{}' is missing", source.name()));
    compiler::check_operand(source, *argument->tensor);
    return *argument->tensor;
  }

  /// Extents that no operand has are the result's.
  Extents extents_of(const Tensor& result) const {
    Extents extents;
    for (size_t d = 0; d < statement.lhs.indices.size() && d < result.dimensions().size(); d++) extents[notation::dimension_name(statement.lhs.tensor, d)] = result.dimensions()[d];
    return extents;
  }

  /// A call that writes into a tensor which is there.
  Call prepare_given(const Tensor& result, const Arguments& operands) const {
    Call call = prepare(operands, extents_of(result));
    if (result.dimensions() != call.result_dimensions || !(result.format() == statement.lhs.tensor.format()) || result.type() != this->result().type()) {
      throw std::move(UserError(fmt::format("'{}' does not have the shape, format and type of the result", this->result().name()))).hint("make it with assemble()");
    }
    for (const Tensor* operand : call.operands) {
      for (const Array* array : operand->all_arrays()) {
        if (array->count() > 0 && array->data() == result.values().data()) {
          throw UserError(fmt::format("The values of '{}' are also an operand's; a kernel cannot write what it reads", this->result().name()));
        }
      }
    }
    call.given = &result;
    return call;
  }

  /// What the schedule says about sizes, which code relies on.
  void check_bounds(const Call& call) const {
    for (const concrete::Bound& bound : program.environment.bounds) {
      auto extent = call.extents.find(bound.var);
      internal_check(extent != call.extents.end(), "kernel", "a bound of a variable whose extent is not known", bound.var.name());
      if (concrete::holds(bound, extent->second)) continue;
      UserError error(fmt::format("The schedule says that {}, but it has {}", concrete::to_string(bound), extent->second));
      std::move(error).hint("compile the statement without this bound, or with the right one");
      if (bound.source) std::move(error).at(bound.source, bound.span);
      throw error;
    }
  }

  void check_known(const std::string& name) const {
    std::vector<std::string> names;
    for (const TensorVar& operand : declared_operands()) {
      if (operand.read()) names.push_back(operand.read()->name());
    }
    if (std::find(names.begin(), names.end(), name) != names.end()) return;
    UserError error(fmt::format("The statement has no operand '{}'", name));
    if (auto guess = did_you_mean(name, names)) throw std::move(error).hint("did you mean '" + *guess + "'?");
    throw error;
  }

  std::map<IndexVar, std::int64_t> by_variable(const Extents& given) const {
    std::map<IndexVar, std::int64_t> out;
    for (const auto& [name, extent] : given) {
      for (const auto& [var, source] : program.environment.extents) {
        if (var.name() == name && !var.map()) out[var] = extent;  // the names of indices that follow from others are not unique
      }
    }
    return out;
  }

  /// Of the result; negative where they are not given.
  std::vector<std::int64_t> given_dimensions(const Extents& given) const {
    std::vector<std::int64_t> out;
    for (size_t d = 0; d < statement.lhs.indices.size(); d++) {
      auto extent = given.find(notation::dimension_name(statement.lhs.tensor, d));
      out.push_back(extent == given.end() ? -1 : extent->second);
    }
    return out;
  }

  bool needs_tables(const Call& call) const {
    std::int64_t largest = 0;
    for (const Tensor* operand : call.operands) largest = std::max(largest, operand->stored());
    return compiler::needs_tables(program, call.extents, largest, [&] { return visits(call); });
  }

  /// A copy has no more nodes than what is copied.  Otherwise positions are made 64 bits wide and narrowed afterwards.
  ElementType positions_type(const Call& call) const {
    constexpr std::int64_t both_halves = 2;
    bool copies = statement.rhs.as<notation::Access>() && call.operands.size() == 1;
    return copies ? index_type_for(both_halves * call.operands[0]->stored()) : ElementType::Int64;
  }

  double visits(const Call& call) const {
    std::map<std::string, std::int64_t> stored;
    for (size_t n = 0; n < call.operands.size(); n++) stored[operand_names[n]] = call.operands[n]->stored();
    return expected_visits(stored, call.extents);
  }

  bool is_worth_threads(const Call& call) const {
    return options.thread_count() > 1 && visits(call) >= static_cast<double>(options.worth_threads);
  }

  /// How threads share the work if no schedule says so.
  compiler::Circumstances::Sharing sharing(const Call& call) const {
    using Sharing = compiler::Circumstances::Sharing;
    if (!is_worth_threads(call)) return Sharing::None;
    std::optional<TensorVar> with_rows = compiler::operand_with_rows(program);
    std::vector<TensorVar> declared = declared_operands();
    auto found = std::find_if(declared.begin(), declared.end(), [&](const TensorVar& tensor) { return with_rows && tensor.name() == with_rows->name(); });
    if (found == declared.end()) return Sharing::Rows;
    const Tensor& tensor = *call.operands[static_cast<size_t>(found - declared.begin())];
    // Whole rows make pieces that differ by as much as the longest one.
    double longest = static_cast<double>(tensor.statistics().levels[1].longest_fibre), piece = static_cast<double>(tensor.stored()) / options.thread_count();
    return longest > piece / 2 ? Sharing::Entries : Sharing::Rows;
  }

  std::optional<compiler::Circumstances> circumstances(const Call& call) const {
    constexpr std::int64_t largest_constant = 16;
    if (!options.automatic || !options.schedule.empty()) return std::nullopt;
    compiler::Circumstances out{sharing(call)};
    for (const IndexVar& var : compiler::dense_inner_loops(program.statement)) {
      auto extent = call.extents.find(var);
      if (extent != call.extents.end() && extent->second > 0 && extent->second <= largest_constant) out.constants[var.name()] = extent->second;
    }
    bool is_plain = out.sharing == compiler::Circumstances::Sharing::None && out.constants.empty();
    return is_plain ? std::nullopt : std::optional(out);
  }

  MemberKey key(lower::Mode mode, const Call& call) const {
    lower::ArrayTypes result_types = call.given ? compiler::array_types(*call.given) : compiler::result_array_types(made_format(), call.result_dimensions, positions_type(call));
    if (!call.given) compiler::narrow_shared_positions(result_types, program, call.operands);
    MemberKey key{mode, needs_tables(call), is_worth_threads(call), circumstances(call), {result_types}};
    for (const Tensor* operand : call.operands) key.types.push_back(compiler::array_types(*operand));
    return key;
  }

  /// What is done, for messages.
  std::string activity(const Call& call) const {
    std::string dimensions = call.result_dimensions.empty() ? "" : fmt::format(" ({})", describe_dimensions(call.result_dimensions));
    return fmt::format("computing '{}'{}", result().name(), dimensions);
  }

  /// What `action` makes of the result; where memory runs out outside of kernels, the error names it.
  template <class Action>
  auto naming(const Call& call, const Action& action) const {
    double all = size_in_bytes(result().type());
    for (std::int64_t extent : call.result_dimensions) all *= static_cast<double>(extent);
    double stored = 0;  // a guess: no more than the operands have
    for (const Tensor* operand : call.operands) stored += static_cast<double>(operand->stored()) * (size_in_bytes(result().type()) + 8);
    return naming_memory(activity(call), std::min(all, stored), action);
  }

  compiler::PipelineOptions pipeline_options(const MemberKey& key, const std::string& name = "kernel") const {
    compiler::PipelineOptions how = plan_options(key.tables);
    how.function_name = name;
    how.mode = key.mode;
    how.array_types = key.types;
    how.parallel = key.parallel;
    how.circumstances = key.circumstances;
    return how;
  }

  ir::FunctionDef function(const MemberKey& key, const std::string& name = "kernel") const {
    compiler::PipelineOptions how = pipeline_options(key, name);
    return compiler::generate(planned(key, how), how);
  }

  concrete::Program planned(const MemberKey& key, const compiler::PipelineOptions& how) const {
    bool another_plan = key.tables || key.parallel || key.circumstances || (!program.environment.two_passes.empty() && key.mode != lower::Mode::Grow && key.mode != lower::Mode::Pattern);
    if (key.mode == lower::Mode::Update) {
      std::optional<concrete::Program> other = another_plan ? concrete::updating(compiler::plan(written, how), *update_operator()) : std::nullopt;
      return other ? *other : *in_place;
    }
    return another_plan ? compiler::plan(written, how) : program;
  }

  /// What `op=` combines old values and new ones with, if the statement tells new ones without the old.
  std::optional<Operator> update_operator() const {
    if (!written.op || notation::reads_result(written) || !can_reduce(written.op == Operator::Subtract ? Operator::Add : *written.op)) return std::nullopt;
    return written.op == Operator::Subtract ? Operator::Add : written.op;
  }

  /// The loops that update a result where it is, if they can.
  std::optional<concrete::Program> plan_in_place() const {
    std::optional<Operator> op = update_operator();
    bool has_type = op && result_type(*written.op, {written.lhs.tensor.type(), written.rhs.type()}) == written.lhs.tensor.type();
    return has_type ? concrete::updating(program, *op) : std::nullopt;
  }

  const compiler::Executable& member(const MemberKey& key) {
    std::lock_guard lock(mutex);
    auto& executable = members[key];
    if (!executable) executable = compiler::make_executable(function(key), options);
    return *executable;
  }

  /// False if the code asked for more memory than the limit, or the result's format has no place for a component that is not its fill.
  bool execute(lower::Mode mode, const Call& call, ir::TensorView& result_view, compiler::MemoryLimit limit = {}) {
    MemberKey chosen = key(mode, call);
    const compiler::Executable& executable = member(chosen);
    std::vector<ir::TensorView> views = {result_view};
    for (const Tensor* operand : call.operands) views.push_back(compiler::view(*operand));
    ir::Status status = executable.run(views, limit);
    if (limit.exceeded || status == ir::Status::DoesNotFit) return false;
    if (status == ir::Status::PatternMismatch && share_patterns) return with_own_pattern().execute(mode, call, result_view, limit);
    if (status == ir::Status::PatternMismatch) throw pattern_mismatch();
    if (status != ir::Status::Ok) throw compiler::out_of_memory(activity(call), planned(chosen, pipeline_options(chosen)), limit.refused);
    result_view = views[0];
    return true;
  }

  /// Takes over the arrays a kernel made.
  Tensor adopt(const Call& call, const ir::TensorView& made, bool has_values) const {
    std::vector<std::vector<Array>> levels;
    std::vector<Array> all;  // taken over before anything can go wrong
    all.reserve(made.arrays.size());
    for (const ir::ArrayView& array : made.arrays) all.push_back(compiler::take(array));
    size_t number = 0;
    for (const Level& level : result().format().levels()) {
      levels.emplace_back();
      for (const ArrayDescription& description : level.format->arrays()) {
        Array taken = std::move(all[number++]);
        bool positions = description.holds == ArrayDescription::Holds::Positions;
        bool narrow = positions && taken.type() == ElementType::Int64 && taken.count() > 0 && index_type_for(taken.index_at(taken.count() - 1)) == ElementType::Int32;
        if (narrow) taken = taken.converted(ElementType::Int32);
        levels.back().push_back(std::move(taken));
      }
    }
    Array values;
    if (has_values) values = std::move(all[number]);
    Tensor tensor = Tensor::from_kernel(call.result_dimensions, made_format(), std::move(levels), std::move(values), result().type(), result().fill());
    tensor.check_full(result().name());
    return tensor;
  }

  /// Must the size of the result be watched, because the format may have room for much more than its entries?
  bool is_watched(const Call& call) const {
    return !options.force && can_be_out_of_proportion(call.result_dimensions, made_format(), result().type());
  }

  Tensor run(const Call& call) {
    if (is_watched(call)) return run_watched(call);
    ir::TensorView made = empty_result(call);
    return execute(lower::Mode::Grow, call, made) ? finished(adopt(call, made, true)) : run_sparse(call);
  }

  /// The result is first made in a sparse format: packing that into the declared one says what is in the way, if anything is.
  Tensor run_sparse(const Call& call) {
    return in_sparse_format().run(call).converted(statement.lhs.tensor.format(), result().name(), options.force);
  }

  Tensor finished(Tensor made) const {
    if (!program.made) return made;  // moved: a conditional expression would copy every array
    return made.converted(statement.lhs.tensor.format(), result().name(), options.force);
  }

  /// As `run`, as long as the result is in proportion to the operands.  If it is not, it is first made in a sparse format, which
  /// shows how many entries it has; to pack them is then refused, with the size, or in proportion after all.
  Tensor run_watched(const Call& call) {
    std::int64_t entries = 0;
    for (const Tensor* operand : call.operands) entries += operand->stored();
    double most = proportionate_bytes(result().type(), static_cast<int>(call.result_dimensions.size()), entries);
    // Arrays grow by doubling, so those that stay in proportion ask for less than twice as much.
    compiler::MemoryLimit limit{static_cast<std::int64_t>(std::min(2 * most, 0x1p62))};
    ir::TensorView made = empty_result(call);
    bool is_done = options.target != compiler::Target::Interpret && execute(lower::Mode::Grow, call, made, limit);
    if (is_done) {
      Tensor result = adopt(call, made, true);
      if (static_cast<double>(result.values().count()) * position_bytes(made_format(), this->result().type()) <= most) return finished(std::move(result));
    }
    return run_sparse(call);
  }

  /// The same statement with a result that stores nothing but its entries.
  Family& in_sparse_format() {
    std::lock_guard lock(mutex);
    if (!sparse_family) {
      notation::Statement sparse = notation::with_old_tensor(statement).statement;
      const TensorVar& tensor = statement.lhs.tensor;
      sparse.lhs.tensor = TensorVar(tensor.name(), tensor.type(), Format::sparse(tensor.order()), tensor.fill());
      KernelOptions unscheduled = options;  // the schedule is for the loops of the declared format
      unscheduled.schedule.clear();
      sparse_family = std::make_unique<Family>(sparse, unscheduled);
    }
    return *sparse_family;
  }

  /// The same statement where the result's pattern is not an operand's, because nodes of that have nothing below them.
  Family& with_own_pattern() {
    std::lock_guard lock(mutex);
    if (!unshared_family) unshared_family = plan_own_pattern();
    return *unshared_family;
  }

  /// The schedule is kept unless it divides positions of the operand, which are not those of the result then.
  std::unique_ptr<Family> plan_own_pattern() const {
    bool was_applied_in_part = !reformatted.copies.empty();
    if (!was_applied_in_part) {
      try {
        return std::make_unique<Family>(written, options, false);
      } catch (const UserError&) {
      }
    }
    KernelOptions unscheduled = options;
    unscheduled.schedule.clear();
    return std::make_unique<Family>(written, unscheduled, false);
  }

  /// The family for these arguments: where an old value of the result is given, `op=` starts from it.
  Family& for_arguments(const Arguments& arguments) {
    const TensorVar& tensor = written.lhs.tensor;
    bool given = std::any_of(arguments.begin(), arguments.end(), [&](const Argument& a) { return a.name == tensor.name(); });
    if (!given || !written.op || notation::reads_result(written)) return *this;
    std::lock_guard lock(mutex);
    if (!updating_family) updating_family = std::make_unique<Family>(notation::with_old_value(declared), options);
    return *updating_family;
  }

  /// The values of `from` into `to`, which must have the same index.
  void copy_values(const Tensor& from, Tensor& to) const {
    bool same = from.values().count() == to.values().count();
    for (size_t level = 0; same && level < from.level_arrays().size(); level++) {
      for (size_t a = 0; same && a < from.level_arrays()[level].size(); a++) same = from.level_arrays()[level][a] == to.level_arrays()[level][a];
    }
    if (!same) throw pattern_mismatch();
    if (from.values().count() > 0) std::memcpy(to.values().data(), from.values().data(), static_cast<size_t>(from.values().bytes()));
  }

  UserError pattern_mismatch() const {
    return UserError(fmt::format("'{}' does not have the pattern that these operands give", result().name()))
        .hint(pattern_depends_on_values() ? "which components it stores depends on values; use run()" : "make it with assemble() on operands with the same patterns");
  }

  ir::TensorView empty_result(const Call& call) const {
    size_t count = 1;
    for (const Level& level : result().format().levels()) count += level.format->arrays().size();
    return {call.result_dimensions, std::vector<ir::ArrayView>(count)};
  }

  struct Copy {
    TensorVar from;
    Kernel kernel;
  };

  notation::Statement declared;
  schedule::Reformatted reformatted;
  notation::Statement written;    // with operands in the formats that the schedule asks for
  notation::Statement statement;  // the same as a plain assignment
  KernelOptions options;
  bool share_patterns;
  concrete::Program program;
  compiler::ExpectedVisits expected_visits;
  std::vector<std::string> operand_names;  // in the program's order
  std::optional<concrete::Program> in_place;  // loops that update a result where it is, if they can
  std::mutex mutex;
  std::map<MemberKey, std::unique_ptr<const compiler::Executable>> members;
  std::unique_ptr<Family> sparse_family, updating_family, unshared_family;
  std::map<std::string, Copy> copies;  // by operand
};

Kernel Kernel::compile(const notation::Statement& statement, const KernelOptions& options) {
  notation::check_tensor_names({statement});
  return of_checked(notation::with_distinct_index_names(statement), options);
}

Kernel Kernel::of_checked(const notation::Statement& statement, const KernelOptions& options) {
  notation::check(statement);
  return Kernel(std::make_shared<Family>(statement, options));
}

Tensor Kernel::run(const Arguments& operands, const Extents& extents) const {
  Family& family = family_->for_arguments(operands);
  Call call = family.prepare(operands, extents);
  return family.naming(call, [&] { return family.run(call); });
}

Tensor Kernel::assemble(const Arguments& operands, const Extents& extents) const {
  Family& family = family_->for_arguments(operands);
  Call call = family.prepare(operands, extents);
  if (!family.has_all_modes() || family.is_watched(call)) {
    Tensor result = family.run(call);
    for (std::int64_t p = 0; p < result.values().count(); p++) result.values().set(p, result.fill());
    return result;
  }
  ir::TensorView result = family.empty_result(call);
  family.execute(lower::Mode::Pattern, call, result);
  return family.naming(call, [&] { return family.adopt(call, result, false); });
}

void Kernel::compute(Tensor& result, const Arguments& operands) const {
  Family& family = family_->for_arguments(operands);
  Call call = family.prepare_given(result, operands);
  if (!family.has_all_modes()) {
    call.given = nullptr;
    family.copy_values(family.run(call), result);
    return;
  }
  ir::TensorView made = compiler::view(result);
  family.execute(lower::Mode::Values, call, made);
}

bool Kernel::update(Tensor& result, const Arguments& operands) const {
  Family& family = *family_;
  if (!family.written.op) throw UserError(fmt::format("'{}' is assigned, not updated", family.result().name())).hint("write +=, or another assignment that starts from the old value");
  if (family.in_place) {
    Call call = family.prepare_given(result, operands);
    ir::TensorView made = compiler::view(result);
    family.execute(lower::Mode::Update, call, made);
    return true;
  }
  Arguments with_old = operands;
  with_old.emplace_back(family.written.lhs.tensor, result);
  if (notation::updates_part(family.declared)) {
    ProgramOptions how;
    static_cast<KernelOptions&>(how) = family.options;
    result = Program::compile({family.declared}, how).run(with_old).at(family.written.lhs.tensor.name());
  } else {
    result = run(with_old, family.extents_of(result));
  }
  return false;
}

const concrete::Program& Kernel::program() const { return family_->program; }
const notation::Statement& Kernel::statement() const { return family_->declared; }

ir::FunctionDef Kernel::function(lower::Mode mode, const std::string& name, const Arguments& operands, const Extents& extents) const {
  Family& family = family_->for_arguments(operands);
  std::optional<compiler::Circumstances> circumstances;  // those of large operands
  if (family.options.automatic && family.options.schedule.empty() && family.options.thread_count() > 1) circumstances = {compiler::Circumstances::Sharing::Rows};
  MemberKey key{mode, false, family.options.thread_count() > 1, circumstances, lower::uniform_array_types(family.program, ElementType::Int32, ElementType::Int32)};
  if (!operands.empty()) key = family.key(mode, family.prepare(operands, extents));
  return family.function(key, name);
}

std::string Kernel::c_text(lower::Mode mode, const emit::EmitOptions& options, const Arguments& operands, const Extents& extents) const {
  return compiler::emit(function(mode, "kernel", operands, extents), options);
}

}  // namespace filigree
