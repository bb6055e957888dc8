// Contenders run in turns, so that what disturbs the machine disturbs all of them.
#pragma once

#include "race.h"

namespace suite {

struct Times {
  double least = 0, median = 0, spread = 0;  // ms; the spread is from the first to the third quartile, over the median
  int runs = 0;
  bool agrees = true;
};

/// For each contender in turn: a run that is not timed, and then a few that are, until `seconds` are over.
/// `of_processor`: what counts is the time that the processor spends on it, which others on the machine disturb less;
/// only for one thread.
std::vector<Times> measure(const Race& race, double seconds, bool of_processor);
/// GB/s of a = b + s * c over arrays that no cache holds: what loops over memory are compared with.
double stream_bandwidth(int threads);

}  // namespace suite
