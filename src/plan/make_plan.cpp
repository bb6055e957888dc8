#include <algorithm>
#include <bit>

#include "concrete/derivations.h"
#include "concrete/visits.h"
#include "plan/clearing.h"
#include "plan/division.h"
#include "plan/fillings.h"
#include "plan/launches.h"
#include "plan/plan.h"
#include "plan/tiles.h"

namespace filigree::plan {

namespace {

using Vars = std::vector<IndexVar>;

/// Where a statement stands.
struct Place {
  PiecesAround pieces;
  Vars bound = {};
  bool in_loop = false;
  bool in_passes = false;  // the loops around are run twice
};

class Planner {
 public:
  Planner(const concrete::Program& program, const Purpose& purpose)
      : program_(program),
        environment_(program.environment),
        purpose_(purpose),
        fillings_(choose_fillings(program, purpose)) {
    for (const concrete::Forall& loop : concrete::tagged_loops(program.statement))
      is_for_units_ = is_for_units_ || loop.tag.gpu;
  }

  Body enter(const concrete::Stmt& stmt, Place place) {
    std::vector<concrete::Derivation> computed = concrete::derived(environment_, place.bound, stmt);
    for (const concrete::Derivation& derivation : computed) place.bound.push_back(derivation.var);
    return {std::move(computed), plan(stmt, place)};
  }

  const Fillings& fillings() const { return fillings_; }

 private:
  Stmt plan(const concrete::Stmt& stmt, const Place& place) {
    return match(
        stmt, [&](const concrete::Forall& n) { return plan_forall(stmt, n, place); },
        [&](const concrete::Where& n) { return plan_where(stmt, n, place); },
        [&](const concrete::Sequence& n) { return Stmt(stmt, Sequence{plan_all(n.statements, place)}); },
        [&](const concrete::Multi& n) { return Stmt(stmt, Multi{plan_all(n.statements, place)}); },
        [&](const concrete::Assign&) { return Stmt(stmt, Assign{}); });
  }

  std::vector<Stmt> plan_all(const std::vector<concrete::Stmt>& statements, const Place& place) {
    std::vector<Stmt> all;
    for (const concrete::Stmt& stmt : statements) all.push_back(plan(stmt, place));
    return all;
  }

  Stmt plan_where(const concrete::Stmt& stmt, const concrete::Where& where, const Place& place) {
    std::optional<TensorVar> placed = placed_by(where.producer, false);
    Place producing = place;
    producing.in_passes = place.in_passes || placed.has_value();
    Body producer = enter(where.producer, producing);
    bool is_guarded = std::any_of(producer.computed.begin(), producer.computed.end(),
                                  [](const concrete::Derivation& derivation) { return derivation.guarded; });
    if (placed && !place.in_loop) producer.stmt = in_passes(producer.stmt, *placed, !is_guarded);
    Where planned{enter(where.consumer, place), producer};
    for (const TensorVar& tensor : concrete::targets(where.producer)) {
      if (tensor.order() == 0 || !is_temporary(tensor)) continue;
      planned.once = concrete::writes_once(where.producer, environment_);
      planned.whole = !placed && concrete::writes_all_points(where.producer, tensor, environment_);
    }
    return Stmt(stmt, planned);
  }

  Stmt plan_forall(const concrete::Stmt& stmt, const concrete::Forall& forall, const Place& place) {
    std::optional<TensorVar> placed;
    if (!place.in_loop && !place.in_passes) placed = placed_by(forall.body, true);
    Place inside = place;
    inside.in_loop = true;
    inside.in_passes = place.in_passes || placed.has_value();
    Stmt planned = plan_loop(stmt, forall, inside);
    if (placed) return in_passes(planned, *placed, true);
    return forall.tag.parallel && !place.in_passes ? divided(planned) : planned;
  }

  Stmt plan_loop(const concrete::Stmt& stmt, const concrete::Forall& forall, const Place& inside) {
    bool is_launch = forall.tag.gpu && !launch_;
    if (!is_launch) return plan_iterations(stmt, forall, inside, false);
    launch_.emplace(purpose_.policy->grids());
    Stmt planned = plan_iterations(stmt, forall, inside, true);
    Launch launch = launch_->launch();
    launch_.reset();
    return with_launch(planned, launch);
  }

