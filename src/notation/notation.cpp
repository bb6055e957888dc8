#include "notation/notation.h"

#include <algorithm>

namespace filigree::notation {

const ExprKind& Expr::kind() const { return node_->kind; }
ElementType Expr::type() const { return node_->type; }
Span Expr::span() const { return node_->span; }

bool operator==(const Expr& a, const Expr& b) { return a.same_as(b) || a.kind() == b.kind(); }

ElementType type_of(const ExprKind& kind) {
  return match_variant(
      kind, [](const Literal& literal) { return literal.value.type(); },
      [](const Access& access) { return access.tensor.type(); }, [](const Coordinate&) { return ElementType::Int64; },
      [](const Apply& apply) {
        std::vector<ElementType> types;
        for (const Expr& operand : apply.operands) types.push_back(operand.type());
        return result_type(apply.op, types);
      },
      [](const Reduce& reduce) {
        // Without variables it only marks what is computed into a temporary.
        return reduce.vars.empty() ? reduce.body.type() : reduced_type(reduce.op, reduce.body.type());
      });
}

void for_each(const Expr& expr, const std::function<void(const Expr&)>& visit) {
  visit(expr);
  match(
      expr, [](const Literal&) {}, [](const Access&) {}, [](const Coordinate&) {},
      [&](const Apply& apply) {
        for (const Expr& operand : apply.operands) for_each(operand, visit);
      },
      [&](const Reduce& reduce) { for_each(reduce.body, visit); });
}

Expr map_children(const Expr& expr, const std::function<Expr(const Expr&)>& change) {
  return match(
      expr, [&](const Literal&) { return expr; }, [&](const Access&) { return expr; },
      [&](const Coordinate&) { return expr; },
      [&](const Apply& apply) {
        std::vector<Expr> operands;
        bool changed = false;
        for (const Expr& operand : apply.operands) {
          operands.push_back(change(operand));
          changed |= !operands.back().same_as(operand);
        }
        return changed ? Expr(Apply{apply.op, std::move(operands)}, expr.span()) : expr;
      },
      [&](const Reduce& reduce) {
        Expr body = change(reduce.body);
        return body.same_as(reduce.body) ? expr
                                         : Expr(Reduce{reduce.op, reduce.vars, body, reduce.workspace}, expr.span());
      });
}

std::vector<Access> accesses(const Expr& expr) {
  std::vector<Access> found;
  for_each(expr, [&](const Expr& e) {
    if (const Access* access = e.as<Access>()) found.push_back(*access);
  });
  return found;
}

namespace {

void add_new(std::vector<IndexVar>& vars, const std::vector<IndexVar>& more) {
  for (const IndexVar& var : more) {
    if (std::find(vars.begin(), vars.end(), var) == vars.end()) vars.push_back(var);
  }
}

/// Reduction variables come after the body's, which are in the order a person wrote them.
void collect(const Expr& expr, bool only_free, std::vector<IndexVar>& bound, std::vector<IndexVar>& found) {
  match(
      expr, [](const Literal&) {},
      [&](const Access& access) {
        for (const IndexVar& var : free_of(access.indices)) {
          if (!only_free || !contains(bound, var)) add_new(found, {var});
        }
      },
      [&](const Coordinate& coordinate) {
        if (!only_free || !contains(bound, coordinate.var)) add_new(found, {coordinate.var});
      },
      [&](const Apply& apply) {
        for (const Expr& operand : apply.operands) collect(operand, only_free, bound, found);
      },
      [&](const Reduce& reduce) {
        size_t before = bound.size();
        bound.insert(bound.end(), reduce.vars.begin(), reduce.vars.end());
        collect(reduce.body, only_free, bound, found);
        bound.erase(bound.begin() + static_cast<std::ptrdiff_t>(before), bound.end());
        if (!only_free) add_new(found, reduce.vars);
      });
}

}  // namespace

std::vector<IndexVar> index_vars(const Expr& expr) {
  std::vector<IndexVar> bound, found;
  collect(expr, false, bound, found);
  return found;
}

std::vector<IndexVar> index_vars(const Statement& statement) {
  std::vector<IndexVar> found;
  add_new(found, free_of(statement.lhs.indices));
  add_new(found, index_vars(statement.rhs));
  return found;
}

std::vector<IndexVar> free_vars(const Expr& expr) {
  std::vector<IndexVar> bound, found;
  collect(expr, true, bound, found);
  return found;
}

}  // namespace filigree::notation
