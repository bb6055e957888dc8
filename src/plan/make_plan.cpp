#include <algorithm>

#include "concrete/derivations.h"
#include "plan/division.h"
#include "plan/fillings.h"
#include "plan/plan.h"

namespace filigree::plan {

const concrete::Stmt& Stmt::what() const { return node_->what; }
const StmtKind& Stmt::kind() const { return node_->kind; }

namespace {

using Vars = std::vector<IndexVar>;

/// Where a statement stands.
struct Place {
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
    return Stmt(stmt, Where{enter(where.consumer, place), producer});
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

  Stmt plan_loop(const concrete::Stmt& stmt, const concrete::Forall& forall, Place inside) {
    const std::vector<concrete::PieceLoop>& cuts = environment_.piece_loops;
    auto cut =
        std::find_if(cuts.begin(), cuts.end(), [&](const concrete::PieceLoop& c) { return c.var == forall.var; });
    if (cut == cuts.end())
      return Stmt(stmt, plan_lattice(lattice::build_lattice(forall, inside.bound, environment_), inside));
    inside.bound.push_back(forall.var);
    return Stmt(stmt, Pieces{*cut, enter(forall.body, inside)});
  }

  Loop plan_lattice(const lattice::Lattice& lattice, const Place& place) {
    Place inside = place;
    inside.bound.push_back(lattice.var);
    Loop loop{lattice, lattice::choose_strategy_of_part(lattice, environment_.protocols), {}};
    if (!place.bound.empty() && !is_for_units_)
      lattice::remember_unchanged(lattice, place.bound.back(), program_.operands, loop.strategy);
    for (const lattice::Point& point : lattice.points) loop.bodies.push_back(enter(point.body, inside));
    if (lattice.if_empty)
      loop.if_empty = std::make_shared<const Loop>(plan_lattice(lattice::with_universe(lattice), place));
    return loop;
  }

  // --- Loops in pieces -----------------------------------------------------------------------------

  static Stmt with_division(const Stmt& stmt, const Division& division) {
    if (const Pieces* pieces = stmt.as<Pieces>()) return Stmt(stmt.what(), Pieces{pieces->cut, pieces->body, division});
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
      bool is_result = std::find(program_.results.begin(), program_.results.end(), tensor) != program_.results.end();
      bool has_own = is_result && purpose_.deterministic && forall.tag.races == concrete::Races::Temporary &&
                     writes_values(purpose_.mode) && racing_writes(forall, tensor, environment_);
      std::int64_t affordable = tensor.order() == 0 ? fixed_pieces : fixed_tensors;
      if (has_own) division.pieces = std::min(division.pieces.value_or(affordable), affordable);
    }
    return with_division(stmt, division);
  }

  /// The tensor that the loops run twice for, if there is one.
  std::optional<TensorVar> placed_by(const concrete::Stmt& stmt, bool is_result) const {
    for (const TensorVar& tensor : concrete::targets(stmt)) {
      bool is_among = std::find(program_.results.begin(), program_.results.end(), tensor) != program_.results.end();
      auto filling = fillings_.find(tensor);
      bool is_placed = filling != fillings_.end() && (std::holds_alternative<Placed>(filling->second) ||
                                                      std::holds_alternative<Slotted>(filling->second));
      if (is_placed && is_among == is_result) return tensor;
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
  bool is_for_units_ = false;  // of a GPU
};

}  // namespace

Plan make_plan(const concrete::Program& program, const Purpose& purpose) {
  Planner planner(program, purpose);
  Body root = planner.enter(program.statement, {});
  Plan plan{program, root, purpose.mode, planner.fillings()};
  if (purpose.deterministic) plan.thread_pieces = fixed_pieces;
  // What was asked for is decided, and what there is to say about it has been said.
  concrete::Environment& environment = plan.program.environment;
  environment.protocols.clear();
  environment.assembly.reset();
  environment.remarks.clear();
  environment.two_passes.clear();
  environment.shared_patterns.clear();
  return plan;
}

namespace {

bool divides_among_threads(const Stmt& stmt) {
  auto is_by_threads = [](const std::optional<Division>& division) { return division && !division->pieces; };
  auto any = [](const std::vector<Stmt>& all) { return std::any_of(all.begin(), all.end(), divides_among_threads); };
  return match(
      stmt,
      [&](const Loop& n) {
        return is_by_threads(n.division) || std::any_of(n.bodies.begin(), n.bodies.end(), [](const Body& body) {
                 return divides_among_threads(body.stmt);
               });
      },
      [&](const Pieces& n) { return is_by_threads(n.division) || divides_among_threads(n.body.stmt); },
      [&](const Where& n) { return divides_among_threads(n.consumer.stmt) || divides_among_threads(n.producer.stmt); },
      [&](const Sequence& n) { return any(n.statements); }, [&](const Multi& n) { return any(n.statements); },
      [](const Assign&) { return false; });
}

}  // namespace

bool uses_threads(const Plan& plan) {
  const std::vector<concrete::PieceLoop>& cuts = plan.program.environment.piece_loops;
  bool has_cut = std::any_of(cuts.begin(), cuts.end(), [](const concrete::PieceLoop& cut) {
    return cut.given == concrete::PieceLoop::Given::Threads;
  });
  bool copies = std::any_of(plan.fillings.begin(), plan.fillings.end(), [](const auto& known) {
    const PatternOf* shared = std::get_if<PatternOf>(&known.second);
    return shared && shared->on_threads;
  });
  return (has_cut && !plan.thread_pieces) || copies || divides_among_threads(plan.root.stmt);
}

}  // namespace filigree::plan
