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
//
// If that is a product with a value of M, and M has many, its values are written down in place of where they are, with
// 0 wherever it has none.  Then nothing is asked:
//
//   forall(i, forall(j, y(i) += A(i,j)*x(j)))        t = t + A_vals[p] * x1_spread[A2_crd[p]]
//
// 0 times infinity is no number.  So if the sum is none in the end, it is found in the usual way.  Only of operands
// that have one segment: rows that change have seldom so many, and asking costs more than it gains then.
#include "lower/branch_free.h"
#include "lower/lattice_loops.h"
#include "lower/spread_values.h"

namespace filigree::lowering {

using lattice::Protocol;

namespace {

ir::Expr zero_of(const ir::Var& array) { return ir::constant(Scalar(array.type().element)); }

}  // namespace

std::optional<int> LatticeLoops::remembered_of(lattice::Mask two) const {
  lattice::Mask kept = two & strategy_.remembered;
  return kept == 0 ? std::nullopt : std::optional(std::countr_zero(kept));
}

ir::Stmt LatticeLoops::loop_that_remembers(const lattice::Point& point, int k, int other, const Unremembered& usual) {
  const policy::Lookups& lookups = lowerer_.plan_.lookups;
  const Cursor& own = cursors_.at(k);
  std::string name = instance(k).name;
  ElementType type = format(k).search()->coordinates(instance(k)).type().element;
  ir::Var places(name + "_places", ir::array(type == ElementType::Int64 ? type : ElementType::Int32)),
      slots = ir::int64_var(name + "_slots"), begin = ir::int64_var(name + "_begin"),
      end = ir::int64_var(name + "_end"), held = ir::bool_var(name + "_held"), met = ir::int64_var(name + "_met"),
      wait = ir::int64_var(name + "_wait"), place = ir::int64_var("n" + name);
  remembered_ = {k, places, slots, begin, end, held, met, wait, place, std::nullopt};

  const Cursor& met_now = cursors_.at(other);
  ir::Expr length = ir::subtract(own.end, own.at), length_met = ir::subtract(met_now.end, met_now.at),
           ends_early = ir::less(ir::multiply(ir::integer(lookups.walk_ratio), length), length_met),
           is_other = ir::either(ir::not_equal(begin, own.at), ir::not_equal(end, own.end)),
           is_enough = ir::both(ir::both(ir::less(length, ir::multiply(ir::integer(lookups.held_per_met), met)),
                                         ir::less(wait, met)),
                                ir::negate(ends_early));
  lattice::Strategy chosen = strategy_;
  strategy_.protocols[k] = Protocol::Hash;
  ir::Stmt alone = merge_loop(point), other_way = merge_loop(point);
  strategy_ = chosen;
  ir::Var asks = ir::bool_var(lattice_.var.name() + "_asks");
  std::optional<ir::Stmt> spread = loop_over_spread(k, other, other_way, asks);
  ir::Substitution first_place;
  first_place.set(place, ir::max(place, ir::integer(0)));
  ir::Stmt unguessed = without_branches(other_way, ir::greater_equal(place, ir::integer(0)), first_place);
  if (!spread && !(unguessed == other_way)) alone = ir::if_then(is_full(k, length), unguessed, alone);
  open_remembered(k);
  ir::Stmt decide = ir::block({ir::assign(met, ir::add(met, length_met)), ir::if_then(is_enough, hold(k))});
  ir::Expr has_places = spread ? ir::both(held, ir::negate(remembered_->spread->is_held)) : ir::Expr(held);
  ir::Stmt code =
      ir::if_then(usual.is_shorter, usual.where_shorter,
                  ir::block({ir::if_then(is_other, forget(k)), ir::if_then(ir::negate(held), decide),
                             ir::if_then(has_places, alone, usual.otherwise)}));
  // One that has many is not much shorter than another.
  if (spread)
    code = ir::block({ir::declare(asks, ir::boolean(true)),
                      ir::if_then(ir::both(remembered_->spread->is_held, ir::negate(is_other)), *spread),
                      ir::if_then(asks, code)});
  remembered_.reset();
  return code;
}

ir::Expr LatticeLoops::is_full(int k, const ir::Expr& length) const {
  return ir::less(instance(k).extent, ir::multiply(ir::integer(lowerer_.plan_.lookups.guessed_extent), length));
}

/// `asking`: the loop over the operand `other` that asks where the one that is remembered has each coordinate.  `asks`
/// becomes whether that is needed.
std::optional<ir::Stmt> LatticeLoops::loop_over_spread(int k, int other, const ir::Stmt& asking, const ir::Var& asks) {
  const lattice::Operand& operand = lattice_.operands[k];
  const ir::While* loop = asking.as<ir::While>();
  const ir::Block* body = loop ? loop->body.as<ir::Block>() : nullptr;
  if (!body || operand.level > 0 || operand.tensor.order() > 1) return std::nullopt;
  const Cursor& cursor = cursors_.at(other);
  const ir::Var& place = remembered_->place;
  const ir::Var& values = lowerer_.values(operand.tensor);
  ir::Var spread(instance(k).name + "_spread", values.type()), v = ir::int64_var(lattice_.var.name()),
      flags(instance(k).name + "_flags", ir::array(ElementType::Bool));
  std::optional<SpreadSum> sum;
  std::vector<ir::Stmt> steps;
  for (const ir::Stmt& step : body->statements) {
    const ir::Declare* declared = step.as<ir::Declare>();
    if ((declared && declared->var == place) || step == ir::increment(cursor.at)) continue;
    if (declared && *declared->value == cursor.node.coordinate) v = declared->var;
    if (const ir::If* branch = step.as<ir::If>(); branch && !sum) {
      if (!(branch->condition == ir::greater_equal(place, ir::integer(0)))) return std::nullopt;
      sum = spread_sum(*branch, {place, values, spread, flags, key(k, v)});
      if (!sum) return std::nullopt;
      steps.push_back(sum->code);
    } else if (declared) {
      steps.push_back(step);
    } else {
      return std::nullopt;
    }
  }
  if (!sum) return std::nullopt;
  remembered_->spread = {spread, ir::int64_var(spread.name() + "_slots"), ir::bool_var(spread.name() + "_held"),
                         flags};
  ir::Var at = ir::int64_var(cursor.at.name()), before(sum->sum.name() + "_before", sum->sum.type());
  ir::Substitution entered;
  entered.set(cursor.at, at);
  return ir::block({ir::declare(before, sum->sum),
                    ir::For{at, cursor.at, cursor.end, ir::substitute(ir::block(steps), entered)},
                    ir::assign(asks, ir::not_equal(sum->sum, sum->sum)),
                    ir::if_then(asks, ir::assign(sum->sum, before))});
}

/// Memory for what is written down, which the loops around keep.
void LatticeLoops::open_remembered(int k) {
  const Lowerer::Remembered& kept = *remembered_;
  ir::Expr none = ir::integer(-1), zero = ir::integer(0);
  std::vector<ir::Stmt> open = {
      ir::Alloc{kept.places, zero},
      ir::declare(kept.slots, zero),
      ir::declare(kept.begin, none),
      ir::declare(kept.end, none),
      ir::declare(kept.is_held, ir::boolean(false)),
      ir::declare(kept.met, zero),
      ir::declare(kept.wait,
                  ir::quotient(instance(k).extent, ir::integer(lowerer_.plan_.lookups.places_per_met)))};
  std::vector<ir::Stmt> close = {ir::Free{kept.places}};
  if (kept.spread) {
    open.push_back(ir::Alloc{kept.spread->values, zero});
    open.push_back(ir::Alloc{kept.spread->flags, zero});
    open.push_back(ir::declare(kept.spread->slots, zero));
    open.push_back(ir::declare(kept.spread->is_held, ir::boolean(false)));
    close.push_back(ir::Free{kept.spread->values});
    close.push_back(ir::Free{kept.spread->flags});
  }
  lowerer_.maps_.push_back({ir::block(open), ir::block(close)});
}

/// What was written down of the segment before this one.
ir::Stmt LatticeLoops::forget(int k) const {
  const Lowerer::Remembered& kept = *remembered_;
  auto clear = [&](const ir::Var& array, const ir::Expr& nothing) {
    return for_each_held(k, [&](const ir::Var&, const ir::Expr& at) { return ir::store(array, at, nothing); });
  };
  std::vector<ir::Stmt> code = {ir::if_then(kept.is_held, clear(kept.places, ir::integer(-1)))};
  if (kept.spread) {
    const Lowerer::Remembered::Spread& spread = *kept.spread;
    ir::Stmt no_values =
        ir::block({clear(spread.values, zero_of(spread.values)), clear(spread.flags, ir::boolean(false))});
    code = {ir::if_then(spread.is_held, no_values, code[0]), ir::assign(spread.is_held, ir::boolean(false))};
  }
  ir::Stmt restart = ir::if_then(ir::equal(kept.wait, ir::integer(0)), ir::assign(kept.met, ir::integer(0)));
  return ir::block({ir::block(code), ir::assign(kept.is_held, ir::boolean(false)),
                    ir::assign(kept.begin, cursors_.at(k).at), ir::assign(kept.end, cursors_.at(k).end), restart});
}

ir::Stmt LatticeLoops::for_each_held(int k,
                                     const std::function<ir::Stmt(const ir::Var&, const ir::Expr&)>& code) const {
  ir::Var q = ir::int64_var("q");
  ir::Expr held = ir::load_index(format(k).search()->coordinates(instance(k)), q);
  return ir::For{q, remembered_->begin, remembered_->end, code(q, key(k, held))};
}

ir::Stmt LatticeLoops::hold(int k) const {
  const Lowerer::Remembered& kept = *remembered_;
  const ir::Expr& extent = instance(k).extent;
  auto make = [&](const ir::Var& slots, const std::vector<std::pair<ir::Var, ir::Expr>>& arrays) {
    std::vector<ir::Stmt> code;
    for (const auto& [array, nothing] : arrays) {
      ir::Var q = ir::int64_var("q");
      code.push_back(ir::Grow{array, extent});
      code.push_back(ir::For{q, ir::integer(0), extent, ir::store(array, q, nothing)});
    }
    code.push_back(ir::assign(slots, extent));
    code.push_back(ir::assign(kept.wait, ir::integer(0)));
    return ir::if_then(ir::less(slots, extent), ir::block(code));
  };
  ir::Stmt held = ir::assign(kept.is_held, ir::boolean(true));
  ir::Stmt places = for_each_held(k, [&](const ir::Var& q, const ir::Expr& at) {
    return ir::store(kept.places, at, ir::subtract(q, kept.begin));
  });
  ir::Stmt in_places = ir::block({make(kept.slots, {{kept.places, ir::integer(-1)}}), places});
  if (!kept.spread) return ir::block({in_places, held});
  const auto& [spread, slots, is_spread, flags] = *kept.spread;
  ir::Stmt values = for_each_held(k, [&, &spread = spread](const ir::Var& q, const ir::Expr& at) {
    level::Node node = format(k).position_iteration()->access(instance(k), q, coordinates(lattice_.operands[k]));
    return ir::store(spread, at, ir::Load{lowerer_.values(lattice_.operands[k].tensor), node.position});
  });
  ir::Stmt set = for_each_held(k, [&, &flags = flags](const ir::Var&, const ir::Expr& at) {
    return ir::store(flags, at, ir::boolean(true));
  });
  ir::Stmt in_values = ir::block({make(slots, {{spread, zero_of(spread)}, {flags, ir::boolean(false)}}), values, set,
                                  ir::assign(is_spread, ir::boolean(true))});
  return ir::block({ir::if_then(is_full(k, ir::subtract(kept.end, kept.begin)), in_values, in_places), held});
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
