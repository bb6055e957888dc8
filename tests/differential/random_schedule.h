// Random schedules that a statement accepts.
#pragma once

#include <random>

#include "compiler/kernel.h"

namespace filigree::differential {

struct RandomSchedule {
  schedule::Schedule commands;
  int refused = 0;  // commands that were tried and not accepted
};

/// Up to `length` commands, each of which is accepted after those before it.  Throws what compiling throws that is no
/// UserError.
RandomSchedule random_schedule(const notation::Statement& statement, int length, std::mt19937& random);

}  // namespace filigree::differential
