// Which orders of loops the paper on sparse iteration spaces calls legal.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "concrete/concrete.h"
#include "level/level_format.h"

namespace filigree::differential {

/// Loops over levels that cannot be located come inside of those over the levels above them.
/// `comes_from(name, var)`: is the loop over `name` one over `var`, or over a part of it?
template <class ComesFrom>
bool keeps_levels_in_order(const std::vector<std::string>& order, const notation::Statement& statement,
                           const ComesFrom& comes_from) {
  for (const notation::Access& access : notation::accesses(statement.rhs)) {
    std::vector<IndexVar> vars = concrete::level_vars(access);
    for (size_t below = 1; below < vars.size(); below++) {
      if (level::is_always_found(*access.tensor.format().levels()[below].format)) continue;
      for (size_t above = 0; above < below; above++) {
        for (auto late = order.begin(); late != order.end(); ++late) {
          bool is_above = comes_from(*late, vars[above]) && !comes_from(*late, vars[below]);
          if (is_above && std::any_of(order.begin(), late,
                                      [&](const std::string& early) { return comes_from(early, vars[below]); }))
            return false;
        }
      }
    }
  }
  return true;
}

}  // namespace filigree::differential
