// How many tasks a query really has, told from random walks through the operands: where patterns have to do with each
// other, numbers of stored components do not tell.  A product of a matrix of friendships with itself meets that matrix
// in a third of its terms; with a random matrix of the same size, it would in one of a hundred.
//
// A walk takes a component of one atom at random, then one of the next atom that agrees with it, and so on; a result is
// worth as many as there were to take from at each step (wander join).  If a query says "there is one" of some
// variables, the results that agree in all others share the worth of one.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "autoschedule/tasks.h"
#include "tensor/any_tensor.h"

namespace filigree::autoschedule {

class Walks {
 public:
  /// Walks end when the sum is known well enough, or so much was looked at.
  struct Effort {
    double well_enough = 0.06;  // the sum's standard error, as a part of it
    int most_walks = 2048;
    std::int64_t most_looks = 300'000;  // at children of nodes
  };

  /// Operands by name, which must live as long as this does.  Those whose levels are not dimensions are left out.
  explicit Walks(const std::map<std::string, const AnyTensor*>& operands);

  /// Nothing if a query has no atoms, or one of another tensor, or the walks end too early to tell.  The same each time
  /// it is asked.  `extents`: by index variable.
  std::optional<double> count(const Query& query, const Universe& universe,
                              const std::map<std::string, double>& extents) const {
    return count(query, universe, extents, Effort());
  }
  std::optional<double> count(const Query& query, const Universe& universe,
                              const std::map<std::string, double>& extents, const Effort& effort) const;

 private:
  struct Child {
    std::int64_t coordinate, position;
  };
  struct Operand {
    const AnyTensor* tensor;
    std::vector<level::StoredLevel> levels;
    mutable std::vector<Child> roots = {};  // once they were listed
  };
  class Walker;

  std::map<std::string, Operand> operands_;
  mutable std::mutex mutex_;
  mutable std::map<std::string, std::optional<double>> known_;  // by what is asked
};

}  // namespace filigree::autoschedule
