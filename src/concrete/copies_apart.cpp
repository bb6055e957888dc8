#include "concrete/copies_apart.h"

#include <algorithm>

#include "concrete/derivations.h"

namespace filigree::concrete {
namespace {

/// The assignment of loops around nothing else.
const Assign* only_assignment(const Stmt& stmt) {
  const Forall* loop = stmt.as<Forall>();
  return loop ? only_assignment(loop->body) : stmt.as<Assign>();
}

bool copies_operand(const Stmt& stmt, const Program& program) {
  const Assign* assign = only_assignment(stmt);
  const Access* from = assign && !assign->op ? assign->rhs.as<Access>() : nullptr;
  return from && std::find(program.operands.begin(), program.operands.end(), from->tensor) != program.operands.end();
}

bool is_independent(const IndexVar& var, const Environment& environment) {
  auto extent = environment.extents.find(var);
  bool is_fixed = extent != environment.extents.end() &&
                  (std::holds_alternative<OfDimension>(extent->second) || constant_extent(environment, var));
  return is_fixed &&
         std::none_of(environment.derivations.begin(), environment.derivations.end(),
                      [&](const Derivation& d) { return d.var == var || contains(d.sources(), var); }) &&
         std::none_of(environment.implications.begin(), environment.implications.end(),
                      [&](const Implication& i) { return i.var == var || contains(i.sources, var); });
}

Access with_variable(Access access, const IndexVar& from, const IndexVar& to) {
  std::replace(access.indices.begin(), access.indices.end(), from, to);
  return access;
}

Stmt with_variable(const Stmt& stmt, const IndexVar& from, const IndexVar& to) {
  if (const Forall* loop = stmt.as<Forall>())
    return Forall{loop->var == from ? to : loop->var, with_variable(loop->body, from, to), loop->as_stored, loop->tag};
  Assign assign = *stmt.as<Assign>();
  assign.lhs = with_variable(assign.lhs, from, to);
  assign.rhs = Expr(with_variable(*assign.rhs.as<Access>(), from, to), assign.rhs.span());
  return assign;
}

/// Requires: it copies an operand.
Stmt with_own_variables(Stmt copy, Environment& environment) {
  std::vector<IndexVar> vars;
  for_each(copy, [&](const Stmt& s) {
    if (const Forall* loop = s.as<Forall>()) vars.push_back(loop->var);
  });
  const Assign* assign = only_assignment(copy);
  for (const Access& access : {assign->lhs, *assign->rhs.as<Access>()}) {
    // An index such as i+1 would have to be made anew.
    if (!std::all_of(access.indices.begin(), access.indices.end(),
                     [&](const IndexVar& var) { return contains(vars, var); }))
      return copy;
  }
  for (const IndexVar& var : vars) {
    if (!is_independent(var, environment)) continue;
    IndexVar own(var.name());
    environment.extents.insert({own, environment.extents.at(var)});
    copy = with_variable(copy, var, own);
  }
  return copy;
}

Stmt with_copies_apart(const Stmt& stmt, Program& program) {
  const Where* where = stmt.as<Where>();
  if (!where) return stmt;
  Stmt producer = copies_operand(where->producer, program) ? with_own_variables(where->producer, program.environment)
                                                           : where->producer;
  return Where{with_copies_apart(where->consumer, program), producer};
}

}  // namespace

Program with_copies_apart(const Program& program) {
  Program apart = program;
  apart.statement = with_copies_apart(program.statement, apart);
  return apart;
}

}  // namespace filigree::concrete
