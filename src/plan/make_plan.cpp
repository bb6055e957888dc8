#include <algorithm>

#include "concrete/relations.h"
#include "plan/plan.h"

namespace filigree::plan {

const concrete::Stmt& Stmt::what() const { return node_->what; }
const StmtKind& Stmt::kind() const { return node_->kind; }

namespace {

using Vars = std::vector<IndexVar>;

class Planner {
 public:
  explicit Planner(const concrete::Environment& environment) : environment_(environment) {}

  /// Where `bound` have values.
  Body enter(const concrete::Stmt& stmt, Vars bound) const {
    std::vector<concrete::Relation> computed = concrete::derived(environment_, bound, stmt);
    for (const concrete::Relation& relation : computed) bound.push_back(relation.var);
    return {std::move(computed), plan(stmt, bound)};
  }

 private:
  Stmt plan(const concrete::Stmt& stmt, const Vars& bound) const {
    return match(
        stmt, [&](const concrete::Forall& n) { return plan_forall(stmt, n, bound); },
        [&](const concrete::Where& n) { return Stmt(stmt, Where{enter(n.consumer, bound), enter(n.producer, bound)}); },
        [&](const concrete::Sequence& n) { return Stmt(stmt, Sequence{plan_all(n.statements, bound)}); },
        [&](const concrete::Multi& n) { return Stmt(stmt, Multi{plan_all(n.statements, bound)}); },
        [&](const concrete::Assign&) { return Stmt(stmt, Assign{}); });
  }

  std::vector<Stmt> plan_all(const std::vector<concrete::Stmt>& statements, const Vars& bound) const {
    std::vector<Stmt> all;
    for (const concrete::Stmt& stmt : statements) all.push_back(plan(stmt, bound));
    return all;
  }

  Stmt plan_forall(const concrete::Stmt& stmt, const concrete::Forall& forall, const Vars& bound) const {
    const std::vector<concrete::Cut>& cuts = environment_.cuts;
    auto cut = std::find_if(cuts.begin(), cuts.end(), [&](const concrete::Cut& c) { return c.var == forall.var; });
    if (cut == cuts.end()) return Stmt(stmt, plan_loop(lattice::build_lattice(forall, bound, environment_), bound));
    Vars inside = bound;
    inside.push_back(forall.var);
    return Stmt(stmt, Pieces{*cut, enter(forall.body, inside)});
  }

  Loop plan_loop(const lattice::Lattice& lattice, const Vars& bound) const {
    Vars inside = bound;
    inside.push_back(lattice.var);
    Loop loop{lattice, lattice::choose_strategy_of_part(lattice, environment_.protocols), {}};
    for (const lattice::Point& point : lattice.points) loop.bodies.push_back(enter(point.body, inside));
    if (lattice.if_empty)
      loop.if_empty = std::make_shared<const Loop>(plan_loop(lattice::with_universe(lattice), bound));
    return loop;
  }

  const concrete::Environment& environment_;
};

}  // namespace

Plan make_plan(const concrete::Program& program) {
  Plan plan{program, Planner(program.environment).enter(program.statement, {})};
  // What was asked for is decided, and what there is to say about it has been said.
  plan.program.environment.protocols.clear();
  plan.program.environment.assembly.reset();
  plan.program.environment.remarks.clear();
  return plan;
}

}  // namespace filigree::plan
