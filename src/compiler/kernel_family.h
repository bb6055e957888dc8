// The kernels of one statement: one plan for every mode, width and circumstance that a call asks for.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <mutex>
#include <set>

#include <fmt/format.h>

#include "compiler/check_operand.h"
#include "compiler/expected_visits.h"
#include "compiler/kernel.h"
#include "compiler/memory_error.h"
#include "compiler/program.h"
#include "compiler/selections.h"
#include "compiler/views.h"
#include "concrete/relations.h"
#include "concrete/update.h"
#include "concrete/workspace.h"
#include "notation/assignment.h"
#include "notation/check.h"
#include "notation/distinct_names.h"
#include "notation/extents.h"
#include "notation/part_update.h"
#include "support/check.h"
#include "support/large_stack.h"
#include "support/out_of_memory.h"
#include "support/text.h"
#include "tensor/size.h"

namespace filigree {

struct Kernel::Family {
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
    std::vector<const AnyTensor*> operands;     // in the program's order
    std::vector<std::shared_ptr<const AnyTensor>> copies;  // those of them that were copied into another format
    std::map<IndexVar, std::int64_t> extents;
    std::vector<std::int64_t> result_dimensions;
    const AnyTensor* given = nullptr;           // the result, if its pattern is there
  };

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
    std::set<TensorVar> seen;
    for (const notation::Access& access : notation::accesses(statement.rhs)) {
      if (seen.insert(access.tensor).second) out.push_back(access.tensor);
    }
    return out;
  }

  Call prepare(const Arguments& arguments, const Extents& given) const;
  /// The operand whose values a selection holds.
  const AnyTensor& source_of(const TensorVar& selection, const Arguments& arguments) const;
  /// Extents that no operand has are the result's.
  Extents extents_of(const AnyTensor& result) const;
  /// A call that writes into a tensor which is there.
  Call prepare_given(const AnyTensor& result, const Arguments& operands) const;
  /// What the schedule says about sizes, which code relies on.
  void check_bounds(const Call& call) const;
  void check_known(const Arguments& arguments) const;
  std::map<IndexVar, std::int64_t> by_variable(const Extents& given) const;
  /// Of the result; negative where they are not given.
  std::vector<std::int64_t> given_dimensions(const Extents& given) const;
  /// Do temporaries need tables because arrays over their extents would be out of proportion?
  bool needs_tables(const Call& call) const;

  /// A copy has no more nodes than what is copied.  Otherwise positions are made 64 bits wide and narrowed afterwards.
  ElementType positions_type(const Call& call) const;

  double visits(const Call& call) const;

  bool is_worth_threads(const Call& call) const;

  /// How threads share the work if no schedule says so.
  compiler::Circumstances::Sharing sharing(const Call& call) const;

  std::optional<compiler::Circumstances> circumstances(const Call& call) const;

  /// Where the result has the pattern of an operand, its positions are no larger.
  void narrow_shared_positions(lower::ArrayTypes& types, const Call& call) const;

  MemberKey key(lower::Mode mode, const Call& call) const;

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
    for (const AnyTensor* operand : call.operands) stored += static_cast<double>(operand->stored()) * (size_in_bytes(result().type()) + 8);
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
    if (!executable) executable = on_large_stack([&] { return compiler::make_executable(function(key), options); });
    return *executable;
  }

  /// False if the code asked for more memory than the limit, or the result's format has no place for a component that is not its fill.
  bool execute(lower::Mode mode, const Call& call, ir::TensorView& result_view, compiler::MemoryLimit limit = {}) {
    MemberKey chosen = key(mode, call);
    const compiler::Executable& executable = member(chosen);
    std::vector<ir::TensorView> views = {result_view};
    for (const AnyTensor* operand : call.operands) views.push_back(compiler::view(*operand));
    ir::Status status = executable.run(views, limit);
    if (limit.exceeded || status == ir::Status::DoesNotFit) return false;
    if (status == ir::Status::PatternMismatch && share_patterns) return with_own_pattern().execute(mode, call, result_view, limit);
    if (status == ir::Status::PatternMismatch) throw pattern_mismatch();
    if (status != ir::Status::Ok) throw compiler::out_of_memory(activity(call), planned(chosen, pipeline_options(chosen)), limit.refused);
    result_view = views[0];
    return true;
  }

  /// Takes over the arrays a kernel made.
  AnyTensor adopt(const Call& call, const ir::TensorView& made, bool has_values) const {
    std::vector<std::vector<Array>> levels;
    std::vector<Array> all;  // taken over before anything can go wrong
    all.reserve(made.arrays.size());
    for (const ir::ArrayView& array : made.arrays) all.push_back(compiler::take(array));
    size_t number = 0;
    for (const Level& level : result().format().levels()) {
      levels.emplace_back();
      for (const level::ArrayDescription& description : level.format->arrays()) {
        Array taken = std::move(all[number++]);
        bool positions = description.holds == level::ArrayDescription::Holds::Positions;
        bool narrow = positions && taken.type() == ElementType::Int64 && taken.count() > 0 && index_type_for(taken.index_at(taken.count() - 1)) == ElementType::Int32;
        if (narrow) taken = taken.converted(ElementType::Int32);
        levels.back().push_back(std::move(taken));
      }
    }
    Array values;
    if (has_values) values = std::move(all[number]);
    AnyTensor tensor = AnyTensor::from_kernel(call.result_dimensions, made_format(), std::move(levels), std::move(values), result().type(), result().fill());
    tensor.check_full(result().name());
    return tensor;
  }

  /// Must the size of the result be watched, because the format may have room for much more than its entries?
  bool is_watched(const Call& call) const {
    return !options.force && can_be_out_of_proportion(call.result_dimensions, made_format(), result().type());
  }

  AnyTensor run(const Call& call) {
    if (is_watched(call)) return run_watched(call);
    ir::TensorView made = empty_result(call);
    return execute(lower::Mode::Grow, call, made) ? finished(adopt(call, made, true)) : run_sparse(call);
  }

  /// The result is first made in a sparse format: packing that into the declared one says what is in the way, if anything is.
  AnyTensor run_sparse(const Call& call) {
    return in_sparse_format().run(call).converted(statement.lhs.tensor.format(), result().name(), options.force);
  }

  AnyTensor finished(AnyTensor made) const {
    if (!program.made) return made;  // moved: a conditional expression would copy every array
    return made.converted(statement.lhs.tensor.format(), result().name(), options.force);
  }

  /// As `run`, as long as the result is in proportion to the operands.  If it is not, it is first made in a sparse format, which
  /// shows how many entries it has; to pack them is then refused, with the size, or in proportion after all.
  AnyTensor run_watched(const Call& call) {
    std::int64_t entries = 0;
    for (const AnyTensor* operand : call.operands) entries += operand->stored();
    double most = proportionate_bytes(result().type(), static_cast<int>(call.result_dimensions.size()), entries);
    // Arrays grow by doubling, so those that stay in proportion ask for less than twice as much.
    compiler::MemoryLimit limit{static_cast<std::int64_t>(std::min(2 * most, 0x1p62))};
    ir::TensorView made = empty_result(call);
    bool is_done = options.target != compiler::Target::Interpret && execute(lower::Mode::Grow, call, made, limit);
    if (is_done) {
      AnyTensor result = adopt(call, made, true);
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

  /// A part of the result changes and the rest stays: the statements that make a new result so.
  const Program& part_update() {
    std::lock_guard lock(mutex);
    if (!part_program) {
      ProgramOptions how;
      static_cast<KernelOptions&>(how) = options;
      part_program = std::make_unique<const Program>(Program::compile({declared}, how));
    }
    return *part_program;
  }

  /// The values of `from` into `to`, which must have the same index.
  void copy_values(const AnyTensor& from, AnyTensor& to) const {
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
  std::unique_ptr<const Program> part_program;
  std::map<std::string, Copy> copies;  // by operand
};

}  // namespace filigree
