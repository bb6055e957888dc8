// Workspaces that a schedule asks for: the part of the expression that is marked is computed on its own, around the
// loops over the workspace's variables and inside of all others that it needs.
//
//   sum(k, C(k,j)*[sum(l, B(i,k,l)*D(l,j))]), w over j
//       forall(i, forall(k, where(forall(j, A(i,j) += C(k,j)*w(j)), forall(l, forall(j, w(j) += B(i,k,l)*D(l,j))))))
#include <algorithm>

#include <fmt/format.h>

#include "concrete/concretizer.h"
#include "concrete/derivations.h"
#include "concrete/loop_order.h"
#include "concrete/workspace.h"

namespace filigree::concrete {
namespace {

using notation::Reduce;

[[noreturn]] void refuse_request(const WorkspaceRequest& request, UserError error) {
  if (request.source) throw std::move(error).at(request.source, request.span);
  throw error;
}

/// The dimensions of a workspace that nobody gave a format in the order in which its consumer's loops reach them.
Vars in_order(const Vars& vars, const Vars& order) {
  Vars out;
  for (const IndexVar& var : order) {
    if (contains(vars, var)) out.push_back(var);
  }
  return out;
}

}  // namespace

std::vector<std::pair<IndexVar, IndexVar>> Concretizer::around_workspaces(const Expr& rhs) const {
  std::vector<std::pair<IndexVar, IndexVar>> before;
  notation::for_each(rhs, [&](const Expr& expr) {
    const Reduce* reduce = expr.as<Reduce>();
    if (!reduce || !reduce->workspace) return;
    const WorkspaceRequest& request = requests_.workspaces[*reduce->workspace];
    for (const IndexVar& around : without(notation::free_vars(expr), request.variables)) {
      for (const IndexVar& inside : request.variables) before.push_back({around, inside});
    }
  });
  return before;
}

std::vector<Vars> Concretizer::wished_orders(const Expr& rhs, const Vars& vars) const {
  std::vector<Vars> wishes = requests_.orders;
  notation::for_each(rhs, [&](const Expr& expr) {
    const Reduce* reduce = expr.as<Reduce>();
    if (!reduce || !reduce->workspace || !requests_.orders.empty()) return;
    Vars free = notation::free_vars(expr);
    for (const IndexVar& around : without(free, requests_.workspaces[*reduce->workspace].variables)) {
      for (const IndexVar& inside : without(vars, free)) wishes.push_back({around, inside});
    }
  });
  return wishes;
}

Expr Concretizer::renamed(const Expr& expr, const std::map<IndexVar, IndexVar>& names) {
  if (names.empty()) return expr;
  auto rename = [&](Vars vars) {
    for (IndexVar& var : vars) {
      auto found = names.find(var);
      if (found != names.end()) var = found->second;
    }
    return vars;
  };
  if (const Access* access = expr.as<Access>())
    return Expr(Access{access->tensor, rename(access->indices)}, expr.span());
  if (const notation::Coordinate* coordinate = expr.as<notation::Coordinate>())
    return Expr(notation::Coordinate{rename({coordinate->var})[0]}, expr.span());
  Expr done = notation::map_children(expr, [&](const Expr& child) { return renamed(child, names); });
  const Reduce* reduce = done.as<Reduce>();
  if (!reduce || !reduce->workspace) return done;
  WorkspaceRequest request = requests_.workspaces[*reduce->workspace];
  request.variables = rename(request.variables);
  request.inner = rename(request.inner);
  requests_.workspaces.push_back(request);
  return Expr(Reduce{reduce->op, reduce->vars, reduce->body, requests_.workspaces.size() - 1}, expr.span());
}

Term Concretizer::make_asked_term(const Expr& expr, const Vars& bound, const Vars& consumer_order) {
  const Reduce& reduce = *expr.as<Reduce>();
  const WorkspaceRequest request = requests_.workspaces[*reduce.workspace];  // more may be added
  Vars needed = without(notation::free_vars(expr), request.variables);
  size_t depth = 0;
  for (size_t n = 0; n < consumer_order.size(); n++) {
    if (contains(needed, consumer_order[n])) depth = n + 1;
  }
  Vars around(consumer_order.begin(), consumer_order.begin() + static_cast<std::ptrdiff_t>(depth));
  for (const IndexVar& var : request.variables) {
    if (!contains(around, var) && !contains(bound, var)) continue;
    if (needed.empty()) {
      refuse_request(
          request,
          UserError(fmt::format(
                        "'{0}' cannot be over '{1}': what reads it is a sum of its own, inside of the loop over '{1}'",
                        request.name, var.name()))
              .hint(fmt::format("leave '{}' out", var.name())));
    }
    refuse_request(
        request, UserError(fmt::format("'{}' cannot be over '{}': the loop over '{}' is around the loops over {}, "
                                       "which are needed to compute '{}'",
                                       request.name, var.name(), var.name(), names(needed), notation::to_string(expr)))
                     .hint(fmt::format("let '{}' be over {} as well, or leave '{}' out", request.name, names(needed),
                                       var.name())));
  }

  ElementType type = request.type.value_or(expr.type());
  Scalar fill = absent_value(reduce, expr.type()).cast(type);
  std::optional<Operator> op = reduce.vars.empty() ? std::nullopt : std::optional(reduce.op);
  int rank = static_cast<int>(request.variables.size());
  Vars indices = request.format ? request.variables : in_order(request.variables, consumer_order);
  TensorVar temporary(request.name, type, request.format.value_or(workspace_format(rank)), fill);
  if (!follows(Access{temporary, indices}, concat(bound, consumer_order))) {
    refuse_request(request, UserError(fmt::format("'{}' is stored by {}, and read by loops over {}", request.name,
                                                  names(level_vars(Access{temporary, indices})),
                                                  names(in_order(indices, consumer_order))))
                                .hint("give its variables in the order of the loops, or leave its format out"));
  }
  if (temporary.format().pads() && op && identity(*op, type) != fill) {
    refuse_request(
        request, UserError(fmt::format("'{}' cannot be {}: it would have to know which of its components were written, "
                                       "since {} starts from another value than {}",
                                       request.name, to_string(temporary.format()), facts(*op).symbol, to_string(fill)))
                     .hint("leave its format out"));
  }

  std::map<IndexVar, IndexVar> inner;
  Access written{temporary, {}};
  for (const IndexVar& var : indices) {
    size_t n = static_cast<size_t>(std::find(request.variables.begin(), request.variables.end(), var) -
                                   request.variables.begin());
    written.indices.push_back(request.inner[n]);
    if (request.inner[n] == var) continue;
    inner.insert({var, request.inner[n]});
    // Of a workspace that another one is filled from: as many as that has.
    environment_.extents.insert({request.inner[n], like(same_extent(environment_, var))});
  }
  std::string over = rank == 0 ? "" : " over " + names(indices);
  environment_.remarks.push_back(fmt::format("'{}' is computed into the workspace '{}'{}, as the schedule asks",
                                             notation::to_string(expr), request.name, over));
  return {Access{temporary, indices}, nest(written, op, renamed(reduce.body, inner), concat(bound, around), {}), depth};
}

}  // namespace filigree::concrete
