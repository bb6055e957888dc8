// forall(v, body): the loops of v's lattice, and what results need around them.
#include <algorithm>

#include "concrete/derivations.h"
#include "lower/formula.h"
#include "lower/lattice_loops.h"
#include "support/check.h"

namespace filigree::lowering {

using lattice::Lattice;
using lattice::Operand;
using lattice::Point;

ir::Stmt Lowerer::lower_forall(const plan::Stmt& stmt, const Scope& scope) {
  const concrete::Forall& forall = *stmt.what().as<concrete::Forall>();
  const plan::Division* division = division_of(stmt);
  if (scope.is_outermost()) {
    for (Result* r : results_of(forall.body)) {
      if (std::optional<ir::Stmt> run = r->run(*this, stmt, scope)) return *run;
    }
  }
  return division ? lower_parallel(stmt, *division, scope) : lower_undivided(stmt, scope);
}

ir::Stmt Lowerer::lower_undivided(const plan::Stmt& stmt, const Scope& scope) {
  const concrete::Forall& forall = *stmt.what().as<concrete::Forall>();
  return forall.tag.gpu ? lower_units(stmt, scope) : lower_loop(stmt, scope);
}

const plan::Division* Lowerer::division_of(const plan::Stmt& stmt) {
  const plan::Loop* loop = stmt.as<plan::Loop>();
  const plan::Pieces* pieces = stmt.as<plan::Pieces>();
  if (loop) return loop->division ? &*loop->division : nullptr;
  return pieces && pieces->division ? &*pieces->division : nullptr;
}

ir::Stmt Lowerer::run_loop(const ir::For& loop, const IndexVar& var, const Scope& scope) const {
  auto runner = scope.runners.find(var);
  return runner == scope.runners.end() ? ir::Stmt(loop) : (*runner->second)(loop);
}

ir::Stmt Lowerer::at_coordinate(const IndexVar& var, const Scope& scope, const ir::Var& coordinate) {
  std::vector<ir::Stmt> code;
  if (!scope.is_outermost()) return {};
  for (Result* r : results_of(plan_.root.stmt.what())) code.push_back(r->at_coordinate(var, coordinate));
  return ir::block(code);
}

ir::Stmt Lowerer::lower_loop(const plan::Stmt& stmt, const Scope& scope) {
  const concrete::Forall& forall = *stmt.what().as<concrete::Forall>();
  const plan::Pieces* pieces = stmt.as<plan::Pieces>();
  if (pieces) return lower_pieces_of(forall, *pieces, scope);
  Scope here = scope;
  ir::Stmt points = enter_points(forall.var, here);
  return ir::block({points, lower_loops(forall, *stmt.as<plan::Loop>(), here)});
}

ir::For Lowerer::tagged(const Running& how, const Scope& scope, ir::For loop, bool is_within_piece) {
  if (how.tag.vector) loop.loop = ir::LoopKind::Simd;
  if (how.tag.gpu) loop = of_unit(how, scope, loop, is_within_piece);
  loop.unrolled = how.tag.unrolled;
  return loop;
}

ir::Stmt Lowerer::lower_loops(const concrete::Forall& forall, const plan::Loop& loop, const Scope& scope) {
  if (!loop.if_empty) return lower_lattice(forall, loop, scope);
  ir::Expr none_is_empty = ir::boolean(true);
  for (const IndexVar& var : loop.lattice.may_be_empty)
    none_is_empty = ir::both(none_is_empty, ir::less(ir::integer(0), parameters_.extent(var)));
  ir::Stmt usual = lower_lattice(forall, loop, scope);
  return ir::if_then(none_is_empty, usual, lower_lattice(forall, *loop.if_empty, scope));
}

ir::Stmt Lowerer::lower_lattice(const concrete::Forall& forall, const plan::Loop& loop, const Scope& scope) {
  if (std::optional<ir::Stmt> at_once = lower_siblings(forall, loop, scope)) return *at_once;
  LatticeLoops loops(*this, loop, scope);
  std::vector<ir::Stmt> code = {loops.prepare()};
  const ArrangedFirst* arranged = nullptr;
  for (Result* r : results_of(forall.body)) {
    VisitedLoop visited{forall.var, [&] { return loops.iterations(); }};
    code.push_back(r->before_loop(visited, scope));
    if (const ArrangedFirst* own = r->arranged_first(forall.var, scope)) arranged = own;
  }
  code.push_back(arranged ? loops.emit_arranged(*arranged) : loops.emit());
  code.push_back(loops.make_up_for_skipped());
  for (Result* r : results_of(forall.body)) code.push_back(r->after_loop(forall.var, scope));
  return ir::block(code);
}

ir::Stmt Lowerer::lower_point(const plan::Loop& loop, size_t number, const Scope& scope, const ir::Expr& coordinate,
                              const std::map<int, level::Node>& nodes) {
  const Lattice& lattice = loop.lattice;
  const Point& point = lattice.points[number];
  const plan::Body& planned = loop.bodies[number];
  Scope inner = scope;
  inner.in_loop = true;
  inner.bound.push_back(lattice.var);
  inner.coordinates.insert_or_assign(lattice.var, coordinate);
  return bind_computed(planned, inner, loop.keeps, [&] {
    std::vector<ir::Stmt> code;
    for (const auto& [k, node] : nodes) {
      if (!(point.present >> k & 1)) continue;
      ir::Expr position = node.position == node.coordinate ? coordinate : node.position;
      if (!position.as<ir::VarRef>()) {
        ir::Var var = ir::int64_var("p" + instance(lattice.operands[k].tensor, lattice.operands[k].level).name);
        code.push_back(ir::declare(var, position));
        position = var;
      }
      inner.positions.insert_or_assign(lattice.operands[k], position);
      if (node.group_end) inner.group_ends.insert_or_assign(lattice.operands[k], *node.group_end);
    }
    code.push_back(extend_operands(point.body, inner));
    const concrete::Assign* only = plan::only_assign(point.body);
    LoopBody of_loop{lattice.var, scope, only && plan::copies_whole_nodes(*only, plan_.fillings)};
    for (Result* r : results_of(point.body)) code.push_back(r->before_body(of_loop, inner));
    code.push_back(lower(planned.stmt, inner));
    for (Result* r : results_of(point.body)) code.push_back(r->after_body(of_loop, inner));
    return ir::block(code);
  });
}

const ir::Var& Lowerer::list_of(const std::vector<std::int64_t>& entries, const std::string& name) {
  auto known = std::find_if(lists_.begin(), lists_.end(), [&](const List& list) { return list.entries == entries; });
  if (known != lists_.end()) return known->array;
  lists_.push_back({ir::Var(name + "_list", ir::array(ElementType::Int64)), entries});
  return lists_.back().array;
}

ir::Stmt Lowerer::bind_computed(const plan::Body& body, Scope& scope, const std::vector<IndexVar>& kept,
                                const std::function<ir::Stmt()>& then) {
  struct Step {
    ir::Stmt declaration;
    ir::Expr guard;
  };
  std::vector<Step> steps;
  for (const concrete::Derivation& derivation : body.computed) {
    if (const concrete::AtPoint* at = derivation.as<concrete::AtPoint>()) {
      if (scope.is_bound(derivation.var)) continue;  // with the others that the loop is in place of
      Step step{ir::Stmt(), ir::boolean(true)};
      step.declaration = recover(*flat_loop(at->point), scope, step.guard);
      steps.push_back(step);
      continue;
    }
    ir::Var var = ir::int64_var(derivation.var.name());
    FormulaCode code;
    code.value = [&](const IndexVar& source) { return scope.coordinates.at(source); };
    code.list = [&](const std::vector<std::int64_t>& list) { return list_of(list, derivation.var.name()); };
    Step step{ir::declare(var, code(concrete::value(derivation))), ir::boolean(true)};
    if (derivation.guarded && !contains(kept, derivation.var)) {
      ir::Expr below = ir::less(var, parameters_.extent(derivation.var));
      step.guard = concrete::may_be_negative(program_.environment, derivation)
                       ? ir::both(ir::greater_equal(var, ir::integer(0)), below)
                       : below;
    }
    scope.bound.push_back(derivation.var);
    scope.coordinates.insert_or_assign(derivation.var, var);
    steps.push_back(step);
  }
  ir::Stmt code = then();
  for (auto step = steps.rbegin(); step != steps.rend(); ++step)
    code = ir::block({step->declaration, ir::if_then(step->guard, code)});
  return code;
}

ir::Stmt Lowerer::read_padded(const concrete::Access& access, Scope& scope) const {
  ir::Expr inside = ir::boolean(true);
  for (const IndexVar& index : access.indices) {
    if (!index.map() || !index.map()->padded) continue;
    const ir::Expr& at = scope.coordinates.at(index);
    inside = ir::both(inside, ir::both(ir::greater_equal(at, ir::integer(0)), ir::less(at, parameters_.extent(index))));
  }
  Operand operand = lattice::operand_at(access, access.tensor.order() - 1);
  if (ir::is_true(inside) || scope.padded.count(operand)) return ir::Stmt();
  ir::Var value(access.tensor.name() + "_at", ir::scalar(access.tensor.type()));
  scope.padded.insert({operand, value});
  ir::Expr position = scope.positions.at(operand);
  return ir::block({ir::declare(value, ir::constant(access.tensor.fill())),
                    ir::if_then(inside, ir::assign(value, ir::Load{values(access.tensor), position}))});
}

ir::Stmt Lowerer::extend_operands(const concrete::Stmt& stmt, Scope& scope) {
  std::vector<ir::Stmt> code;
  auto extend = [&](const concrete::Access& access) {
    // Temporaries that are made further in have no levels to locate yet.
    bool known = parameters_.has(access.tensor) || workspaces_.count(access.tensor);
    if (!known || access.tensor.order() == 0) return;
    std::vector<IndexVar> vars = concrete::level_vars(access);
    ir::Expr parent = ir::integer(0);
    std::vector<ir::Expr> coordinates;
    for (int l = 0; l < access.tensor.order(); l++) {
      if (!scope.is_bound(vars[l])) return;
      coordinates.push_back(scope.coordinates.at(vars[l]));
      Operand operand = lattice::operand_at(access, l);
      auto position = scope.positions.find(operand);
      if (position == scope.positions.end()) {
        const level::Format& format = *access.tensor.format().levels()[l].format;
        internal_check(level::is_always_found(format), "lower", "a level was passed without being reached",
                       notation::to_string(access));
        level::Node node = format.locate()->locate(instance(access.tensor, l), parent, coordinates);
        code.insert(code.end(), node.setup.begin(), node.setup.end());
        ir::Expr at = node.position;
        if (!at.as<ir::VarRef>() && !at.as<ir::Literal>()) {
          ir::Var var = ir::int64_var("p" + instance(access.tensor, l).name);
          code.push_back(ir::declare(var, at));
          at = var;
        }
        position = scope.positions.insert({operand, at}).first;
      }
      parent = position->second;
    }
    code.push_back(read_padded(access, scope));
  };
  concrete::for_each(stmt, [&](const concrete::Stmt& s) {
    if (const concrete::Assign* assign = s.as<concrete::Assign>()) {
      for (const concrete::Access& access : notation::accesses(assign->rhs)) extend(access);
    }
  });
  return ir::block(code);
}

}  // namespace filigree::lowering
