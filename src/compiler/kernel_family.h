// The kernels of one statement: one plan for every mode, width and circumstance that a call asks for.
#pragma once

#include <algorithm>
#include <limits>
#include <mutex>
#include <set>

#include <fmt/format.h>

#include "compiler/check_operand.h"
#include "compiler/choose_way.h"
#include "compiler/expected_visits.h"
#include "compiler/kernel.h"
#include "compiler/memory_error.h"
#include "compiler/program.h"
#include "compiler/selections.h"
#include "compiler/views.h"
#include "concrete/derivations.h"
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

struct Kernel::Family {
  /// A member of the family.
  struct MemberKey {
    lowering::Mode mode;
    concrete::Tables tables;
    bool parallel;
    std::optional<compiler::Circumstances> circumstances;  // of a default schedule
    std::vector<lowering::ArrayTypes> types;
    auto operator<=>(const MemberKey&) const = default;
  };

  /// Everything about one call that follows from its operands.
  struct Call {
    std::vector<const AnyTensor*> operands;                // in the program's order
    std::vector<std::shared_ptr<const AnyTensor>> copies;  // those of them that were copied into another format
    std::map<IndexVar, std::int64_t> extents;
    std::vector<std::int64_t> result_dimensions;
    const AnyTensor* given = nullptr;  // the result, if its pattern is there
  };

  Family(const notation::Statement& s, const KernelOptions& o, bool share = true);

  /// A kernel that copies an operand into the format that the schedule asks for.
  void add_copy(const TensorVar& from, const TensorVar& to);

  compiler::PipelineOptions plan_options(concrete::Tables tables) const;

  const TensorVar& result() const { return program.results[0]; }
  /// The format of the tensor that code makes: the declared one, unless that has to be packed from another.
  const Format& made_format() const { return program.made ? *program.made : statement.lhs.tensor.format(); }
  bool has_all_modes() const {
    return !program.made && concrete::has_all_modes(program.results[0].format()) && !pattern_depends_on_values();
  }
  bool pattern_depends_on_values() const;
  /// In the order in which the statement reads them.
  const std::vector<TensorVar>& declared_operands() const { return operands; }

  Call prepare(const Arguments& arguments, const Extents& given) const;
  /// All sizes of a call whose operands are known, checked.
  void find_sizes(Call& call, const Arguments& arguments, const Extents& given) const;
  /// Do sizes follow from the dimensions of operands alone?
  bool has_plain_sizes() const;
  /// The operand whose values a selection holds.
  const AnyTensor& source_of(const TensorVar& selection, const Arguments& arguments) const;
  /// Extents that no operand has are the result's.
  Extents extents_of(const AnyTensor& result) const;
  /// With the sizes with which this result was made.
  Call prepare_again(const AnyTensor& result, const Arguments& operands) const;
  /// A call that writes into a tensor which is there.
  Call prepare_given(const AnyTensor& result, const Arguments& operands) const;
  /// What the schedule says about sizes, which code relies on.
  void check_bounds(const Call& call) const;
  void check_points(const Call& call) const;
  void check_known(const Arguments& arguments) const;
  std::map<IndexVar, std::int64_t> by_variable(const Extents& given) const;
  /// Of the result; negative where they are not given.
  std::vector<std::int64_t> given_dimensions(const Extents& given) const;
  /// Which temporaries need tables: all if arrays over their extents would be out of proportion, full ones if nothing
  /// may be reduced into them.
  concrete::Tables tables_for(const Call& call) const;
  bool can_plan(concrete::Tables tables) const;

  /// A copy has no more nodes than what is copied.  Otherwise positions are made 64 bits wide and narrowed afterwards.
  ElementType positions_type(const Call& call) const;

  double visits(const Call& call) const;

  bool is_worth_threads(const Call& call) const;

  /// What the call has for an operand of the program; null if that is a copy or a temporary.
  const AnyTensor* operand_of(const TensorVar& operand, const Call& call) const;

  /// How threads share the work if no schedule says so.
  compiler::Circumstances::Sharing sharing(const Call& call) const;

  std::optional<compiler::Circumstances> circumstances(const Call& call) const;

  autoschedule::KnownInputs known_inputs(const Call& call) const;
  /// The statements that do the same for operands of these sizes with less work; null: the family's own loops.
  const Program* way(const Call& call);
  std::unique_ptr<const Program> find_way(const autoschedule::KnownInputs& inputs) const;
  std::unique_ptr<const Program> program_of(const compiler::Way& way) const;
  /// The result, if another way is taken.
  std::optional<AnyTensor> run_way(const Call& call);

  /// Where the result has the pattern of an operand, its positions are no larger.
  void narrow_shared_positions(lowering::ArrayTypes& types, const Call& call) const;

  MemberKey key(lowering::Mode mode, const Call& call) const;

  /// What is done, for messages.
  std::string activity(const Call& call) const;

  /// What `action` makes of the result; where memory runs out outside of kernels, the error names it.
  template <class Action>
  auto naming(const Call& call, const Action& action) const {
    double all = size_in_bytes(result().type());
    for (std::int64_t extent : call.result_dimensions) all *= static_cast<double>(extent);
    double stored = 0;  // a guess: no more than the operands have
    for (const AnyTensor* operand : call.operands)
      stored += static_cast<double>(operand->stored()) * (size_in_bytes(result().type()) + 8);
    return naming_memory(activity(call), std::min(all, stored), action);
  }

