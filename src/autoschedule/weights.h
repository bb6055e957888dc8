// What assignments and loops take, in nanoseconds of an ordinary processor: found by timing small kernels, one thread,
// with what they read in caches.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>

#include "concrete/concrete.h"

namespace filigree::autoschedule {

constexpr double step = 0.2;          // of a loop in which one operand steps
constexpr double begins_plain = 0.4;  // a loop over all coordinates
constexpr double begins_steps = 4;    // one whose end nobody can foresee
constexpr double merged = 2.2;        // a step of operands side by side, which nobody can foresee
constexpr double met = 1.3;           // the same where something is done only if all of them are there
constexpr double remembered = 1;      // of the one that steps alone, where the other is looked up in a map that is kept
constexpr double to_remember = 2.5;   // an entry of that one
constexpr double searched = 12;       // of the shorter one, where it is searched for in the other
constexpr double flagged = 1;         // a question whether something is there
constexpr double unforeseen = 10;     // a question with an answer that nobody can foresee

/// Where an assignment stands.
struct Place {
  std::optional<IndexVar> innermost = {};  // the loop right around it, inside of the where that it is part of
  int loops = 0;                           // so many are between it and that
  std::vector<IndexVar> around = {};       // all loops, the outermost first
};

struct Weight {
  double work = 0;       // each time it is run
  double questions = 1;  // it asks what it looks up so often, on average
};

/// What assignments of a program take, each time.
class Weights {
 public:
  Weights(const concrete::Program& program, const std::map<IndexVar, std::int64_t>& extents)
      : program_(program), extents_(extents) {}

  Weight operator()(const concrete::Assign& assign, const Place& place) const;
  /// A place for a component of a temporary: it is cleared, and fetched again.  So many places fit into caches; the
  /// memory of more has to be found by the system first.
  static double to_clear(double places) {
    constexpr double in_caches = 0x1p18, each = 0.1, each_far = 2;
    return each * std::min(places, in_caches) + each_far * std::max(0.0, places - in_caches);
  }
  /// The same where memory grows with what is stored.
  static constexpr double to_grow = 0.3;

 private:
  double jumps(const concrete::Access& access, const Place& place) const;
  double comes_again(const concrete::Access& access, const Place& place) const;
  double filling(const concrete::Assign& assign, const Place& place) const;
  static bool steps(const std::vector<concrete::Access>& all, const Place& place);
  bool has_lanes(const concrete::Assign& assign, const Place& place) const;
  double in_lanes(const concrete::Assign& assign, const IndexVar& innermost) const;
  bool is_temporary(const TensorVar& tensor) const;
  double extent(const IndexVar& var) const;

  const concrete::Program& program_;
  const std::map<IndexVar, std::int64_t>& extents_;
};

}  // namespace filigree::autoschedule
