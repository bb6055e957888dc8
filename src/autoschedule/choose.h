// Which candidate of a frontier to run for inputs of known sizes: the one with the fewest tasks, copies of operands
// included, as far as can be told.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "autoschedule/frontier.h"
#include "autoschedule/walks.h"

namespace filigree::autoschedule {

/// What is known of the inputs.
struct InputSizes {
  std::map<std::string, double> extents;  // by index variable
  std::map<std::string, double> stored;   // components, by tensor
  std::shared_ptr<const Walks> walks = {};  // through the inputs, if they are there
};

/// How many tasks a query has: what walks tell, or else as many as there are if every component is as likely to be
/// stored as any other of its tensor.  For each coordinate of the head, what hangs together outside of it is there then
/// with probability 1 - exp(-expected number).
/// Requires: sizes of all indices of the universe, and of its tensors.
double estimate(const Query& query, const Universe& universe, const InputSizes& sizes);
double estimate(const TaskSet& tasks, const Universe& universe, const InputSizes& sizes);

/// What makes one of several candidates of equal cost dearer than another, first difference first.
struct Burden {
  double copied = 0;        // components of operands that are copied before loops begin
  int workspace_modes = 0;  // dimensions of temporaries
  int temporaries = 0;
  int inserted = 0;  // dimensions that are written in any order
  auto operator<=>(const Burden&) const = default;
};
/// Nothing if the candidate cannot be realized.
std::optional<Burden> burden(const Stmt& candidate, const Problem& problem, const InputSizes& sizes);

struct Choice {
  std::vector<double> tasks;  // by class of the frontier: estimated
  size_t best = 0;            // the class of the candidate
  Stmt candidate;             // that takes the fewest tasks, those for copies included
  Burden burden;
};

/// Nothing if no candidate can be realized.  Looks at no more than `most` members of a class.
std::optional<Choice> choose(const Frontier& frontier, const Problem& problem, const InputSizes& sizes,
                             size_t most = 1000);

}  // namespace filigree::autoschedule
