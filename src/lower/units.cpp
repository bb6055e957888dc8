// Loops for the units of a GPU: what passes/offload.h has to know about them.
#include "lower/lowerer.h"
#include "plan/launches.h"
#include "support/check.h"
#include "support/gpu.h"

namespace filigree::lowering {
namespace {

using concrete::GpuUnit;
using concrete::PieceLoop;
using concrete::Races;

ir::LoopKind kind_of(GpuUnit unit) {
  return unit == GpuUnit::Block  ? ir::LoopKind::GpuBlock
         : unit == GpuUnit::Warp ? ir::LoopKind::GpuWarp
                                 : ir::LoopKind::GpuThread;
}

}  // namespace

ir::Units Lowerer::units_of(const Running& how, const Scope& scope, bool is_within_piece) const {
  const concrete::LoopTag& tag = how.tag;
  internal_check(scope.launch.has_value(), "lower", "a loop for units that is not launched", how.var.name());
  ir::Units units{kind_of(*tag.gpu), 1, false, {}, tag.races == Races::Temporary || tag.races == Races::Atomics,
                  how.var.name()};
  if (*tag.gpu == GpuUnit::Warp) units.count = scope.launch->units;
  if (*tag.gpu == GpuUnit::Thread) units.count = scope.launch->in_warps ? warp_size : scope.launch->units;
  std::vector<const PieceLoop*> around;
  for (const Piece& piece : scope.pieces) around.push_back(piece.cut);
  std::optional<std::int64_t> most = plan::most_iterations(how.var, around, program_.environment);
  units.one_each = is_within_piece && most && *most <= units.count;
  for (const plan::SharedResult& shared : how.shared) {
    bool by_lanes = tag.races == Races::Temporary && *tag.gpu == GpuUnit::Thread && shared.op;
    if (by_lanes) units.sums.push_back({values(shared.tensor), *shared.op});
  }
  return units;
}

ir::For Lowerer::of_unit(const Running& how, const Scope& scope, ir::For loop, bool is_within_piece) {
  loop.loop = ir::LoopKind::Serial;
  loop.units = std::make_shared<const ir::Units>(units_of(how, scope, is_within_piece));
  if (!scope.own_workspaces) return loop;
  auto [open, close] = take_memory_since(*scope.own_workspaces, maps_.size());
  return loop.with(loop.begin, loop.end, ir::block({open, loop.body, close}));
}

/// One loop whose updates are at once is enough: those around it share its components too.  Sums of several warps or
/// blocks are updates at once, after those of lanes.
bool Lowerer::updates_at_once(const plan::Stmt& units, const TensorVar& tensor) {
  bool races = false, at_once = false;
  plan::for_each(units, [&](const plan::Stmt& inner) {
    const concrete::Forall* unit = inner.what().as<concrete::Forall>();
    if (!unit || !unit->tag.gpu) return;
    bool shares = plan::shares(inner, tensor);
    races = races || shares;
    at_once = at_once || unit->tag.races == Races::Atomics ||
              (unit->tag.races == Races::Temporary && *unit->tag.gpu != GpuUnit::Thread && shares);
  });
  return races && at_once;
}

ir::Stmt Lowerer::lower_units(const plan::Stmt& stmt, const Scope& scope) {
  const concrete::Forall& forall = *stmt.what().as<concrete::Forall>();
  Scope inside = scope;
  if (const std::optional<plan::Launch>& launch = plan::launch_of(stmt)) inside.launch = launch;
  if (*forall.tag.gpu == GpuUnit::Thread) inside.own_workspaces = workspace_order_.size();
  for (Result* r : results_of(forall)) {
    if (updates_at_once(stmt, r->tensor()))
      inside.values.insert({r->tensor(), r->values_in(scope)}).first->second.atomic = true;
  }
  return lower_loop(stmt, inside);
}

}  // namespace filigree::lowering
