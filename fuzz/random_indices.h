// Random indices of accesses: diagonals, coordinates, sums, windows and lists among plain variables.
#pragma once

#include <random>

#include "fuzz/dice.h"
#include "fuzz/random_program.h"

namespace filigree::fuzz {

class RandomIndices {
 public:
  /// `percent` of the indices are more than a variable.
  RandomIndices(const std::string& pool, unsigned percent, std::mt19937_64& random)
      : pool_(pool), percent_(percent), dice_(random) {}

  /// Different variables unless one happens to come again.
  Indices of_operand(std::size_t order);
  /// Sums of variables and lists that repeat are rare: only `op=` can take them.
  Indices of_result(std::size_t order);

 private:
  Index form();
  Index list(bool repeats);

  std::string pool_;
  unsigned percent_;
  Dice dice_;
};

/// Some indices are read from tensors of integers or are remainders, some accesses wrap around; with such an index on
/// the left, the assignment fits it. Requires: extents are chosen.
void add_selections(Sketch& sketch, std::mt19937_64& random);

/// Indices that would be outside of their dimension are shifted or padded, and some others padded.
void keep_inside(Sketch& sketch, std::mt19937_64& random);

}  // namespace filigree::fuzz
