#include "plan/launches.h"

#include <algorithm>

#include <fmt/format.h>

#include "concrete/derivations.h"
#include "concrete/parts.h"
#include "support/gpu.h"

namespace filigree::plan {

using concrete::Forall;
using concrete::GpuUnit;
using concrete::PieceLoop;

namespace {

constexpr std::int64_t most_warps = most_threads_in_block / warp_size;

std::int64_t rounded_up(std::int64_t points, std::int64_t size) { return (points + size - 1) / size; }

template <class Loop>
const Loop* over(const IndexVar& var, const std::vector<Loop>& loops) {
  auto found = std::find_if(loops.begin(), loops.end(), [&](const Loop& loop) { return loop.var == var; });
  return found == loops.end() ? nullptr : &*found;
}

}  // namespace

std::optional<std::int64_t> most_iterations(const IndexVar& var, const std::vector<const PieceLoop*>& around,
                                            const concrete::Environment& environment) {
  std::optional<std::int64_t> most;
  auto note = [&](std::int64_t bound) { most = std::min(most.value_or(bound), bound); };
  const PieceLoop* own = over(var, environment.piece_loops);
  const concrete::FlatLoop* flat = over(var, environment.flat_loops);
  if (own && own->given == PieceLoop::Given::Count) note(own->amount);
  for (const PieceLoop* piece : around) {
    const PieceLoop& cut = *piece;
    if (cut.by_number) return std::nullopt;  // only together with others does it tell which points there are
    if (cut.given != PieceLoop::Given::Size) continue;
    if (own && own->given == PieceLoop::Given::Size && concrete::is_same_numbering(cut, *own))
      note(rounded_up(cut.amount, own->amount));
    bool is_flat = flat && cut.loops == flat->loops && cut.positions == flat->positions;
    if (cut.loops.back() == var || is_flat) note(cut.amount);
  }
  return most;
}

void PiecesAround::enter(const PieceLoop& cut) {
  if (cut.by_number) return;  // which points these are, the loop that visits them knows
  for (const PieceLoop& one : environment_->piece_loops) {
    if (one.var == cut.var) around_.push_back(&one);  // other variables may run through the same points
  }
}

void PiecesAround::enter_points(const IndexVar& var, const std::vector<IndexVar>& bound) {
  for (const concrete::PointParts& parts : concrete::all_parts(*environment_)) {
    const PieceLoop& numbering = parts.numbering;
    if (!numbering.by_number || numbering.loops.front() != var) continue;
    bool are_bound = true;
    for (size_t n = 0; n < parts.parts.size(); n++)
      are_bound = are_bound && (n == parts.visiting || contains(bound, parts.parts[n].loops.front()));
    if (are_bound) around_.push_back(over(numbering.var, environment_->piece_loops));
  }
}

bool sums_scalars(const Forall& forall, const lattice::Lattice* lattice, const concrete::Program& program) {
  if (lattice && lattice->skipped) return true;  // it counts what it visits
  std::vector<TensorVar> changed = concrete::targets(forall.body);
  return std::any_of(changed.begin(), changed.end(), [&](const TensorVar& tensor) {
    const std::vector<TensorVar>& results = program.results;
    return tensor.order() == 0 && std::find(results.begin(), results.end(), tensor) == results.end();
  });
}

void LaunchSizes::note(GpuUnit unit, const std::optional<std::int64_t>& most, bool sums_scalars) {
  if (unit == GpuUnit::Warp) {
    warps_ = std::max(warps_, most.value_or(usual_.warps));
    has_warps_ = true;
  }
  if (unit == GpuUnit::Thread) {
    threads_ = std::max(threads_, most.value_or(usual_.threads));
    sums_ = sums_ || sums_scalars;
  }
}

Launch LaunchSizes::launch() const {
  if (has_warps_) return {true, std::min(warps_, most_warps)};
  return {false, std::min<std::int64_t>(threads_, sums_ ? warp_size : most_threads_in_block)};
}

std::optional<std::string> problem_of_launch(const Stmt& outermost, const Launch& launch,
                                             const concrete::Program& program) {
  bool has_warps = false, sums = false;
  for_each(outermost, [&](const Stmt& stmt) {
    const Forall* loop = stmt.what().as<Forall>();
    if (!loop || !loop->tag.gpu) return;
    has_warps = has_warps || *loop->tag.gpu == GpuUnit::Warp;
    const Loop* points = stmt.as<Loop>();
    sums = sums ||
           (*loop->tag.gpu == GpuUnit::Thread && sums_scalars(*loop, points ? &points->lattice : nullptr, program));
  });
  const std::string& var = outermost.what().as<Forall>()->var.name();
  if (launch.in_warps != has_warps)
    return fmt::format("the loop over '{}' is launched in blocks of {}", var,
                       has_warps ? "threads, and has a loop for warps" : "warps, and has no loop for them");
  std::int64_t most = has_warps ? most_warps : sums ? warp_size : most_threads_in_block;
  if (launch.units < 1 || launch.units > most)
    return fmt::format("a block of the launch of '{}' has 1 to {} {}{}", var, most, has_warps ? "warps" : "threads",
                       sums && !has_warps ? ", which know each other's sums" : "");
  return std::nullopt;
}

const std::optional<Launch>& launch_of(const Stmt& loop) {
  const Pieces* pieces = loop.as<Pieces>();
  return pieces ? pieces->launch : loop.as<Loop>()->launch;
}

}  // namespace filigree::plan
