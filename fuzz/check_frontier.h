// Loops that the autoscheduler finds worth having, for random programs: each must give the oracle's result.
#pragma once

#include <optional>

#include "fuzz/check_program.h"
#include "fuzz/random_program.h"

namespace filigree::fuzz {

/// A sketch of one plain statement with two to four operands that has a frontier of moderate size: the first of those
/// that follow from the seed; nothing if none of many has one.
std::optional<Sketch> frontier_sketch(std::uint64_t seed);

struct FrontierCheck {
  std::optional<std::string> wrong = {};
  size_t programs = 0;  // that were run
};

/// Runs members of the frontier, at most `most` different programs: the first one of each cost, then the second one of
/// each, and so on.  `expected` is what the result must be.
FrontierCheck check_frontier(const Kernel& kernel, const Arguments& arguments, const Extents& extents,
                             const reference::Box& expected, size_t most);

}  // namespace filigree::fuzz
