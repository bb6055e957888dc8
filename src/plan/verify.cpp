#include "plan/verify.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "concrete/derivations.h"
#include "concrete/loop_order.h"
#include "concrete/shared_pattern.h"
#include "concrete/visits.h"
#include "concrete/workspace.h"
#include "plan/clearing.h"
#include "plan/division.h"
#include "plan/fillings.h"
#include "plan/launches.h"
#include "plan/text.h"
#include "plan/tiles.h"
#include "plan/verify_facts.h"
#include "plan/verify_loops.h"
#include "support/check.h"

namespace filigree::plan {
namespace {

using lattice::Mask;

/// What is known at a place in the tree.
struct Place {
  std::vector<IndexVar> bound;
  std::vector<const concrete::Forall*> loops;
  std::vector<const Loop*> ways;  // the same; null: over pieces
  std::vector<TensorVar> readable;
  std::vector<IndexVar> divided;  // of the loops, those that are in pieces
};

class Verifier {
 public:
  /// `was_written`: by a person, maybe.
  Verifier(const Plan& plan, bool was_written) : plan_(plan), program_(plan.program), was_written_(was_written) {}

  std::optional<Mistake> run(const Body& root) {
    for (const auto& [tensor, filling] : plan_.fillings) {
      at_.tensor = tensor;
      if (std::optional<std::string> why = plan::find_problem(filling, tensor, plan_.mode)) check(false, *why);
      const Inserted* inserted = std::get_if<Inserted>(&filling);
      check(!inserted || !inserted->cleared_in || can_be_cleared_in(*inserted->cleared_in, tensor, plan_),
            "'{}' is cleared in a loop that does not write all of it", tensor.name());
      if (is_result(tensor) && std::holds_alternative<Placed>(filling))
        check(plan_.mode == Mode::Grow || plan_.mode == Mode::Pattern, "'{}' is placed where its index is not made",
              tensor.name());
    }
    at_.tensor.reset();
    for (const TensorVar& result : program_.results)
      check(makes_whole() || concrete::has_all_modes(result.format()),
            "index and values of '{}' come together, not one without the other", result.name());
    if (!found_) body(root, {{}, {}, {}, program_.operands, {}});
    return found_;
  }

 private:
  /// Results with index and values, or values of results that are there.
  bool makes_whole() const { return plan_.mode == Mode::Grow || plan_.mode == Mode::Update; }

  void check(bool holds, const std::string& what) {
    if (holds || found_) return;
    found_ = at_;
    found_->what = what;
  }
  template <class... Parts>
  void check(bool holds, const char* what, const Parts&... parts) {
    if (!holds && !found_) check(false, fmt::format(fmt::runtime(what), parts...));
  }

  void body(const Body& body, Place place) {
    if (was_written_ && !found_) {
      at_.at = body.stmt.identity();
      if (std::optional<std::string> why = problem_of_computed(body, place.bound, plan_)) check(false, *why);
    }
    for (const concrete::Derivation& derivation : body.computed) {
      for (const IndexVar& source : derivation.sources())
        check(contains(place.bound, source), "'{}' follows from '{}', which has no value", derivation.var.name(),
              source.name());
      place.bound.push_back(derivation.var);
    }
    stmt(body.stmt, place);
  }

  bool is_result(const TensorVar& tensor) const {
    return std::find(program_.results.begin(), program_.results.end(), tensor) != program_.results.end();
  }
  const Filling* filling(const TensorVar& tensor) const {
    auto found = plan_.fillings.find(tensor);
    return found == plan_.fillings.end() ? nullptr : &found->second;
  }

  void stmt(const Stmt& stmt, const Place& place) {
    if (found_) return;
    const void* around = at_.at;
    at_.at = stmt.identity();
    visit(stmt, place);
    at_.at = around;
  }

