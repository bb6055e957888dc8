#include "concrete/unions.h"

#include <algorithm>
#include <functional>

#include "notation/substitute.h"

namespace filigree::concrete {
namespace {

using notation::Access;
using notation::Apply;
using notation::Expr;
using notation::Literal;
using notation::Reduce;

constexpr int most_points = 9;   // three operands in a union are 7, a product of two sums is 9
constexpr int most_nested_points = 64;  // over all loops of a nest: each case of one holds the loops below it
constexpr int most_operands = 16;  // in one loop, even if they only intersect
constexpr int saturation = 1000;

bool is_sparse_at(const Access& access, const IndexVar& var) {
  for (const Level& level : access.tensor.format().levels()) {
    if (access.indices[level.dimension] == var && !level::is_always_found(*level.format)) return true;
  }
  return false;
}

/// Does the operand's absence decide the result alone?
bool absence_annihilates(const Apply& apply, size_t position, ElementType type) {
  std::optional<Scalar> fill = notation::fill_of(apply.operands[position]);
  return fill && annihilated(apply.op, static_cast<int>(position), *fill, type);
}

int apply_points(const Expr& expr, const Apply& apply, const IndexVar& var) {
  std::vector<int> points;
  for (const Expr& operand : apply.operands) points.push_back(union_points(operand, var));
  if (points.size() == 1) return points[0];
  int a = points[0], b = points[1];
  if (a == 0 || b == 0) return a + b;
  if (a > most_points || b > most_points) return saturation;
  bool needs_a = absence_annihilates(apply, 0, expr.type()), needs_b = absence_annihilates(apply, 1, expr.type());
  return std::min(saturation, a * b + (needs_a ? 0 : b) + (needs_b ? 0 : a));
}

}  // namespace

int union_points(const Expr& expr, const IndexVar& var) {
  return match(
      expr, [&](const Literal&) { return 0; },
      [&](const Access& n) { return is_sparse_at(n, var) ? 1 : 0; },
      [&](const Apply& n) { return apply_points(expr, n, var); },
      [&](const Reduce& n) { return n.vars.empty() ? std::min(1, union_points(n.body, var)) : union_points(n.body, var); });
}

namespace {

/// Operands that a loop over `var` may have to step through; a marked part counts as one.
int sparse_operands(const Expr& expr, const IndexVar& var) {
  return match(
      expr, [&](const Literal&) { return 0; }, [&](const Access& n) { return is_sparse_at(n, var) ? 1 : 0; },
      [&](const Apply& n) {
        int count = 0;
        for (const Expr& operand : n.operands) count += sparse_operands(operand, var);
        return count;
      },
      [&](const Reduce& n) { return n.vars.empty() ? std::min(1, sparse_operands(n.body, var)) : sparse_operands(n.body, var); });
}

}  // namespace

bool is_oversized(const Expr& expr, const IndexVar& var) {
  return union_points(expr, var) > most_points || sparse_operands(expr, var) > most_operands;
}

bool is_oversized(const Expr& expr) {
  // Unions of two operands nest well, since only one of their cases holds a union again.
  constexpr int points_of_two = 3;
  int nested = 1;
  for (const IndexVar& var : notation::index_vars(expr)) {
    if (is_oversized(expr, var)) return true;
    if (int points = union_points(expr, var); points > points_of_two) nested *= points;
    if (nested > most_nested_points) return true;
  }
  return false;
}

bool is_oversized_inside(const Expr& expr, const IndexVar& var) {
  std::function<Expr(const Expr&)> without_marks = [&](const Expr& e) -> Expr {
    const Reduce* reduce = e.as<Reduce>();
    if (reduce && reduce->vars.empty()) return without_marks(reduce->body);
    return notation::map_children(e, without_marks);
  };
  return is_oversized(without_marks(expr), var);
}

std::vector<Expr> additive_terms(const Expr& expr) {
  const Apply* apply = expr.as<Apply>();
  if (apply && (apply->op == Operator::Add || apply->op == Operator::Subtract)) {
    std::vector<Expr> terms = additive_terms(apply->operands[0]);
    for (const Expr& term : additive_terms(apply->operands[1])) {
      terms.push_back(apply->op == Operator::Add ? term : Expr(Apply{Operator::Negate, {term}}, term.span()));
    }
    return terms;
  }
  return {expr};
}

Expr mark_unions(const Expr& expr) {
  Expr done = notation::map_children(expr, [](const Expr& child) {
    const Apply* chain = child.as<Apply>();
    bool additive = chain && (chain->op == Operator::Add || chain->op == Operator::Subtract);
    if (additive && is_oversized(child)) return Expr(Reduce{Operator::Add, {}, child}, child.span());  // accumulated term by term
    return mark_unions(child);
  });
  const Apply* apply = done.as<Apply>();
  if (!apply || !is_oversized(done)) return done;
  std::vector<Expr> operands;
  for (const Expr& operand : apply->operands) {
    const Reduce* reduce = operand.as<Reduce>();
    bool large = operand.as<Apply>() || (reduce && !reduce->vars.empty());
    operands.push_back(large ? Expr(Reduce{Operator::Add, {}, operand}, operand.span()) : operand);
  }
  return Expr(Apply{apply->op, operands}, expr.span());
}

}  // namespace filigree::concrete
