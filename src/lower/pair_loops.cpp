// Two operands that meet, two entries of each at a time.
//
//   while (pA + 2 <= pA_end && pB + 2 <= pB_end) {
//     if (one of the two of A is one of the two of B) { for each of the two of A, each of the two of B: where they meet
//     } pA += 2 * (the last of A <= the last of B), pB += 2 * (the last of B <= the last of A)
//   }
//   while (pA < pA_end && pB < pB_end) { one by one }
//
// Merging one by one, each step waits for a load that waits for the comparison before it: that takes eight cycles, and
// here as many for two steps.  Entries that meet do so in increasing order.  Sums ask nothing: they add 0 where no two
// meet.
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

/// An operand's cursor in such a loop.
struct Pair {
  int operand;
  ir::Var at, one;      // where its two entries begin, and one of them
  ir::Var first, last;  // their coordinates
};

}  // namespace

bool LatticeLoops::meet_in_pairs(const Point& point) const {
  Mask members = point.present & steppers(), followers = point.present & ~members;
  const concrete::Assign* only = point.body.as<concrete::Assign>();
  // Nothing leaves two loops at once.
  bool leaves = interval_.limit || visited_ || !only || only->lhs.tensor.type() == ElementType::Bool;
  bool is_plain = (followers & ~strategy_.with(Protocol::Locate)) == 0 && !lowerer_.stepped(lattice_.var, scope_);
  for (const auto& [k, cursor] : cursors_) {
    bool simple = ir::is_true(cursor.node.found) && !cursor.groups && !cursor.falls && cursor.run == 1;
    is_plain = is_plain && (simple || !has(members, k));
  }
  return is_plain && !leaves && std::popcount(members) == 2;
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
  std::vector<ir::Stmt> inside;
  bool was_loop = std::exchange(is_loop_, false);  // nothing leaves it early
  find_followers(point.present & ~steppers(), present, v, inside);
  inside.push_back(cases(points_within(point.present), present, v, false));
  is_loop_ = was_loop;
  auto coordinate = [&](const Pair& pair) {
    return ir::substitute(cursors_.at(pair.operand).node.coordinate, entered);
  };
  ir::Stmt meeting = ir::if_then(ir::equal(coordinate(b), v), ir::substitute(ir::block(inside), entered));
  ir::Stmt adding = without_branches(meeting);
  bool adds = !(adding == meeting);
  ir::Stmt each = ir::For{
      a.one, a.at, ir::add(a.at, two),
      ir::For{b.one, b.at, ir::add(b.at, two), ir::block({ir::declare(v, coordinate(a)), adds ? adding : meeting})}};
  ir::Expr any = ir::either(ir::either(ir::equal(a.first, b.first), ir::equal(a.first, b.last)),
                            ir::either(ir::equal(a.last, b.first), ir::equal(a.last, b.last)));
  body.push_back(adds ? each : ir::if_then(any, each));
  for (const auto& [own, other] : {std::pair(a, b), std::pair(b, a)}) {
    ir::Expr passed = ir::convert(no_more_than(own.last, other.last), ElementType::Int64);
    body.push_back(ir::assign(own.at, ir::add(own.at, ir::multiply(two, passed))));
  }
  ir::Stmt one_by_one = merge_loop(point);
  return ir::block({ir::While{more, ir::block(body)}, adds ? without_branches(one_by_one) : one_by_one});
}

}  // namespace filigree::lowering