  void visit(const Stmt& stmt, const Place& place) {
    match(
        stmt,
        [&](const Loop& n) {
          check_shared(*stmt.what().as<concrete::Forall>(), n.shared);
          check_launch(stmt, place);
          loop(n, *stmt.what().as<concrete::Forall>(), check_division(stmt, n.division, place));
        },
        [&](const Pieces& n) {
          check_shared(*stmt.what().as<concrete::Forall>(), n.shared);
          check_launch(stmt, place);
          check(!n.full_first || full_size(n.cut, program_.environment),
                "full pieces of '{}' come first, and have no size", n.cut.var.name());
          body(n.body, inside(*stmt.what().as<concrete::Forall>(), check_division(stmt, n.division, place), nullptr));
        },
        [&](const Where& n) {
          if (place.loops.empty()) check_placed(n.producer.stmt, false);
          check(!n.once || concrete::writes_once(n.producer.stmt.what(), program_.environment),
                "'{}' does not write each component once", concrete::to_string(n.producer.stmt.what()));
          for (const TensorVar& temporary : concrete::targets(n.producer.stmt.what()))
            check(!n.whole || (temporary.order() > 0 &&
                               concrete::writes_all_points(n.producer.stmt.what(), temporary, program_.environment)),
                  "'{}' is not written as a whole", temporary.name());
          body(n.producer, place);
          Place after = place;
          for (const TensorVar& temporary : concrete::targets(n.producer.stmt.what()))
            after.readable.push_back(temporary);
          body(n.consumer, after);
        },
        [&](const Sequence& n) {
          for (const Stmt& s : n.statements) this->stmt(s, place);
        },
        [&](const Multi& n) {
          for (const Stmt& s : n.statements) this->stmt(s, place);
        },
        [&](const Assign&) { assignment(*stmt.what().as<concrete::Assign>(), place); });
  }

  Place check_division(const Stmt& stmt, const std::optional<Division>& division, Place place) {
    if (place.loops.empty()) check_placed(stmt, true);
    if (!division) return place;
    const IndexVar& var = stmt.what().as<concrete::Forall>()->var;
    check(is_one_loop(stmt), "the loop over '{}' is in pieces, and is not one loop", var.name());
    const Loop* loop = stmt.as<Loop>();
    Mask cursors =
        loop ? loop->strategy.with(concrete::Protocol::SeqIter) | loop->strategy.with(concrete::Protocol::Gallop) : 0;
    check(!was_written_ || cursors == 0, "the loop over '{}' is in pieces, and cursors run beside it", var.name());
    check(!division->by || measured_by(stmt, program_) == division->by,
          "pieces of the loop over '{}' are measured by what is not below it", var.name());
    check(!division->pieces || *division->pieces > 0, "the loop over '{}' is in no pieces", var.name());
    place.divided.push_back(var);
    return place;
  }

  /// Of loops for units of a GPU, the outermost one says how they are launched.
  void check_launch(const Stmt& stmt, const Place& place) {
    const concrete::Forall& forall = *stmt.what().as<concrete::Forall>();
    const std::optional<Launch>& launch = launch_of(stmt);
    bool is_inside = std::any_of(place.loops.begin(), place.loops.end(),
                                 [](const concrete::Forall* around) { return around->tag.gpu.has_value(); });
    bool is_outermost = forall.tag.gpu && !is_inside;
    check(is_outermost == launch.has_value(),
          is_outermost ? "the loop over '{}' does not say how it is launched"
                       : "the loop over '{}' is launched, and is not the outermost one for units of a GPU",
          forall.var.name());
    if (!launch || found_) return;
    if (std::optional<std::string> why = problem_of_launch(stmt, *launch, program_)) check(false, *why);
  }

  void check_shared(const concrete::Forall& forall, const std::vector<SharedResult>& shared) {
    if (!forall.tag.parallel && !forall.tag.gpu) return;
    if (was_written_ && forall.tag.races == concrete::Races::None) {
      for (const TensorVar& tensor : concrete::targets(forall.body))
        check(is_result(tensor) || !racing_writes(forall, tensor, program_.environment),
              "iterations of the loop over '{}' write the same components of '{}'", forall.var.name(), tensor.name());
    }
    for (const TensorVar& tensor : concrete::written(forall.body)) {
      if (!is_result(tensor) || !writes_values(plan_.mode)) continue;
      std::optional<RacingWrites> writes = racing_writes(forall, tensor, program_.environment);
      bool is_known = std::any_of(shared.begin(), shared.end(), [&](const SharedResult& one) {
        return one.tensor == tensor && writes && one.op == writes->op;
      });
      check(!writes || is_known, "iterations of the loop over '{}' share '{}', which it does not say",
            forall.var.name(), tensor.name());
    }
  }

