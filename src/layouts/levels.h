// A layout as levels of a format, one for each dimension: what is looked up by a coordinate, what is walked, and what
// is tested; in terms of the relation, for whoever makes code of it (layouts/relation_level.h).
//
//   bcsr8u, rows and then columns
//     i: pi = i/8, pr = i%8                                       position 8*pi + pr
//     j: walk pb from pos(pi) to pos(pi + 1), pc from 0 to 8      coordinate start(pb) + pc, position that of the value
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "layouts/facts.h"
#include "layouts/solve.h"
#include "level/level_format.h"

namespace filigree::layouts {

/// A variable that is walked: from the largest of `lower` to before the smallest of `upper`.
struct Walked {
  std::string variable;
  std::vector<Expr> lower, upper;
  std::int64_t extent = 0;  // of all but the first: from 0 to this number
};

struct LevelPlan {
  int dimension = 0;
  /// Variables that follow from the coordinate of this level (by its logical name) and from variables above.
  std::vector<Solution> located;
  std::vector<Walked> walked;         // if any, or if the coordinate follows from above: no lookup
  bool follows = false;               // the coordinate follows from variables above: one node, or none
  Expr coordinate = Expr::number(0);  // of what is walked or follows
  std::vector<Formula> tests;         // decided here: without them, what the coordinate says means nothing
  std::vector<Formula> inside;        // whether the coordinate is within the dimension, where that is not certain
  /// Of a located level: what a test says of the coordinate alone, in terms of variables and coordinates above.
  /// Between its limits the test holds.
  struct Limits {
    size_t test;  // its number
    std::optional<Expr> first, end;
  };
  std::vector<Limits> limits;
  /// What the position stands for: variables, or of the last level the element of the values.
  std::vector<std::string> kept;
  std::vector<Expr> radix;  // how many values each has, from 0 on; sizes alone
  /// The first level, at which every coordinate is found: its positions are the coordinates.
  bool is_numbered = false;
  level::Properties properties = {};
  bool searchable = false;  // the coordinate is an array's element at the variable that is walked
  bool is_located() const { return walked.empty() && !follows; }
};

struct Levels {
  std::vector<LevelPlan> levels;
  Expr value = Expr::number(0);  // the element
  std::vector<Expr> natural;     // what is divided there and is never negative, by proof
};

/// The levels for dimensions in this order; or why there are none, in a sentence without a period.  What is proven of
/// their coordinates are their properties.  Requires: one term.
std::optional<Levels> plan_levels(const Layout& layout, const std::vector<int>& dimensions, const Prover& prover,
                                  std::string& reason);

}  // namespace filigree::layouts
