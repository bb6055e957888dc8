// Random schedules that a statement accepts.
#pragma once

#include <optional>
#include <random>
#include <string>
#include <vector>

#include "compiler/kernel.h"

namespace filigree::differential {

/// A command that published rules allow (published_rules.h), and what became of it.
struct LegalCommand {
  std::string name;
  std::optional<std::string> refused = {};  // why; names in it are left out
};

struct RandomSchedule {
  schedule::Schedule commands;
  int refused = 0;  // commands that were tried and not accepted
  std::vector<LegalCommand> legal;
};

/// Up to `length` commands, each of which is accepted after those before it.  Throws what compiling throws that is no
/// UserError.
RandomSchedule random_schedule(const notation::Statement& statement, int length, std::mt19937& random);

}  // namespace filigree::differential
