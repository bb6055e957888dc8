// Loops for units of a GPU, when all commands are applied.
//
// Requires:
// 1. loops for blocks are outside of those for warps, and these outside of those for threads.
// 2. results have a place for every component, or the pattern of an operand: threads of a GPU do not wait for each
// other.
// 3. of each component, one iteration of each loop writes it; unless the loop says what becomes of the others, or
// another one of the
//    nest updates at once: then all do.
#include <algorithm>

#include <fmt/format.h>

#include "concrete/meeting.h"
#include "concrete/shared_pattern.h"
#include "concrete/visits.h"
#include "schedule/commands.h"

namespace filigree::schedule {
namespace {

using concrete::Assign;
using concrete::Forall;
using concrete::GpuUnit;
using concrete::Races;
using concrete::Stmt;

[[noreturn]] void fail(UserError error, const Forall& loop, const Nest& nest, const std::vector<IndexVar>& marked) {
  nest.fail(std::move(error), {loop.tag.parallel_by.source, loop.tag.parallel_by.span}, loop.tag.parallel_by.span,
            marked);
}

void check_nesting(const Forall& outer, const Nest& nest) {
  concrete::for_each(outer.body, [&](const Stmt& stmt) {
    const Forall* inner = stmt.as<Forall>();
    if (!inner || !inner->tag.gpu || *inner->tag.gpu > *outer.tag.gpu) return;
    const char* what = *inner->tag.gpu == GpuUnit::Block ? "blocks" : "warps";
    const char* around = *outer.tag.gpu == GpuUnit::Warp ? "warps" : "threads";
    fail(UserError(fmt::format("The loop over '{}' is for {}, and inside of '{}', which is for {}", inner->var.name(),
                               what, outer.var.name(), around))
             .hint("reorder the loops: blocks are outside of warps, and these outside of threads"),
         *inner, nest, {inner->var, outer.var});
  });
}

/// Those around the assignment, or inside of what is around it: the whole nest.
bool some_unit_updates_at_once(const Nest& nest) {
  std::vector<Forall> loops = concrete::tagged_loops(nest.program().statement);
  return std::any_of(loops.begin(), loops.end(),
                     [](const Forall& loop) { return loop.tag.gpu && loop.tag.races == Races::Atomics; });
}

void check_write(const Assign& assign, const Forall& loop, const Nest& nest) {
  const concrete::Program& program = nest.program();
  const TensorVar& tensor = assign.lhs.tensor;
  std::string result = notation::to_string(assign.lhs);
  if (!is_array(tensor) && !concrete::shared_pattern(program, tensor)) {
    fail(UserError(
             fmt::format("'{}' is stored as {}, and threads of a GPU fill only what has a place for every component",
                         tensor.name(), to_string(tensor.format())))
             .hint("store the result dense, or use cpu as the unit"),
         loop, nest, {loop.var});
  }
  bool apart = concrete::writes_apart(loop, assign, program.environment);
  if (apart || loop.tag.races == Races::Ignore) return;
  bool at_once = loop.tag.races == Races::Atomics || some_unit_updates_at_once(nest);
  if (loop.tag.races == Races::None && !at_once) {
    UserError error(
        fmt::format("Several iterations of '{}' write the same component of '{}'", loop.var.name(), result));
    if (std::optional<std::string> met = concrete::meeting(loop.var, assign, program)) std::move(error).note(*met);
    fail(std::move(error).hint(
             "give a strategy for that: atomics, or temporary; or parallelize a loop over an index of the result"),
         loop, nest, {loop.var});
  }
  if (!assign.op || !facts(*assign.op).associative || !facts(*assign.op).commutative ||
      !identity(*assign.op, tensor.type())) {
    fail(UserError(fmt::format("'{}' is not accumulated by an operator that can be taken up anywhere", result))
             .hint("parallelize a loop over an index of the result"),
         loop, nest, {loop.var});
  }
  if (is_complex(tensor.type())) {
    fail(UserError("Complex numbers cannot be updated at once").hint("parallelize a loop over an index of the result"),
         loop, nest, {loop.var});
  }
}

}  // namespace

void check_gpu_loops(const Nest& nest) {
  for (const Forall& loop : concrete::tagged_loops(nest.program().statement)) {
    if (!loop.tag.gpu) continue;
    check_nesting(loop, nest);
    for_each_result(loop.var, nest.program(),
                    [&](const Forall& around, const Assign& assign) { check_write(assign, around, nest); });
  }
}

}  // namespace filigree::schedule
