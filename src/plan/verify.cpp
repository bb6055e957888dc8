#include "plan/verify.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "concrete/loop_order.h"
#include "concrete/derivations.h"
#include "concrete/visits.h"
#include "concrete/workspace.h"
#include "plan/clearing.h"
#include "plan/division.h"
#include "plan/fillings.h"
#include "plan/text.h"
#include "plan/tiles.h"
#include "support/check.h"

namespace filigree::plan {
namespace {

using lattice::Mask;

/// What is known at a place in the tree.
struct Place {
  std::vector<IndexVar> bound;
  std::vector<const concrete::Forall*> loops;
  std::vector<TensorVar> readable;
  std::vector<IndexVar> divided;  // of the loops, those that are in pieces
};

class Verifier {
 public:
  explicit Verifier(const Plan& plan) : plan_(plan), program_(plan.program) {}

  std::optional<std::string> run(const Body& root) {
    for (const auto& [tensor, filling] : plan_.fillings) {
      if (std::optional<std::string> why = plan::find_problem(filling, tensor, plan_.mode)) check(false, *why);
      const Inserted* inserted = std::get_if<Inserted>(&filling);
      check(!inserted || !inserted->cleared_in || can_be_cleared_in(*inserted->cleared_in, tensor, plan_),
            "'{}' is cleared in a loop that does not write all of it", tensor.name());
      if (is_result(tensor) && std::holds_alternative<Placed>(filling))
        check(plan_.mode == Mode::Grow || plan_.mode == Mode::Pattern, "'{}' is placed where its index is not made",
              tensor.name());
    }
    for (const TensorVar& result : program_.results)
      check(makes_whole() || concrete::has_all_modes(result.format()),
            "index and values of '{}' come together, not one without the other", result.name());
    if (!problem_) body(root, {{}, {}, program_.operands, {}});
    return problem_;
  }

 private:
  /// Results with index and values, or values of results that are there.
  bool makes_whole() const { return plan_.mode == Mode::Grow || plan_.mode == Mode::Update; }

  void check(bool holds, const std::string& what) {
    if (!holds && !problem_) problem_ = what;
  }
  template <class... Parts>
  void check(bool holds, const char* what, const Parts&... parts) {
    if (!holds && !problem_) problem_ = fmt::format(fmt::runtime(what), parts...);
  }

