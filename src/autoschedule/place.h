// Where the loops of a grouping go, and in which order they are nested (P4, 7.3 to 7.5).
#pragma once

#include <optional>
#include <vector>

#include "autoschedule/problem.h"

namespace filigree::autoschedule {

/// A grouping with the loops that are directly around each of its assignments and `where`s, in no order.  Accesses of
/// temporaries have their indices: what producer and consumer share, less what is bound around both.
struct Placement {
  std::vector<std::string> loops;
  std::optional<Assign> assign;  // or else
  std::shared_ptr<const Placement> consumer = nullptr, producer = nullptr;
};

/// How many loops are inside each other, at most.
int depth(const Placement& placement);

/// All ways to move loops over `indices` from around a grouping into it.  A loop goes to the sides of a `where` that
/// use its index; to the consumer in any case if the producer does not reduce.  Only ways with at most `most_depth`
/// loops inside each other; an empty list if there are none.  Appends to `out`, up to `most` of them; returns whether
/// that was all.
bool placements(const Grouping& grouping, const std::vector<std::string>& indices, int most_depth, size_t most,
                std::vector<Placement>& out);

/// How many orders of loops `placement` has.
double order_count(const Placement& placement);

/// The statements for all orders of loops.  What is read steps, what is written is inserted.
std::vector<Stmt> orders(const Placement& placement);

}  // namespace filigree::autoschedule