  compiler::PipelineOptions pipeline_options(const MemberKey& key, const std::string& name = "kernel") const;

  ir::FunctionDef function(const MemberKey& key, const std::string& name = "kernel") const;

  /// That of a call with these operands; without any, of one with large operands whose index arrays are int32.
  ir::FunctionDef lowered(lowering::Mode mode, const std::string& name, const Arguments& operands,
                          const Extents& extents) const;

  concrete::Program planned(const MemberKey& key, const compiler::PipelineOptions& how) const;

  /// What `op=` combines old values and new ones with, if the statement tells new ones without the old.
  std::optional<Operator> update_operator() const;

  /// The loops that update a result where it is, if they can.
  std::optional<concrete::Program> plan_in_place() const;

  const compiler::Executable& member(const MemberKey& key);
  const compiler::Executable& member_for(lowering::Mode mode, const Call& call);

  /// Throws UserError about a race that the schedule ignores.
  ir::Status run_member(const compiler::Executable& executable, std::vector<ir::TensorView>& views,
                        compiler::MemoryLimit& limit) const;

  /// False if the code asked for more memory than the limit, or the result's format has no place for a component that
  /// is not its fill.
  bool execute(lowering::Mode mode, const Call& call, ir::TensorView& result_view, compiler::MemoryLimit limit = {});

  /// Takes over the arrays a kernel made.
  AnyTensor adopt(const Call& call, const ir::TensorView& made, bool has_values) const;

  /// Must the size of the result be watched, because the format may have room for much more than its entries?
  bool is_watched(const Call& call) const;

  AnyTensor run(const Call& call);

  /// The result is first made in a sparse format: packing that into the declared one says what is in the way, if
  /// anything is.
  AnyTensor run_sparse(const Call& call);

  AnyTensor finished(AnyTensor made) const;

  /// As `run`, as long as the result is in proportion to the operands.  If it is not, it is first made in a sparse
  /// format, which shows how many entries it has; to pack them is then refused, with the size, or in proportion after
  /// all.
  AnyTensor run_watched(const Call& call);

  /// The same statement with a result that stores nothing but its entries.
  Family& in_sparse_format();

  /// The same statement where the result's pattern is not an operand's, because nodes of that have nothing below them.
  Family& with_own_pattern();

  /// The schedule is kept unless it divides positions of the operand, which are not those of the result then.
  std::unique_ptr<Family> plan_own_pattern() const;

  /// The family for these arguments: where an old value of the result is given, `op=` starts from it.
  Family& for_arguments(const Arguments& arguments);

  /// A part of the result changes and the rest stays: the statements that make a new result so.
  const Program& part_update();

  /// The values of `from` into `to`, which must have the same index.
  void copy_values(const AnyTensor& from, AnyTensor& to) const;

  UserError pattern_mismatch() const;

  ir::TensorView empty_result(const Call& call) const;

  struct Copy {
    TensorVar from;
    Kernel kernel;
  };

  /// What followed from the last call, as the next one often has the same sizes.
  struct Remembered {
    std::vector<std::int64_t> dimensions;  // of all operands
    Extents given;
    std::map<IndexVar, std::int64_t> extents;
    std::vector<std::int64_t> result_dimensions;
  };
  struct RememberedWay {
    std::vector<std::int64_t> likeness;  // sizes of all operands, and where those are that have gaps
    const Program* program;              // null: its own loops
  };
  struct RememberedMember {
    std::vector<std::int64_t> sizes;  // and types, and the mode
    const compiler::Executable* executable;
  };

  notation::Statement declared;
  schedule::Reformatted reformatted;
  notation::Statement written;    // with operands in the formats that the schedule asks for
  notation::Statement statement;  // the same as a plain assignment
  KernelOptions options;
  bool share_patterns;
  concrete::Program program;
  compiler::ExpectedVisits expected_visits;
  std::map<std::string, std::string>
      written_names;  // of index variables without a name: what they have been called, and what they are called here
  std::vector<TensorVar> operands;         // in the order in which the statement reads them
  std::vector<std::string> operand_names;  // the same
  std::vector<std::string> result_dimension_names;
  std::optional<concrete::Program> in_place;  // loops that update a result where it is, if they can
  mutable std::mutex remembering;             // for what is remembered
  mutable std::shared_ptr<const Remembered> remembered;
  std::shared_ptr<const RememberedMember> remembered_member;
  std::mutex mutex;
  std::map<MemberKey, std::unique_ptr<const compiler::Executable>> members;
  std::unique_ptr<Family> sparse_family, updating_family, unshared_family;
  std::unique_ptr<const Program> part_program;
  bool has_ways;                                               // may calls be run in another way?
  std::map<std::string, std::unique_ptr<const Program>> ways;  // by powers of two of sizes
  std::optional<RememberedWay> remembered_way;                 // of the last call
  std::map<std::string, Copy> copies;                          // by operand
};

}  // namespace filigree
