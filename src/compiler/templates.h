// Schedules that differ in constant factors alone: the order of loops, how threads share them, how operands that meet
// are gone through, lanes and tiles.  `filigree tune` tries them, stage by stage.
#pragma once

#include <string>
#include <vector>

#include "concrete/concrete.h"
#include "notation/notation.h"

namespace filigree::compiler {

/// One command or several of each stage are added to those of the stages before.  Not all of them need be possible.
struct Stage {
  std::string name;
  std::vector<std::string> commands;
};

/// `own`: the statement's own loops.
std::vector<Stage> schedule_stages(const concrete::Program& own);

}  // namespace filigree::compiler