  /// The outermost statement that places nodes: what fills a temporary, or a loop that writes a result.
  void check_placed(const Stmt& stmt, bool writes_result) {
    const Loop* loop = stmt.as<Loop>();
    const Pieces* pieces = stmt.as<Pieces>();
    bool in_pieces = (loop && loop->division) || (pieces && pieces->division);
    for (const TensorVar& tensor : concrete::targets(stmt.what())) {
      const Filling* known = filling(tensor);
      const Placed* placed = known ? std::get_if<Placed>(known) : nullptr;
      if (!placed || is_result(tensor) != writes_result) continue;
      const std::string& name = tensor.name();
      check(!in_pieces || can_be_cut(stmt, program_.environment),
            "'{}' is placed in pieces of loops that cannot be cut", name);
      if (placed->counted_through)
        check(measured_by(stmt, program_) == placed->counted_through &&
                  counts_through(stmt, tensor, *placed->counted_through),
              "counting nodes of '{}' needs more than one level", name);
      if (placed->in_order_of)
        check(in_pieces && places_one_each(stmt, tensor, program_) == placed->in_order_of,
              "not every iteration places one node of '{}' behind the others", name);
      if (writes_result) check_passes(stmt, tensor, *placed);
    }
  }

  void check_passes(const Stmt& stmt, const TensorVar& result, const Placed& placed) {
    std::optional<concrete::TwoPasses> how = concrete::in_two_passes(stmt.what(), result, program_.environment);
    const std::string& name = result.name();
    check(how.has_value(), "loops that run twice write other nodes of '{}' each time", name);
    if (found_) return;
    bool in_any_order = result.format().levels().back().format->properties().ordered == level::Ordered::No;
    check(placed.sorts || !how->sorts || in_any_order, "nodes of '{}' are not placed in order", name);
    check(placed.merges || !how->merges, "components of '{}' may be written several times", name);
    check(!placed.in_order_of || how->grouped, "nodes of '{}' are not placed in the order of their parents", name);
  }

  Place inside(const concrete::Forall& forall, Place place, const Loop* way) {
    check(!contains(place.bound, forall.var), "a loop is over '{}', which has a value already", forall.var.name());
    check(program_.environment.extents.count(forall.var) > 0, "nothing says how far '{}' goes", forall.var.name());
    place.bound.push_back(forall.var);
    place.loops.push_back(&forall);
    place.ways.push_back(way);
    return place;
  }

  void loop(const Loop& loop, const concrete::Forall& forall, const Place& place) {
    const lattice::Lattice& lattice = loop.lattice;
    const lattice::Strategy& strategy = loop.strategy;
    check(lattice.var == forall.var, "a lattice of '{}' in a loop over '{}'", lattice.var.name(), forall.var.name());
    check(loop.bodies.size() == lattice.points.size() && strategy.by_length.size() == lattice.points.size() &&
              loop.repeated.size() == lattice.points.size(),
          "the loop over '{}' has not one body for each case", lattice.var.name());
    check(strategy.protocols.size() == lattice.operands.size(),
          "the loop over '{}' does not say how all operands are reached", lattice.var.name());
    if (found_) return;
    for (size_t n = 0; n < lattice.points.size(); n++) {
      bool is_of_two = std::popcount(lattice.points[n].present & strategy.with(concrete::Protocol::Step)) == 2;
      check(!loop.repeated[n] || (strategy.by_length[n] && is_of_two),
            "a case of the loop over '{}' is repeated, and is no intersection of two by length", lattice.var.name());
    }
    Mask used = 0, all = lattice.operands.empty() ? 0 : ~Mask{0} >> (32 - lattice.operands.size());
    int most = 32;
    for (const lattice::Point& point : lattice.points) {
      check((point.present & ~all) == 0 && std::popcount(point.present) <= most,
            "the cases of the loop over '{}' are not in order", lattice.var.name());
      most = std::popcount(point.present);
      used |= point.present;
    }
    check(!lattice.has_universe() || strategy.over_universe,
          "the loop over '{}' has work everywhere, and is not over the universe", lattice.var.name());
    check(strategy.used == used, "the loop over '{}' uses other operands than its cases", lattice.var.name());
    for (const lattice::Operand& operand : lattice.operands) check_operand(operand, lattice.var, place);
    if (found_) return;
    if (was_written_) check_cases(loop, forall, place);
    if (found_) return;
    if (std::optional<std::string> why = lattice::find_problem(lattice, strategy)) check(false, *why);
    Place within = inside(forall, place, &loop);
    for (const Body& one : loop.bodies) body(one, within);
    if (!loop.if_empty) return;
    at_.at = loop.if_empty.get();
    this->loop(*loop.if_empty, forall, place);
  }

  /// Of a loop that a person may have written.
  void check_cases(const Loop& loop, const concrete::Forall& forall, const Place& place) {
    bool is_instead = at_.at == &loop;  // of another one, where a dimension is empty
    if (std::optional<std::string> why = problem_of_cases(loop, forall, place.bound, plan_, is_instead))
      check(false, *why);
    if (std::optional<std::string> why = problem_of_ways(loop, plan_)) check(false, *why);
  }

