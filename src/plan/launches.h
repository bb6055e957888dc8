// Loops for units of a GPU: how many units the blocks of a launch have.
//
//   split(i, block, thread, 256), ...    blocks of 256 threads, as the schedule says
//   parallelize(i, gpu_thread, none)     blocks of as many threads as is usual (policy::Grids)
#pragma once

#include "plan/plan.h"

namespace filigree::plan {

/// In so many iterations or fewer a loop over `var` visits its part of the pieces around it; none: nobody knows.  A
/// piece has only so many points, and only so many smaller pieces.
std::optional<std::int64_t> most_iterations(const IndexVar& var, const std::vector<const concrete::PieceLoop*>& around,
                                            const concrete::Environment& environment);

/// The pieces that a loop is inside of, as they are entered from the outermost one on.
class PiecesAround {
 public:
  explicit PiecesAround(const concrete::Environment& environment) : environment_(&environment) {}
  /// Inside of a loop over pieces.
  void enter(const concrete::PieceLoop& cut);
  /// At a loop over `var` inside of loops over `bound`, which may say which points it visits.
  void enter_points(const IndexVar& var, const std::vector<IndexVar>& bound);
  std::optional<std::int64_t> most_iterations(const IndexVar& var) const {
    return plan::most_iterations(var, around_, *environment_);
  }

 private:
  const concrete::Environment* environment_;
  std::vector<const concrete::PieceLoop*> around_;
};

/// Do iterations of the loop, if threads share them, add to scalars from outside?  Only lanes of one warp know each
/// other's sums.  `lattice`: null for a loop over pieces.
bool sums_scalars(const concrete::Forall& forall, const lattice::Lattice* lattice, const concrete::Program& program);

/// What is known of the loops of one nest, and how they are launched with that.
class LaunchSizes {
 public:
  explicit LaunchSizes(const policy::Grids& usual) : usual_(usual) {}
  /// `most`: how many iterations there are in a block, if that is known.
  void note(concrete::GpuUnit unit, const std::optional<std::int64_t>& most, bool sums_scalars);
  Launch launch() const;

 private:
  policy::Grids usual_;
  bool has_warps_ = false, sums_ = false;
  std::int64_t warps_ = 1, threads_ = 1;
};

/// How a nest of loops for units is launched; on its outermost loop.
const std::optional<Launch>& launch_of(const Stmt& loop);
/// What is wrong with the launch of the nest, or nothing.
std::optional<std::string> problem_of_launch(const Stmt& outermost, const Launch& launch,
                                             const concrete::Program& program);

}  // namespace filigree::plan
