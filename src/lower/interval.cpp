// Loops between two coordinates: where an operand is present at neighbouring coordinates and nowhere else, and nothing
// is to be done without it, loops over others begin and end with it, and nobody asks whether it is there.
//
//   (j <= i) * B(i,j), B dense        for (j = 0; j < min(i + 1, j_size); j++)
//   (j <= i) * B(i,j), B compressed   for (p = pos[i]; p < pos[i + 1]; p++) { j = crd[p]; if (j >= i + 1) break; ... }
//   (j > i) * B(i,j),  B compressed   for (p = gallop(crd, pos[i], pos[i + 1], i + 1); ...
#include <algorithm>
#include <bit>

#include "lower/lattice_loops.h"

namespace filigree::lowering {

using lattice::Mask;
using lattice::Protocol;

namespace {

/// `end`, or what it is the minimum of beside the extent: coordinates are below that anyway.
ir::Expr without_extent(const ir::Expr& end, const ir::Expr& extent) {
  const ir::Apply* min = end.as<ir::Apply>();
  if (!min || min->op != Operator::Min) return end;
  return min->operands[1] == extent ? min->operands[0] : min->operands[0] == extent ? min->operands[1] : end;
}

}  // namespace

/// The coordinates of an operand under its parent, if all of them up to a bound are there.
std::optional<level::Bounds> LatticeLoops::neighbours(int k) const {
  const level::ValueIteration* values = format(k).value_iteration();
  if (!values) return std::nullopt;
  std::vector<ir::Expr> path = coordinates(lattice_.operands[k]);
  level::Bounds bounds = values->bounds(instance(k), path);
  path.push_back(ir::int64_var(lattice_.var.name()));
  bool has_gaps = !ir::is_true(values->access(instance(k), parent(lattice_.operands[k]), path).found);
  return has_gaps ? std::nullopt : std::optional(bounds);
}

void LatticeLoops::find_interval() {
  for (int k = 0; k < static_cast<int>(lattice_.operands.size()); k++) {
    bool needed = has(strategy_.used, k) && std::all_of(lattice_.points.begin(), lattice_.points.end(),
                                                        [&](const auto& point) { return has(point.present, k); });
    if (!needed || strategy_.protocols[k] != Protocol::Locate) continue;
    std::optional<level::Bounds> bounds = neighbours(k);
    if (!bounds) continue;
    const ir::Expr &first = instance(k).origin, last = ir::add(first, instance(k).extent);
    if (bounds->begin != first)
      interval_.begin = interval_.begin ? ir::max(*interval_.begin, bounds->begin) : bounds->begin;
    if (bounds->end != last) {
      ir::Expr limit = without_extent(bounds->end, last);
      interval_.limit = interval_.limit ? ir::min(*interval_.limit, limit) : limit;
      interval_.end = interval_.end ? ir::min(*interval_.end, bounds->end) : bounds->end;
    }
    interval_.operands |= Mask{1} << k;
  }
  if (interval_.operands == 0) return;
  bool begins = true, ends = true;
  for (int k = 0; k < static_cast<int>(lattice_.operands.size()); k++) {
    if (!has(steppers(), k) && !(strategy_.all_gallop() && has(strategy_.used, k))) continue;
    begins = begins && begins_inside(k);
    ends = ends && ends_inside(k);
  }
  // Over the universe, cursors that run beside the loop see every coordinate.
  if (strategy_.over_universe) begins = strategy_.with(Protocol::SeqIter) == 0;
  if (!ends) interval_ = {};
  bool exact = (begins || !interval_.begin) && !(has_one_loop() && format(std::countr_zero(steppers())).runs());
  if (exact) settled_ = interval_.operands;
}

bool LatticeLoops::begins_inside(int k) const {
  if (!ends_inside(k)) return false;
  // A loop over runs has a cursor for these; others go through their insides.
  return format(k).search() || (has_one_loop() && (format(k).runs() || !format(k).position_iteration()));
}

/// Is a coordinate beyond the end followed by none that is not?
bool LatticeLoops::ends_inside(int k) const {
  level::Properties properties = format(k).properties();
  bool single = properties.branchless && !follows_group(lattice_.operands[k]);
  return properties.ordered == level::Ordered::Increasing && !properties.padded && !single;
}

ir::Expr LatticeLoops::begin_inside(int k, const ir::Expr& begin, const ir::Expr& end) const {
  if (!interval_.begin || !begins_inside(k)) return begin;
  if (!format(k).position_iteration()) return ir::max(begin, *interval_.begin);
  const level::Runs* runs = format(k).search() ? nullptr : format(k).runs();
  if (!runs)
    return ir::call(ir::Function::Gallop, {format(k).search()->coordinates(instance(k)), begin, end, *interval_.begin});
  return ir::call(ir::Function::Gallop, {runs->numbers(instance(k)), begin, end,
                                         ir::quotient(*interval_.begin, ir::integer(runs->length()))});
}

ir::Stmt LatticeLoops::leave_beyond(const ir::Expr& coordinate) const {
  return interval_.limit ? ir::if_then(ir::greater_equal(coordinate, *interval_.limit), ir::Break{}) : ir::Stmt();
}

}  // namespace filigree::lowering