  Stmt plan_iterations(const concrete::Stmt& stmt, const concrete::Forall& forall, Place inside, bool is_launch) {
    const std::vector<concrete::PieceLoop>& cuts = environment_.piece_loops;
    auto cut =
        std::find_if(cuts.begin(), cuts.end(), [&](const concrete::PieceLoop& c) { return c.var == forall.var; });
    std::optional<lattice::Lattice> lattice;
    if (cut == cuts.end()) {
      lattice = lattice::build_lattice(forall, inside.bound, environment_);
      inside.pieces.enter_points(forall.var, inside.bound);
    }
    if (forall.tag.gpu) {
      std::optional<std::int64_t> most;
      if (!is_launch) most = inside.pieces.most_iterations(forall.var);
      launch_->note(*forall.tag.gpu, most, sums_scalars(forall, lattice ? &*lattice : nullptr, program_));
    }
    if (lattice) return Stmt(stmt, plan_lattice(*lattice, inside, forall));
    inside.bound.push_back(forall.var);
    inside.pieces.enter(*cut);
    Pieces pieces{*cut, enter(forall.body, inside), {}, shared_by(forall)};
    // Units of a GPU have few pieces each.
    pieces.full_first = !is_for_units_ && wants_full_first(pieces, environment_) && can_be_copied(pieces.body.stmt);
    return Stmt(stmt, pieces);
  }

  /// One assignment, to something that no loop over `var` appends to?
  bool is_short(const concrete::Stmt& body, const IndexVar& var) const {
    const concrete::Assign* assign = body.as<concrete::Assign>();
    if (!assign || is_temporary(assign->lhs.tensor)) return assign != nullptr;
    std::vector<IndexVar> vars = concrete::level_vars(assign->lhs);
    const Filling& filling = fillings_.at(assign->lhs.tensor);
    for (size_t l = 0; l < vars.size(); l++) {
      if (vars[l] == var && is_appended(filling, assign->lhs.tensor, static_cast<int>(l))) return false;
    }
    return true;
  }

  bool is_temporary(const TensorVar& tensor) const {
    return std::find(program_.results.begin(), program_.results.end(), tensor) == program_.results.end();
  }

  /// Results that iterations share, if these run at the same time.
  std::vector<SharedResult> shared_by(const concrete::Forall& forall) const {
    std::vector<SharedResult> shared;
    if (!forall.tag.parallel && !forall.tag.gpu) return shared;
    for (const TensorVar& tensor : concrete::written(forall.body)) {
      std::optional<RacingWrites> writes;
      if (!is_temporary(tensor) && writes_values(purpose_.mode)) writes = racing_writes(forall, tensor, environment_);
      if (writes) shared.push_back({tensor, writes->op});
    }
    return shared;
  }

  Loop plan_lattice(const lattice::Lattice& lattice, const Place& place, const concrete::Forall& forall) {
    Place inside = place;
    inside.bound.push_back(lattice.var);
    Loop loop{lattice, lattice::choose_strategy_of_part(lattice, environment_.protocols), {}};
    loop.shared = shared_by(forall);
    if (!place.bound.empty() && !is_for_units_)
      lattice::remember_unchanged(lattice, place.bound.back(), program_.operands, loop.strategy);
    for (const lattice::Point& point : lattice.points) {
      bool is_of_two = std::popcount(point.present & loop.strategy.with(concrete::Protocol::Step)) == 2;
      loop.repeated.push_back(loop.strategy.by_length[loop.bodies.size()] && is_of_two &&
                              is_short(point.body, lattice.var));
      loop.bodies.push_back(enter(point.body, inside));
    }
    if (lattice.if_empty)
      loop.if_empty = std::make_shared<const Loop>(plan_lattice(lattice::with_universe(lattice), place, forall));
    return loop;
  }

  // --- What is copied, and what is filled whole ----------------------------------------------------------

  /// The most copies of an assignment that loops with full pieces apart make of it.
  static int copies(const Stmt& stmt) {
    int most = 1;
    auto look = [&](const Stmt& inside) { most = std::max(most, copies(inside)); };
    match(
        stmt,
        [&](const Loop& n) {
          for (const Body& body : n.bodies) look(body.stmt);
        },
        [&](const Pieces& n) {
          look(n.body.stmt);
          if (n.full_first) most *= 2;
        },
        [&](const Where& n) { look(n.producer.stmt), look(n.consumer.stmt); },
        [&](const Sequence& n) { std::for_each(n.statements.begin(), n.statements.end(), look); },
        [&](const Multi& n) { std::for_each(n.statements.begin(), n.statements.end(), look); }, [](const Assign&) {});
    return most;
  }
  bool can_be_copied(const Stmt& stmt) const { return 2 * copies(stmt) <= purpose_.policy->most_copies(); }

