// forall(v, body): the loops of v's lattice, and what results need around them.
#include "lower/lattice_loops.h"
#include "support/check.h"

namespace filigree::lower {

using lattice::Lattice;
using lattice::Operand;
using lattice::Point;

Lowered Lowerer::lower_forall(const concrete::Forall& forall, const Scope& scope) {
  Lattice lattice = lattice::build_lattice(forall.body, forall.var, scope.bound);
  LatticeLoops loops(*this, lattice, scope);
  std::vector<ir::Stmt> code = {loops.prepare()};
  for (ResultAssembly* r : results_of(forall.body)) {
    if (!lattice.has_universe()) r->misses_coordinates(forall.var);
    if (std::optional<int> level = r->append_level(forall.var, scope)) code.push_back(r->before_loop(*level, loops.iterations()));
  }
  code.push_back(loops.emit());
  for (ResultAssembly* r : results_of(forall.body)) {
    if (std::optional<int> level = r->append_level(forall.var, scope)) code.push_back(r->after_loop(*level, scope));
  }
  return {ir::block(code)};
}

ir::Stmt Lowerer::lower_point(const Lattice& lattice, const Point& point, const Scope& scope, const ir::Expr& coordinate,
                              const std::map<int, level::Node>& nodes) {
  Scope inner = scope;
  inner.bound.push_back(lattice.var);
  inner.coordinates.insert_or_assign(lattice.var, coordinate);
  std::vector<ir::Stmt> code, after;
  for (const auto& [k, node] : nodes) {
    if (!(point.present >> k & 1)) continue;
    ir::Expr position = node.position == node.coordinate ? coordinate : node.position;
    if (!position.as<ir::VarRef>()) {
      ir::Var var = ir::int64_var("p" + instance(lattice.operands[k].tensor, lattice.operands[k].level).name);
      code.push_back(ir::declare(var, position));
      position = var;
    }
    inner.positions.insert_or_assign(lattice.operands[k], position);
  }
  code.push_back(extend_operands(point.body, inner));
  std::vector<std::pair<ResultAssembly*, int>> appended;
  for (ResultAssembly* r : results_of(point.body)) {
    if (std::optional<int> level = r->append_level(lattice.var, scope)) {
      appended.push_back({r, *level});
      code.push_back(r->before_body(*level));
    }
    code.push_back(r->extend(inner));
  }
  Lowered body = lower(point.body, inner);
  code.push_back(body.code);
  for (auto& [r, level] : appended) code.push_back(r->after_body(level, coordinate));
  return ir::block(code);
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
        internal_check(level::is_always_found(format), "lower", "a level was passed without being reached", notation::to_string(access));
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
  };
  concrete::for_each(stmt, [&](const concrete::Stmt& s) {
    if (const concrete::Assign* assign = s.as<concrete::Assign>()) {
      for (const concrete::Access& access : notation::accesses(assign->rhs)) extend(access);
    }
  });
  return ir::block(code);
}

}  // namespace filigree::lower
