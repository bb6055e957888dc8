// Operands that meet, without looking at each coordinate.  Two of them: two entries of each at a time.
//
//   while (pA + 2 <= pA_end && pB + 2 <= pB_end) {
//     if (one of the two of A is one of the two of B) { for each of the two of A, each of the two of B: where they meet
//     } pA += 2 * (the last of A <= the last of B), pB += 2 * (the last of B <= the last of A)
//   }
//   while (pA < pA_end && pB < pB_end) { one by one }
//
// Merging one by one, each step waits for a load that waits for the comparison before it: that takes eight cycles, and
// here as many for two steps.  Entries that meet do so in increasing order.
//
// Whether entries meet cannot be guessed, so nothing is asked where that is possible: sums add 0 where no two meet, and
// what is appended is stored in any case, where the next entry goes over it.  There is room: each entry that was
// appended has left one of each operand behind, and the loops run while all operands have one more.  Each of the two of
// A then goes with that one of the two of B which it can meet.  Three and more operands that are as long as each other:
//
//   while (pA < pA_end && pB < pB_end && pC < pC_end) {
//     here = jA == jB && jB == jC
//     store what is appended; p += here
//     pA += here || jA < jB || jA < jC, ...
//   }
#include <bit>
#include <utility>

#include "lower/branch_free.h"
#include "lower/lattice_loops.h"