  static Stmt with_launch(const Stmt& stmt, const Launch& launch) {
    if (const Pieces* pieces = stmt.as<Pieces>()) {
      Pieces launched = *pieces;
      launched.launch = launch;
      return Stmt(stmt.what(), launched);
    }
    Loop launched = *stmt.as<Loop>();
    launched.launch = launch;
    return Stmt(stmt.what(), launched);
  }

  // --- Loops in pieces -----------------------------------------------------------------------------

  static Stmt with_division(const Stmt& stmt, const Division& division) {
    if (const Pieces* pieces = stmt.as<Pieces>()) {
      Pieces divided = *pieces;
      divided.division = division;
      return Stmt(stmt.what(), divided);
    }
    Loop loop = *stmt.as<Loop>();
    loop.division = division;
    return Stmt(stmt.what(), loop);
  }

  /// A parallel loop, unless a result that it writes is made by one iteration after the other.
  Stmt divided(const Stmt& stmt) const {
    const concrete::Forall& forall = *stmt.what().as<concrete::Forall>();
    Division division{measured_by(stmt, program_)};
    for (const TensorVar& tensor : concrete::written(forall.body)) {
      auto filling = fillings_.find(tensor);
      if (filling == fillings_.end()) continue;
      if (std::holds_alternative<Appended>(filling->second)) return stmt;
      bool has_own = !is_temporary(tensor) && purpose_.deterministic &&
                     forall.tag.races == concrete::Races::Temporary && shares(stmt, tensor);
      std::int64_t affordable = purpose_.policy->fixed_pieces(tensor.order() > 0);
      if (has_own) division.pieces = std::min(division.pieces.value_or(affordable), affordable);
    }
    return with_division(stmt, division);
  }

  /// The tensor that the loops run twice for, if there is one.
  std::optional<TensorVar> placed_by(const concrete::Stmt& stmt, bool is_result) const {
    for (const TensorVar& tensor : concrete::targets(stmt)) {
      auto filling = fillings_.find(tensor);
      bool is_placed = filling != fillings_.end() && (std::holds_alternative<Placed>(filling->second) ||
                                                      std::holds_alternative<Slotted>(filling->second));
      if (is_placed && is_temporary(tensor) != is_result) return tensor;
    }
    return std::nullopt;
  }

  /// Outermost loops that run twice, in pieces if there are threads and they `may_be_cut`.
  Stmt in_passes(const Stmt& stmt, const TensorVar& tensor, bool may_be_cut) {
    Placed* placed = std::get_if<Placed>(&fillings_.at(tensor));
    if (!placed) return stmt;
    bool in_pieces = purpose_.parallel && may_be_cut && can_be_cut(stmt, environment_);
    *placed = with_passes(*placed, stmt, tensor, program_, in_pieces);
    return in_pieces ? with_division(stmt, {measured_by(stmt, program_)}) : stmt;
  }

  const concrete::Program& program_;
  const concrete::Environment& environment_;
  Purpose purpose_;
  Fillings fillings_;
  bool is_for_units_ = false;          // of a GPU
  std::optional<LaunchSizes> launch_;  // of the nest for them that is being planned
};

}  // namespace

Plan make_plan(const concrete::Program& program, const Purpose& purpose) {
  Planner planner(program, purpose);
  Body root = planner.enter(program.statement, {PiecesAround(program.environment)});
  Plan plan{program, root, purpose.mode, planner.fillings()};
  choose_clearing(plan);
  if (purpose.deterministic) plan.thread_pieces = purpose.policy->fixed_pieces(false);
  plan.lookups = purpose.policy->lookups();
  plan.memory = purpose.policy->memory();
  plan.cases = purpose.policy->cases();
  // What was asked for is decided, and what there is to say about it has been said.
  concrete::Environment& environment = plan.program.environment;
  environment.protocols.clear();
  environment.assembly.reset();
  environment.remarks.clear();
  environment.two_passes.clear();
  environment.shared_patterns.clear();
  return plan;
}

}  // namespace filigree::plan
