// What iterations of a thread loop add up, each thread for itself and then lane by lane.
//
//   thread for j = begin .. end {          var y_sum = 0
//     y[i] = y[i] + a[j]                   for j = the thread's own { y_sum = y_sum + a[j] }
//   }                                      lanes y_sum = add(y_sum)
//                                          if lane == 0 { y[i] = y[i] + y_sum }
#pragma once

#include <vector>

#include "ir/ir.h"

namespace filigree::passes {

/// Scalars from outside that the loop assigns to.
std::vector<ir::Var> changed_scalars(const ir::For& loop);
/// The operator of its assignments, if all of them only combine the scalar with something, in any order.
std::optional<Operator> sum_of(const ir::Var& scalar, const ir::Stmt& body);

class LaneSums {
 public:
  struct Lanes {
    ir::Var thread;
    bool in_warps;         // threads are lanes
    std::int64_t threads;  // else, so many are in a block
  };
  /// Requires: every scalar that the body changes has a sum.  Elements that differ within the body are updated at once
  /// instead.
  LaneSums(const ir::Stmt& body, const std::vector<ir::Units::Sum>& reduced, const Lanes& lanes);

  ir::Stmt before() const { return ir::block(before_); }
  const ir::Stmt& body() const { return body_; }
  /// `does_it`: of the threads that have the loop, this one may store what comes to one lane.
  ir::Stmt after(const ir::Expr& does_it) const;

 private:
  void sum_scalar(const ir::Var& scalar);
  void sum_elements(const ir::Units::Sum& accumulated);

  Lanes lanes_;
  ir::Stmt body_;
  std::vector<ir::Stmt> before_, combine_, store_;
};

}  // namespace filigree::passes