  void check_operand(const lattice::Operand& operand, const IndexVar& var, const Place& place) {
    std::string name = operand.tensor.name();
    bool has_level = operand.level >= 0 && operand.level < operand.tensor.order() &&
                     operand.path.size() == static_cast<size_t>(operand.level) + 1;
    check(has_level && operand.path.back() == var, "'{}' has no such level to reach in the loop over '{}'", name,
          var.name());
    for (size_t n = 0; has_level && n + 1 < operand.path.size(); n++)
      check(contains(place.bound, operand.path[n]), "a level of '{}' is reached before '{}' has a value", name,
            operand.path[n].name());
    check(can_read(operand.tensor, place), "'{}' is read before it is filled", name);
  }

  bool can_read(const TensorVar& tensor, const Place& place) const {
    bool is_given = tensor.condition() || program_.environment.windows.count(tensor);
    return is_given || std::find(place.readable.begin(), place.readable.end(), tensor) != place.readable.end();
  }

  void assignment(const concrete::Assign& assign, const Place& place) {
    for (const IndexVar& var : assign.lhs.indices) {
      check(contains(place.bound, var) || concrete::is_slot(program_.environment, var),
            "'{}' has no value where '{}' is written", var.name(), assign.lhs.tensor.name());
    }
    for (const concrete::Access& access : notation::accesses(assign.rhs)) {
      for (const IndexVar& var : access.indices)
        check(contains(place.bound, var), "'{}' has no value where '{}' is read", var.name(), access.tensor.name());
      check(can_read(access.tensor, place), "'{}' is read before it is filled", access.tensor.name());
      if (!was_written_) continue;
      check(concrete::follows(access, place.bound), "'{}' cannot be walked in this order of loops",
            access.tensor.name());
      check_reached(access, place);
    }
    notation::for_each(assign.rhs, [&](const concrete::Expr& expr) {
      const notation::Coordinate* coordinate = expr.as<notation::Coordinate>();
      check(!coordinate || contains(place.bound, coordinate->var), "'{}' has no value where it is read",
            coordinate ? coordinate->var.name() : "");
    });
    if (assign.unless_equal) {
      for (const IndexVar& var : {assign.unless_equal->first, assign.unless_equal->second})
        check(contains(place.bound, var), "'{}' has no value where it is compared", var.name());
    }
    const TensorVar& tensor = assign.lhs.tensor;
    if (!is_result(tensor) && tensor.order() == 0) return;
    const Filling* known = filling(tensor);
    check(known != nullptr, "nothing says how '{}' is filled", tensor.name());
    if (!known) return;
    check_filling(assign.lhs, *known, place);
    if (is_result(tensor)) check_appended(assign.lhs, *known, place);
  }

  /// Levels that may lack a coordinate are looked at by the loop over it.
  void check_reached(const concrete::Access& access, const Place& place) {
    if (access.tensor.condition()) return;
    std::vector<IndexVar> vars = concrete::level_vars(access);
    for (size_t l = 0; l < vars.size(); l++) {
      const level::Format& format = *access.tensor.format().levels()[l].format;
      bool has_loop = std::any_of(place.loops.begin(), place.loops.end(),
                                  [&](const concrete::Forall* loop) { return loop->var == vars[l]; });
      check(has_loop || level::is_always_found(format) || format.is_implied() || is_at_point(vars[l]),
            "'{}' is read at '{}', which may not be there and has no loop of its own", access.tensor.name(),
            vars[l].name());
    }
  }
  bool is_at_point(const IndexVar& var) const {
    const std::vector<concrete::Derivation>& all = program_.environment.derivations;
    return std::any_of(all.begin(), all.end(), [&](const concrete::Derivation& derivation) {
      return derivation.var == var && derivation.as<concrete::AtPoint>();
    });
  }

  /// Where a component is written.
  void check_filling(const concrete::Access& lhs, const Filling& filling, const Place& place) {
    const std::string& name = lhs.tensor.name();
    std::vector<IndexVar> vars = concrete::level_vars(lhs);
    if (const AppendedInPieces* n = std::get_if<AppendedInPieces>(&filling))
      check(contains(place.divided, n->loop), "'{}' is made in pieces of a loop that is not in pieces", name);
    if (const IndexFirst* n = std::get_if<IndexFirst>(&filling))
      check(index_first_through(program_, lhs.tensor, plan_.fillings) == n->workspace,
            "the index of '{}' cannot be there before its values", name);
    if (const Slotted* n = std::get_if<Slotted>(&filling))
      check(contains(lhs.indices, n->within), "entries of '{}' are counted within what is not their index", name);
    if (const PatternOf* n = std::get_if<PatternOf>(&filling)) {
      if (was_written_) check_pattern(lhs.tensor, *n);
      std::vector<IndexVar> shared = concrete::level_vars(n->operand);
      for (int l = 0; l < n->levels; l++) {
        const IndexVar& var = shared[static_cast<size_t>(l)];
        check(var == vars[static_cast<size_t>(l)] && contains(place.bound, var),
              "'{}' is written where '{}' has no position", name, n->operand.tensor.name());
      }
      check(can_read(n->operand.tensor, place), "'{}' is read before it is filled", n->operand.tensor.name());
    }
  }