  void body(const Body& body, Place place) {
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
    if (problem_) return;
    match(
        stmt,
        [&](const Loop& n) {
          check_shared(*stmt.what().as<concrete::Forall>(), n.shared);
          loop(n, *stmt.what().as<concrete::Forall>(), check_division(stmt, n.division, place));
        },
        [&](const Pieces& n) {
          check_shared(*stmt.what().as<concrete::Forall>(), n.shared);
          check(!n.full_first || full_size(n.cut, program_.environment),
                "full pieces of '{}' come first, and have no size", n.cut.var.name());
          body(n.body, inside(*stmt.what().as<concrete::Forall>(), check_division(stmt, n.division, place)));
        },
        [&](const Where& n) {
          if (place.loops.empty()) check_placed(n.producer.stmt, false);
          check(!n.once || concrete::writes_once(n.producer.stmt.what(), program_.environment),
                "'{}' does not write each component once", concrete::to_string(n.producer.stmt.what()));
          for (const TensorVar& temporary : concrete::targets(n.producer.stmt.what()))
            check(!n.whole || (temporary.order() > 0 && concrete::writes_all_points(n.producer.stmt.what(), temporary,
                                                                                    program_.environment)),
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
    check(!division->by || measured_by(stmt, program_) == division->by,
          "pieces of the loop over '{}' are measured by what is not below it", var.name());
    check(!division->pieces || *division->pieces > 0, "the loop over '{}' is in no pieces", var.name());
    place.divided.push_back(var);
    return place;
  }

  void check_shared(const concrete::Forall& forall, const std::vector<SharedResult>& shared) {
    if (!forall.tag.parallel && !forall.tag.gpu) return;
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
    if (problem_) return;
    bool in_any_order = result.format().levels().back().format->properties().ordered == level::Ordered::No;
    check(placed.sorts || !how->sorts || in_any_order, "nodes of '{}' are not placed in order", name);
    check(placed.merges || !how->merges, "components of '{}' may be written several times", name);
    check(!placed.in_order_of || how->grouped, "nodes of '{}' are not placed in the order of their parents", name);
  }

  Place inside(const concrete::Forall& forall, Place place) {
    check(!contains(place.bound, forall.var), "a loop is over '{}', which has a value already", forall.var.name());
    check(program_.environment.extents.count(forall.var) > 0, "nothing says how far '{}' goes", forall.var.name());
    place.bound.push_back(forall.var);
    place.loops.push_back(&forall);
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
    if (problem_) return;
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
    check(strategy.used == used, "the loop over '{}' uses other operands than its cases", lattice.var.name());
    for (const lattice::Operand& operand : lattice.operands) check_operand(operand, lattice.var, place);
    if (problem_) return;
    if (std::optional<std::string> why = lattice::find_problem(lattice, strategy)) check(false, *why);
    Place within = inside(forall, place);
    for (const Body& one : loop.bodies) body(one, within);
    if (loop.if_empty) this->loop(*loop.if_empty, forall, place);
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
    }
    const TensorVar& tensor = assign.lhs.tensor;
    if (!is_result(tensor) && tensor.order() == 0) return;
    const Filling* known = filling(tensor);
    check(known != nullptr, "nothing says how '{}' is filled", tensor.name());
    if (!known) return;
    check_filling(assign.lhs, *known, place);
    if (is_result(tensor)) check_appended(assign.lhs, *known, place);
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
      std::vector<IndexVar> shared = concrete::level_vars(n->operand);
      for (int l = 0; l < n->levels; l++) {
        const IndexVar& var = shared[static_cast<size_t>(l)];
        check(var == vars[static_cast<size_t>(l)] && contains(place.bound, var),
              "'{}' is written where '{}' has no position", name, n->operand.tensor.name());
      }
      check(can_read(n->operand.tensor, place), "'{}' is read before it is filled", n->operand.tensor.name());
    }
  }

  /// Nodes of a level come one after the other, each with all that is below it.
  void check_appended(const concrete::Access& lhs, const Filling& filling, const Place& place) {
    std::vector<IndexVar> vars = concrete::level_vars(lhs);
    size_t reached = 0;
    for (int level = 0; level < lhs.tensor.order(); level++) {
      const level::Format& format = *lhs.tensor.format().levels()[static_cast<size_t>(level)].format;
      if (!is_appended(filling, lhs.tensor, level) || format.is_implied()) continue;
      auto own = std::find_if(place.loops.begin(), place.loops.end(), [&](const concrete::Forall* loop) {
        return loop->var == vars[static_cast<size_t>(level)];
      });
      size_t number = static_cast<size_t>(own - place.loops.begin());
      check(own != place.loops.end(), "no loop appends to level {} of '{}'", level + 1, lhs.tensor.name());
      if (own == place.loops.end()) return;
      bool keeps_order = format.properties().ordered != level::Ordered::No;
      check(number + 1 > reached && (keeps_order ? concrete::visits_in_order(**own) : concrete::visits_once(**own)),
            "level {} of '{}' is not appended to in order", level + 1, lhs.tensor.name());
      reached = number + 1;
    }
  }

  const Plan& plan_;
  const concrete::Program& program_;
  std::optional<std::string> problem_;
};

}  // namespace

std::optional<std::string> find_problem(const Plan& plan) { return Verifier(plan).run(plan.root); }

void verify(const Plan& plan) {
  if (std::optional<std::string> problem = find_problem(plan)) throw InternalError("plan", *problem, to_string(plan));
}

}  // namespace filigree::plan
