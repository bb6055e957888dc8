// A frontier as text for people and as JSON for programs.
#pragma once

#include <string>

#include "autoschedule/choose.h"

namespace filigree::autoschedule {

/// A string of JSON.
std::string quoted(const std::string& text);

/// One object: the statement, how many candidates there are, and the classes of the frontier with their costs, their
/// candidates, and, where there is a choice, the tasks that are estimated and the candidate that is chosen.  `more` is
/// what comes behind that.
std::string to_json(const Frontier& frontier, const Problem& problem, const std::optional<Choice>& choice,
                    const std::string& more = "");

/// Lines: a cost, how many tasks that may be, and one candidate of each class; what is chosen, and why.
std::string describe(const Frontier& frontier, const Problem& problem, const std::optional<Choice>& choice);

}  // namespace filigree::autoschedule