namespace filigree::lowering {

using lattice::Mask;
using lattice::Point;
using lattice::Protocol;

namespace {

ir::Expr no_more_than(const ir::Expr& a, const ir::Expr& b) { return ir::Apply{Operator::LessEqual, {a, b}}; }
ir::Expr number(const ir::Expr& condition) { return ir::convert(condition, ElementType::Int64); }

/// An operand's cursor in such a loop.
struct Pair {
  int operand;
  ir::Var at, one;      // where its two entries begin, and one of them
  ir::Var first, last;  // their coordinates
};

}  // namespace

bool LatticeLoops::meets_in_order(const Point& point) const {
  Mask members = point.present & steppers(), followers = point.present & ~members;
  const concrete::Assign* only = point.body.as<concrete::Assign>();
  // Nothing leaves two loops at once.
  bool leaves = interval_.limit || visited_ || !only || only->lhs.tensor.type() == ElementType::Bool;
  bool is_plain = (followers & ~strategy_.with(Protocol::Locate)) == 0 && !lowerer_.stepped(lattice_.var, scope_);
  for (const auto& [k, cursor] : cursors_) {
    bool simple = ir::is_true(cursor.node.found) && !cursor.groups && !cursor.falls && cursor.run == 1;
    is_plain = is_plain && (simple || !has(members, k));
  }
  return is_plain && !leaves;
}

bool LatticeLoops::meet_in_pairs(const Point& point) const {
  return meets_in_order(point) && std::popcount(point.present & steppers()) == 2;
}

ir::Stmt LatticeLoops::unguessed(const ir::Stmt& stmt) const {
  return plan::allocates(lowerer_.plan_.mode) ? append_without_branches(stmt) : without_branches(stmt);
}

ir::Stmt LatticeLoops::inside_of_all(const Point& point, Present& present, const ir::Var& coordinate) {
  std::vector<ir::Stmt> code;
  bool was_loop = std::exchange(is_loop_, false);  // nothing leaves it early
  find_followers(point.present & ~steppers(), present, coordinate, code);
  code.push_back(cases(points_within(point.present), present, coordinate, false));
  is_loop_ = was_loop;
  return ir::block(code);
}

ir::Stmt LatticeLoops::loop_over_pairs(const Point& point) {
  std::vector<Pair> pairs;
  std::vector<ir::Stmt> body;
  Present present;
  ir::Substitution entered;
  ir::Expr more = ir::boolean(true), two = ir::integer(2);
  for (auto& [k, cursor] : cursors_) {
    if (!has(point.present & steppers(), k)) continue;
    const std::string& name = cursor.coordinate.name();
    Pair pair{k, cursor.at, ir::int64_var(cursor.at.name()), ir::int64_var(name), ir::int64_var(name)};
    ir::Substitution next;
    next.set(pair.at, ir::add(pair.at, ir::integer(1)));
    more = ir::both(more, no_more_than(ir::add(pair.at, two), cursor.end));
    body.push_back(ir::declare(pair.first, cursor.node.coordinate));
    body.push_back(ir::declare(pair.last, ir::substitute(cursor.node.coordinate, next)));
    present.nodes.emplace(k, cursor.node);
    entered.set(pair.at, pair.one);
    pairs.push_back(pair);
  }
  const Pair &a = pairs[0], &b = pairs[1];
  ir::Var v = ir::int64_var(lattice_.var.name());
  auto coordinate = [&](const Pair& pair) {
    return ir::substitute(cursors_.at(pair.operand).node.coordinate, entered);
  };
  ir::Stmt inside = inside_of_all(point, present, v);
  ir::Stmt meeting = ir::if_then(ir::equal(coordinate(b), v), ir::substitute(inside, entered));
  ir::Stmt unasked = unguessed(meeting);
  bool asks = unasked == meeting;
  auto for_each = [&](const Pair& pair, const ir::Stmt& code) {
    return ir::For{pair.one, pair.at, ir::add(pair.at, two), code};
  };
  if (asks) {
    ir::Expr any = ir::either(ir::either(ir::equal(a.first, b.first), ir::equal(a.first, b.last)),
                              ir::either(ir::equal(a.last, b.first), ir::equal(a.last, b.last)));
    body.push_back(ir::if_then(any, for_each(a, for_each(b, ir::block({ir::declare(v, coordinate(a)), meeting})))));
  } else {
    ir::Expr other = ir::add(b.at, number(ir::equal(v, b.last)));
    body.push_back(for_each(a, ir::block({ir::declare(v, coordinate(a)), ir::declare(b.one, other), unasked})));
  }
  for (const auto& [own, other] : {std::pair(a, b), std::pair(b, a)})
    body.push_back(
        ir::assign(own.at, ir::add(own.at, ir::multiply(two, number(no_more_than(own.last, other.last))))));
  ir::Stmt one_by_one = merge_loop(point);
  return ir::block({ir::While{more, ir::block(body)}, asks ? one_by_one : unguessed(one_by_one)});
}

std::optional<ir::Stmt> LatticeLoops::loop_without_branches(const Point& point) {
  if (!meets_in_order(point)) return std::nullopt;
  if (meet_in_pairs(point)) {
    ir::Stmt one_by_one = merge_loop(point);
    return unguessed(one_by_one) == one_by_one ? std::nullopt : std::optional(loop_over_pairs(point));
  }
  std::vector<ir::Var> coordinates;
  std::vector<ir::Stmt> body, advance;
  Present present;
  ir::Expr more = ir::boolean(true), agree = ir::boolean(true);
  for (auto& [k, cursor] : cursors_) {
    if (!has(point.present & steppers(), k)) continue;
    more = ir::both(more, ir::less(cursor.at, cursor.end));
    body.push_back(ir::declare(cursor.coordinate, cursor.node.coordinate));
    present.nodes.emplace(k, cursor.node);
    if (!coordinates.empty()) agree = ir::both(agree, ir::equal(coordinates.back(), cursor.coordinate));
    coordinates.push_back(cursor.coordinate);
  }
  ir::Var v = ir::int64_var(lattice_.var.name()), here = ir::bool_var(v.name() + "_here");
  body.push_back(ir::declare(here, agree));
  body.push_back(ir::declare(v, coordinates[0]));
  for (auto& [k, cursor] : cursors_) {
    if (!has(point.present & steppers(), k)) continue;
    ir::Expr passed = here;
    for (const ir::Var& other : coordinates)
      if (!(other == cursor.coordinate)) passed = ir::either(passed, ir::less(cursor.coordinate, other));
    advance.push_back(ir::assign(cursor.at, ir::add(cursor.at, number(passed))));
  }
  ir::Stmt inside = ir::if_then(here, inside_of_all(point, present, v)), unasked = unguessed(inside);
  if (unasked == inside) return std::nullopt;
  return ir::While{more, ir::block({ir::block(body), unasked, ir::block(advance)})};
}

}  // namespace filigree::lowering
