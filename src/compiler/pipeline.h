// All stages from a statement to C text, in one readable list.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "compiler/default_schedule.h"
#include "concrete/concrete.h"
#include "concrete/workspace.h"
#include "emit/emit_c.h"
#include "ir/ir.h"
#include "lower/lower.h"
#include "notation/notation.h"
#include "plan/plan.h"
#include "schedule/schedule.h"

namespace filigree::compiler {

/// What a stage did: told to an observer when the stage is through and verified.
struct StageReport {
  /// "notation", "concrete", "schedule", "assemble", "tables", "lattice", "plan", "lower", then those of
  /// passes::stages(), "c"
  std::string stage;
  std::string text;  // its result as printed by --print
  double milliseconds;
  size_t step = 0;  // of a program with several kernels, counted from 0
};
using Observer = std::function<void(const StageReport&)>;

/// Loops that somebody else made for a statement, which is a plain assignment; none: concretize() makes them.
using MakeLoops = std::function<std::optional<concrete::Program>(const notation::Statement&)>;

struct PipelineOptions {
  lowering::Mode mode = lowering::Mode::Grow;
  std::string function_name = "kernel";
  schedule::Schedule schedule = {};
  /// Without a schedule: what a default one depends on, if one is wanted.
  std::optional<Circumstances> circumstances = {};
  concrete::Tables tables = concrete::Tables::None;  // which temporaries are kept in them (concrete::with_tables)
  /// Widths of the tensors' arrays; by default Int32 everywhere (Int64 for a result's positions).
  std::vector<lowering::ArrayTypes> array_types = {};
  std::vector<concrete::Access> accesses = {};  // to tensors as they are declared, which plans tell (plan::Stored)
  bool parallel = false;                        // loops may run on several threads
  bool deterministic = false;                   // results have the same bits, however many there are
  bool share_patterns = true;  // a result may have the pattern of an operand (concrete/shared_pattern.h)
  const policy::Policy* policy = &policy::usual();  // what is cheaper, and when
  Observer observer = {};                           // may be empty
  MakeLoops make_loops = {};                        // may be empty
};

/// Statement -> loops and temporaries, results assemblable.
concrete::Program plan(const notation::Statement& statement, const PipelineOptions& options);

struct SharedPlan {
  concrete::Program program;
  std::map<std::string, std::string> old_values;  // what an operand is the old value of: u for u_old
};

/// Statements that read nothing of each other -> loops that they share, with a result for each; nothing if they share
/// none (concrete/share_loops.h).
std::optional<SharedPlan> plan_together(const std::vector<notation::Statement>& statements,
                                        const PipelineOptions& options);

/// Loops and temporaries -> plan -> one function of imperative IR, simplified.
ir::FunctionDef generate(const concrete::Program& program, const PipelineOptions& options);
ir::FunctionDef generate(const plan::Plan& plan, const PipelineOptions& options);

/// C is for processors: throws UserError if a loop is for a GPU.
void check_units(const concrete::Program& program);

/// Function -> C text.
std::string emit(const ir::FunctionDef& function, const emit::EmitOptions& options, const Observer& observer = nullptr);

}  // namespace filigree::compiler
