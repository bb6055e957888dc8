// Loops in which several operands step: merged with two fingers, or those behind catch up.
#include "lower/lattice_loops.h"

#include <algorithm>
#include <bit>
#include <tuple>

namespace filigree::lowering {

using lattice::Mask;
using lattice::Point;
using lattice::Protocol;

namespace {

/// At the smallest coordinate at least one operand is present; if each alone is a case, so is one of them.
bool some_case_always_holds(const Point& point, const std::vector<const Point*>& below) {
  for (Mask bit = 1; bit != 0 && bit <= point.present; bit <<= 1) {
    if (!(point.present & bit)) continue;
    bool alone = std::any_of(below.begin(), below.end(), [&](const Point* p) { return p->present == bit; });
    if (!alone) return false;
  }
  return true;
}

/// In the case of `point`, is the operand certain to be absent?  It is if a case that comes before has it in addition.
bool is_absent(int k, const Point& point, const std::vector<const Point*>& cases) {
  for (const Point* other : cases) {
    if (other == &point) return false;
    if (has(other->present, k) && (other->present & ~point.present) == Mask{1} << k) return true;
  }
  return false;
}

}  // namespace

ir::Stmt LatticeLoops::merge_loop(const Point& point) {
  ir::Var v = ir::int64_var(lattice_.var.name());
  ir::Expr more = ir::boolean(true), agree = ir::boolean(true);
  std::vector<ir::Stmt> body, advance, inside;
  std::optional<ir::Expr> smallest;
  Present present;
  Mask stepping = point.present & steppers(), followers = point.present & ~stepping;
  Points below = points_within(point.present);
  bool always = followers == 0 && some_case_always_holds(point, below);
  // Each case moves its own cursors: the next step need not wait for the comparisons to be turned into numbers.
  bool by_case = always && !lowerer_.stepped(lattice_.var, scope_);
  std::map<const Point*, std::vector<ir::Stmt>> then;
  for (auto& [k, cursor] : cursors_) {
    if (!has(stepping, k)) continue;
    more = ir::both(more, ir::less(cursor.at, cursor.end));
    bool alone = std::popcount(stepping) == 1;
    const ir::Var& own = alone ? v : cursor.coordinate;
    ir::Expr found = replaced(cursor.node.found, cursor.node.coordinate, own);
    body.push_back(ir::declare(own, cursor.node.coordinate));
    body.push_back(ir::if_then(ir::negate(found), ir::block({ir::increment(cursor.at), ir::Continue{}})));
    present.nodes.emplace(k, cursor.node);
    if (alone) {
      if (!cursor.groups) advance.push_back(ir::increment(cursor.at));
      continue;
    }
    smallest = smallest ? ir::min(*smallest, cursor.coordinate) : ir::Expr(cursor.coordinate);
    ir::Expr here = ir::equal(cursor.coordinate, v);
    present.conditions.emplace(k, here);
    agree = ir::both(agree, here);
    if (cursor.groups) continue;
    ir::Stmt move = ir::assign(cursor.at, ir::add(cursor.at, ir::convert(here, ElementType::Int64)));
    if (!by_case) advance.push_back(move);
    for (const Point* one : by_case ? below : Points()) {
      if (!is_absent(k, *one, below)) then[one].push_back(has(one->present, k) ? ir::increment(cursor.at) : move);
    }
  }
  if (smallest) body.push_back(ir::declare(v, *smallest));
  body.push_back(leave_beyond(v));
  for (auto& [k, cursor] : cursors_) {
    if (!has(stepping, k) || !cursor.groups) continue;
    body.push_back(find_group_end(cursor, v));
    advance.push_back(ir::assign(cursor.at, *cursor.node.group_end));
    present.nodes.insert_or_assign(k, cursor.node);
  }
  if (intersects_ && followers != 0) {
    // Nobody is looked up where those that step disagree.
    present.conditions.clear();
    find_followers(followers, present, v, inside);
    inside.push_back(cases(below, present, v, false));
    body.push_back(ir::if_then(agree, ir::block(inside)));
  } else {
    find_followers(followers, present, v, body);
    body.push_back(cases(below, present, v, always, then));
  }
  body.insert(body.end(), advance.begin(), advance.end());
  return ir::While{more, ir::block(body)};
}

ir::Stmt LatticeLoops::catch_up_loop(const Point& point, Mask members, const ir::Expr& gallops) {
  ir::Var v = ir::int64_var(lattice_.var.name());
  ir::Expr more = ir::boolean(true), agree = ir::boolean(true);
  std::vector<ir::Stmt> body, inside, advance, gallop, walk;
  std::optional<ir::Expr> largest;
  Present present;
  for (auto& [k, cursor] : cursors_) {
    if (!has(members, k)) continue;
    more = ir::both(more, ir::less(cursor.at, cursor.end));
    present.nodes.emplace(k, cursor.node);
    body.push_back(ir::declare(cursor.coordinate, cursor.node.coordinate));
    largest = largest ? ir::max(*largest, cursor.coordinate) : ir::Expr(cursor.coordinate);
    agree = ir::both(agree, ir::equal(cursor.coordinate, v));
    advance.push_back(ir::increment(cursor.at));
    ir::Expr next = ir::add(cursor.at, ir::integer(1)), behind = ir::less(cursor.coordinate, v);
    gallop.push_back(ir::if_then(behind, ir::assign(cursor.at, search(ir::Function::Gallop, k, next, v))));
    walk.push_back(ir::assign(cursor.at, ir::add(cursor.at, ir::convert(behind, ElementType::Int64))));
  }
  body.push_back(ir::declare(v, *largest));
  body.push_back(leave_beyond(v));
  find_followers(point.present & ~members, present, v, inside);
  inside.push_back(cases(points_within(point.present), present, v, false));
  inside.insert(inside.end(), advance.begin(), advance.end());
  body.push_back(ir::if_then(agree, ir::block(inside), ir::if_then(gallops, ir::block(gallop), ir::block(walk))));
  return ir::While{more, ir::block(body)};
}

ir::Stmt LatticeLoops::loop_that_gallops_in_others(const Point& point, int driver) {
  lattice::Strategy chosen = strategy_;
  Mask members = point.present & steppers();
  for (auto& [k, cursor] : cursors_) {
    if (has(members, k)) strategy_.protocols[k] = k == driver ? Protocol::Step : Protocol::Gallop;
  }
  ir::Stmt loop = merge_loop(point);
  strategy_ = chosen;
  return loop;
}

ir::Stmt LatticeLoops::intersection_by_length(const Point& point) {
  auto length = [&](int k) { return ir::subtract(cursors_.at(k).end, cursors_.at(k).at); };
  const policy::Lookups& lookups = lowerer_.plan_.lookups;
  auto much_less = [&](const ir::Expr& a, const ir::Expr& b, int ratio) {
    return ir::less(ir::add(ir::multiply(ir::integer(ratio), a), ir::integer(lookups.gallop_least)), b);
  };
  Mask members = point.present & steppers();
  int first = std::countr_zero(members), last = std::bit_width(members) - 1;
  if (loop_.repeated[static_cast<size_t>(&point - lattice_.points.data())]) {
    std::optional<int> kept = remembered_of(members);
    if (kept) std::tie(first, last) = std::pair(*kept, *kept == first ? last : first);
    // What is left to merge beside an operand that is remembered are short rows.
    ir::Stmt merged = meet_in_pairs(point) ? loop_over_pairs(point, kept.has_value()) : merge_loop(point);
    ir::Stmt otherwise = ir::if_then(much_less(length(last), length(first), lookups.gallop_ratio),
                                     loop_that_gallops_in_others(point, last), merged);
    // Looking up takes less than a step of a search.
    int ratio = kept ? lookups.lookup_ratio : lookups.gallop_ratio;
    ir::Expr is_shorter = much_less(length(first), length(last), ratio);
    ir::Stmt gallops = loop_that_gallops_in_others(point, first);
    if (!kept) return ir::if_then(is_shorter, gallops, otherwise);
    // What is empty is met by nobody: no more is to be found out then.
    auto has_any = [&](int k) { return ir::less(cursors_.at(k).at, cursors_.at(k).end); };
    return ir::if_then(ir::both(has_any(first), has_any(last)),
                       loop_that_remembers(point, first, last, {is_shorter, gallops, otherwise}));
  }
  ir::Expr fewest = length(first), most = length(first);
  for (auto& [k, cursor] : cursors_) {
    if (k == first || !has(members, k)) continue;
    fewest = ir::min(fewest, length(k));
    most = ir::max(most, length(k));
  }
  ir::Var smallest = ir::int64_var(lattice_.var.name() + "_fewest"),
          largest = ir::int64_var(lattice_.var.name() + "_most");
  ir::Expr gallops = much_less(smallest, largest, lookups.gallop_ratio);
  std::optional<ir::Stmt> otherwise = loop_without_branches(point);
  return ir::block({ir::declare(smallest, fewest), ir::declare(largest, most),
                    otherwise ? ir::if_then(gallops, catch_up_loop(point, members, ir::boolean(true)), *otherwise)
                              : catch_up_loop(point, members, gallops)});
}

}  // namespace filigree::lowering
