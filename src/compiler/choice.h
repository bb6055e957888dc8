// What a kernel runs for given operands, and why: all ways with their costs, and what was measured of them.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "compiler/way_program.h"

namespace filigree::compiler {

struct Choice {
  Ways ways;                                 // as they are estimated now
  Way taken;                                 // without statements: the kernel's own loops
  std::string reason;                        // as a sentence
  std::map<std::string, double> measured_ms; // by text_of(way), where `filigree tune` ran it

  bool takes(const Way& way) const;
  std::optional<double> measured(const Way& way) const;
};

Choice choice_of(const Kernel& kernel, const Arguments& operands, const WayOptions& options = {});

/// What gives the way when it is written as an expression with options: a schedule; or statements, with the formats of
/// temporaries.  Empty for a candidate, which no schedule leads to.
std::string command_of(const Way& way);

/// The tasks of each statement's loops, in notation: "{[i,j] | B(i,j)} + {[i]}"; empty where that is not known.
std::vector<std::string> tasks_of(const Way& way, const notation::Statement& statement,
                                  autoschedule::KnownInputs inputs);

}  // namespace filigree::compiler