  void check_pattern(const TensorVar& result, const PatternOf& filling) {
    std::optional<concrete::SharedPattern> known = concrete::pattern_shared_with(filling.operand, program_, result);
    check(known && known->levels == filling.levels, "'{}' has not the pattern of '{}' in so many levels", result.name(),
          filling.operand.tensor.name());
    check(filling.noted || !known || !known->noted, "nodes of '{}' have to be noted", result.name());
  }

  /// Does the loop go through one operand, which is found at every coordinate?
  static bool drains_workspace(const Loop* way) {
    if (!way || way->lattice.points.size() != 1 || way->lattice.operands.size() != 1) return false;
    const lattice::Operand& operand = way->lattice.operands[0];
    return operand.tensor.format().levels()[static_cast<size_t>(operand.level)].format->locate() != nullptr;
  }
  /// Are its points visited by parts in any order?
  bool is_by_number(const IndexVar& var) const {
    const std::vector<concrete::PieceLoop>& cuts = program_.environment.piece_loops;
    return std::any_of(cuts.begin(), cuts.end(),
                       [&](const concrete::PieceLoop& cut) { return cut.by_number && contains(cut.loops, var); });
  }

  /// Nodes of a level come one after the other, each with all that is below it.
  void check_appended(const concrete::Access& lhs, const Filling& filling, const Place& place) {
    std::vector<IndexVar> vars = concrete::level_vars(lhs);
    size_t reached = 0;
    for (int level = 0; level < lhs.tensor.order(); level++) {
      const level::Format& format = *lhs.tensor.format().levels()[static_cast<size_t>(level)].format;
      // Below levels with a place for every coordinate, nodes come in the order of these places.
      bool is_above = was_written_ && level < last_appended(filling, lhs.tensor).value_or(0) &&
                      !concrete::is_slot(program_.environment, vars[static_cast<size_t>(level)]);
      if (!(is_above || is_appended(filling, lhs.tensor, level)) || format.is_implied()) continue;
      auto own = std::find_if(place.loops.begin(), place.loops.end(), [&](const concrete::Forall* loop) {
        return loop->var == vars[static_cast<size_t>(level)];
      });
      size_t number = static_cast<size_t>(own - place.loops.begin());
      check(own != place.loops.end(), "no loop appends to level {} of '{}'", level + 1, lhs.tensor.name());
      if (own == place.loops.end()) return;
      bool keeps_order = format.properties().ordered != level::Ordered::No;
      const Loop* way = place.ways[number];
      bool is_everywhere = is_above && way && way->strategy.over_universe;
      bool in_order = is_everywhere || (keeps_order ? concrete::visits_in_order(**own) : concrete::visits_once(**own));
      check(number + 1 > reached && in_order && !(was_written_ && is_by_number((*own)->var)),
            "level {} of '{}' is not appended to in order", level + 1, lhs.tensor.name());
      bool arranges = format.arrange() && level + 1 < lhs.tensor.order();
      check(!arranges || (drains_workspace(way) && (level > 0 || place.divided.empty())),
            "level {} of '{}' takes its own order when all of it is there, so a loop over a workspace appends to it",
            level + 1, lhs.tensor.name());
      reached = number + 1;
    }
  }

  const Plan& plan_;
  const concrete::Program& program_;
  bool was_written_;
  Mistake at_;  // where the verifier is
  std::optional<Mistake> found_;
};

}  // namespace

std::optional<std::string> find_problem(const Plan& plan) {
  std::optional<Mistake> found = Verifier(plan, false).run(plan.root);
  return found ? std::optional(found->what) : std::nullopt;
}

std::optional<Mistake> find_mistake(const Plan& plan) {
  if (std::optional<Mistake> found = find_wrong_fact(plan)) return found;
  return Verifier(plan, true).run(plan.root);
}

void verify(const Plan& plan) {
  if (std::optional<std::string> problem = find_problem(plan)) throw InternalError("plan", *problem, to_string(plan));
}

}  // namespace filigree::plan
