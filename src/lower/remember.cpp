// An operand whose coordinates stay the same while loops around go on: where they are is written down once, and the
// other of the two that meet is stepped through alone.
//
//   forall(i, forall(k, forall(j, A(i,j) += M(i,j)*B(i,k)*C(k,j))))     a row of M meets many rows of C
//
//   if the row of M has something {
//     if it is another one { forget the old one, met = 0 }
//     if it is not written down { met += length of the row of C; write it down if met is enough }
//     if it is written down { for j in the row of C { if M has j ... } } else both are merged
//   }
//
// So nothing is written down that is not used soon.  A merge ends with the shorter of the two: where the row of C is
// much longer than that of M, it is left to the merge.  There is a place for each coordinate of the dimension; these
// are made when many coordinates were met.  Whether M has j cannot be guessed: what is only added up is added up as 0
// where it has not.
#include "lower/branch_free.h"
#include "lower/lattice_loops.h"

namespace filigree::lowering {

using lattice::Protocol;

std::optional<int> LatticeLoops::remembered_of(lattice::Mask two) const {
  lattice::Mask kept = two & strategy_.remembered;
  return kept == 0 ? std::nullopt : std::optional(std::countr_zero(kept));
}

ir::Stmt LatticeLoops::loop_that_remembers(const lattice::Point& point, int k, int other, const ir::Stmt& usual) {
  const policy::Lookups& lookups = lowerer_.plan_.lookups;
  const Cursor& own = cursors_.at(k);
  std::string name = instance(k).name;
  ElementType type = format(k).search()->coordinates(instance(k)).type().element;
  ir::Var places(name + "_places", ir::array(type == ElementType::Int64 ? type : ElementType::Int32)),
      slots = ir::int64_var(name + "_slots"), begin = ir::int64_var(name + "_begin"),
      end = ir::int64_var(name + "_end"), held = ir::bool_var(name + "_held"), met = ir::int64_var(name + "_met"),
      wait = ir::int64_var(name + "_wait"), place = ir::int64_var("n" + name);
  remembered_ = {k, places, slots, begin, end, held, met, wait, place};
  ir::Expr none = ir::integer(-1);
  ir::Stmt open =
      ir::block({ir::Alloc{places, ir::integer(0)}, ir::declare(slots, ir::integer(0)), ir::declare(begin, none),
                 ir::declare(end, none), ir::declare(held, ir::boolean(false)), ir::declare(met, ir::integer(0)),
                 ir::declare(wait, ir::quotient(instance(k).extent, ir::integer(lookups.places_per_met)))});
  lowerer_.maps_.push_back({open, ir::Free{places}});

  const Cursor& met_now = cursors_.at(other);
  ir::Expr length = ir::subtract(own.end, own.at), length_met = ir::subtract(met_now.end, met_now.at),
           ends_early = ir::less(ir::multiply(ir::integer(lookups.walk_ratio), length), length_met),
           is_other = ir::either(ir::not_equal(begin, own.at), ir::not_equal(end, own.end)),
           is_enough = ir::both(ir::both(ir::less(length, ir::multiply(ir::integer(lookups.held_per_met), met)),
                                         ir::less(wait, met)),
                                ir::negate(ends_early));
  ir::Stmt decide = ir::block({ir::assign(met, ir::add(met, length_met)), ir::if_then(is_enough, hold(k))});
  lattice::Strategy chosen = strategy_;
  strategy_.protocols[k] = Protocol::Hash;
  ir::Stmt alone = merge_loop(point), other_way = merge_loop(point);
  strategy_ = chosen;
  ir::Substitution first_place;
  first_place.set(place, ir::max(place, ir::integer(0)));
  ir::Stmt unguessed = without_branches(other_way, ir::greater_equal(place, ir::integer(0)), first_place);
  ir::Expr is_full = ir::less(instance(k).extent, ir::multiply(ir::integer(lookups.guessed_extent), length));
  if (!(unguessed == other_way)) alone = ir::if_then(is_full, unguessed, alone);
  ir::Stmt code = ir::block(
      {ir::if_then(is_other, forget(k)), ir::if_then(ir::negate(held), decide), ir::if_then(held, alone, usual)});
  remembered_.reset();
  return code;
}

/// What was written down of the segment before this one.
ir::Stmt LatticeLoops::forget(int k) const {
  const Lowerer::Remembered& kept = *remembered_;
  ir::Var q = ir::int64_var("q");
  ir::Expr held = ir::load_index(format(k).search()->coordinates(instance(k)), q);
  ir::Stmt clear = ir::For{q, kept.begin, kept.end, ir::store(kept.places, key(k, held), ir::integer(-1))};
  ir::Stmt restart = ir::if_then(ir::equal(kept.wait, ir::integer(0)), ir::assign(kept.met, ir::integer(0)));
  return ir::block({ir::if_then(kept.is_held, clear), ir::assign(kept.is_held, ir::boolean(false)),
                    ir::assign(kept.begin, cursors_.at(k).at), ir::assign(kept.end, cursors_.at(k).end), restart});
}

ir::Stmt LatticeLoops::hold(int k) const {
  const Lowerer::Remembered& kept = *remembered_;
  const ir::Expr& extent = instance(k).extent;
  ir::Var q = ir::int64_var("q");
  ir::Expr held = ir::load_index(format(k).search()->coordinates(instance(k)), q);
  ir::Stmt make = ir::block({ir::Grow{kept.places, extent},
                             ir::For{q, ir::integer(0), extent, ir::store(kept.places, q, ir::integer(-1))},
                             ir::assign(kept.slots, extent), ir::assign(kept.wait, ir::integer(0))});
  ir::Stmt fill = ir::For{q, kept.begin, kept.end, ir::store(kept.places, key(k, held), ir::subtract(q, kept.begin))};
  return ir::block(
      {ir::if_then(ir::less(kept.slots, extent), make), fill, ir::assign(kept.is_held, ir::boolean(true))});
}

Found LatticeLoops::recall(int k, const ir::Expr& coordinate) const {
  const Lowerer::Remembered& kept = *remembered_;
  const ir::Var& place = kept.place;
  level::Node node = format(k).position_iteration()->access(instance(k), ir::add(kept.begin, place),
                                                            coordinates(lattice_.operands[k]));
  return {{ir::declare(place, ir::load_index(kept.places, key(k, coordinate)))},
          node,
          ir::greater_equal(place, ir::integer(0))};
}

}  // namespace filigree::lowering
