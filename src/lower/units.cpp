// Loops for the units of a GPU: what lower/launch.h has to know about them.
#include <algorithm>

#include "concrete/parts.h"
#include "concrete/derivations.h"
#include "lower/lowerer.h"
#include "support/check.h"

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

std::int64_t rounded_up(std::int64_t points, std::int64_t size) { return (points + size - 1) / size; }

}  // namespace

/// A piece has only so many points, and only so many smaller pieces.
std::optional<std::int64_t> Lowerer::most_iterations(const IndexVar& var, const Scope& scope) const {
  std::optional<std::int64_t> most;
  auto note = [&](std::int64_t bound) { most = std::min(most.value_or(bound), bound); };
  const PieceLoop* own = cut_by(var);
  const concrete::FlatLoop* flat = flat_loop(var);
  if (own && own->given == PieceLoop::Given::Count) note(own->amount);
  for (const Piece& piece : scope.pieces) {
    const PieceLoop& cut = *piece.cut;
    if (cut.by_number) return std::nullopt;  // only together with others does it tell which points there are
    if (cut.given != PieceLoop::Given::Size) continue;
    if (own && own->given == PieceLoop::Given::Size && concrete::is_same_numbering(cut, *own))
      note(rounded_up(cut.amount, own->amount));
    bool is_flat = flat && cut.loops == flat->loops && cut.positions == flat->positions;
    if (cut.loops.back() == var || is_flat) note(cut.amount);
  }
  return most;
}

ir::LoopKind Lowerer::note_unit(const Running& how, const Scope& scope, const ir::Var& loop, bool is_within_piece) {
  const concrete::LoopTag& tag = how.tag;
  bool combines = tag.races == Races::Temporary || tag.races == Races::Atomics;
  UnitLoop unit{loop,     most_iterations(how.var, scope), is_within_piece, {},
                combines, how.var.name(),                  tag.parallel_by};
  for (const plan::SharedResult& shared : how.shared) {
    bool by_lanes = tag.races == Races::Temporary && *tag.gpu == GpuUnit::Thread && shared.op;
    if (by_lanes) unit.reduced.push_back({values(shared.tensor), *shared.op});
  }
  units_.push_back(unit);
  return kind_of(*tag.gpu);
}

ir::For Lowerer::of_unit(const Running& how, const Scope& scope, ir::For loop, bool is_within_piece) {
  loop.loop = note_unit(how, scope, loop.var, is_within_piece);
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
  if (*forall.tag.gpu == GpuUnit::Thread) inside.own_workspaces = workspace_order_.size();
  for (Result* r : results_of(forall)) {
    if (updates_at_once(stmt, r->tensor()))
      inside.values.insert({r->tensor(), r->values_in(scope)}).first->second.atomic = true;
  }
  return lower_loop(stmt, inside);
}

}  // namespace filigree::lowering
