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

constexpr int many_operands = 12;
constexpr int most_operands = 16;  // in one loop, even if they only intersect
constexpr int saturation = 1000;

bool is_sparse_at(const Access& access, const IndexVar& var) {
  for (const Level& level : access.tensor.format().levels()) {
    if (level::is_always_found(*level.format)) continue;
    for (int dimension : level.coordinate.dimensions()) {
      if (contains(free_of({access.indices[dimension]}), var)) return true;
    }
  }
  return false;
}

/// What a loop over one variable meets in an expression, found in one pass from the leaves up.
struct Meeting {
  int points = 0;              // sets of sparse operands that can be present together
  int operands = 0;            // sparse operands; a marked part counts as one
  std::optional<Scalar> fill;  // with every operand that has gaps absent, if that is a constant
};

Meeting meeting(const Expr& expr, const IndexVar& var, const UnionLimits& limits);

std::optional<Scalar> constant_of(const Expr& expr, const Apply& apply, const std::vector<std::optional<Scalar>>& known) {
  Simplified left = simplify(apply.op, known, expr.type());
  const Constant* constant = std::get_if<Constant>(&left);
  return constant ? std::optional(constant->value) : std::nullopt;
}

std::optional<Scalar> fill_of_apply(const Expr& expr, const Apply& apply, const std::vector<Meeting>& met) {
  std::vector<std::optional<Scalar>> known;
  bool any = false;
  for (size_t n = 0; n < met.size(); n++) {
    const Literal* literal = apply.operands[n].as<Literal>();
    any |= met[n].fill && !(literal && !literal->structural);
    known.push_back(met[n].fill);
  }
  return any ? constant_of(expr, apply, known) : std::nullopt;
}

/// Is there nothing left of the operation where operand `position` is absent?
bool is_needed(const Expr& expr, const Apply& apply, const std::vector<Meeting>& met, size_t position) {
  std::vector<std::optional<Scalar>> known;
  for (size_t n = 0; n < met.size(); n++) known.push_back(n == position || apply.operands[n].as<Literal>() ? met[n].fill : std::nullopt);
  return met[position].fill && constant_of(expr, apply, known);
}

Meeting meeting_of_apply(const Expr& expr, const Apply& apply, const IndexVar& var, const UnionLimits& limits) {
  std::vector<Meeting> met;
  for (const Expr& operand : apply.operands) met.push_back(meeting(operand, var, limits));
  Meeting all{1, 0, fill_of_apply(expr, apply, met)};
  int without_any = 1;  // are all allowed to be absent together?
  for (size_t n = 0; n < met.size(); n++) {
    all.operands = std::min(saturation, all.operands + met[n].operands);
    if (met[n].points == 0) continue;
    int absent = is_needed(expr, apply, met, n) ? 0 : 1;
    all.points = std::min(saturation, all.points * (met[n].points + absent));
    without_any *= absent;
  }
  bool meets = std::any_of(met.begin(), met.end(), [](const Meeting& m) { return m.points > 0; });
  all.points = meets ? std::max(1, all.points - without_any) : 0;
  return all;
}

Meeting meeting(const Expr& expr, const IndexVar& var, const UnionLimits& limits) {
  return match(
      expr, [&](const Literal& n) { return Meeting{0, 0, n.value}; }, [&](const notation::Coordinate&) { return Meeting{}; },
      [&](const Access& n) {
        int sparse = is_sparse_at(n, var);
        return Meeting{sparse, sparse, n.tensor.format().is_dense() ? std::nullopt : std::optional(n.tensor.fill())};
      },
      [&](const Apply& n) { return meeting_of_apply(expr, n, var, limits); },
      [&](const Reduce& n) {
        Meeting body = meeting(n.body, var, limits);
        if (n.vars.empty()) return Meeting{std::min(1, body.points), std::min(1, body.operands), body.fill};
        bool keeps_fill = body.fill && (facts(n.op).idempotent || identity(n.op, body.fill->type()) == body.fill);
        if (limits.counts_terms && keeps_fill && contains(notation::free_vars(expr), var)) body.points = std::max(1, body.points), body.operands = std::max(1, body.operands);
        return Meeting{body.points, body.operands, keeps_fill ? body.fill : std::nullopt};
      });
}

}  // namespace

int union_points(const Expr& expr, const IndexVar& var, const UnionLimits& limits) { return meeting(expr, var, limits).points; }

namespace {

bool is_oversized(const Expr& expr, const IndexVar& var, const UnionLimits& limits) {
  Meeting met = meeting(expr, var, limits);
  return met.points > limits.points || met.operands > most_operands;
}

}  // namespace

bool is_oversized(const Expr& expr, const UnionLimits& limits) {
  // Unions of two operands nest well, since only one of their cases holds a union again.
  constexpr int points_of_two = 3;
  int nested = 1;
  for (const IndexVar& var : notation::index_vars(expr)) {
    if (is_oversized(expr, var, limits)) return true;
    if (int points = union_points(expr, var, limits); points > points_of_two) nested *= points;
    if (nested > limits.nested_points) return true;
  }
  return false;
}

bool is_oversized_inside(const Expr& expr, const IndexVar& var, const UnionLimits& limits) {
  std::function<Expr(const Expr&)> without_marks = [&](const Expr& e) -> Expr {
    const Reduce* reduce = e.as<Reduce>();
    if (reduce && reduce->vars.empty()) return without_marks(reduce->body);
    return notation::map_children(e, without_marks);
  };
  return is_oversized(without_marks(expr), var, limits);
}

namespace {

/// Minus the term, in the type of the sum: adding a zero of that type converts it.
Expr negated(const Expr& term, ElementType type) {
  Expr wide = term.type() == type ? term : Expr(Apply{Operator::Add, {Expr(Literal{Scalar(type)}), term}}, term.span());
  return Expr(Apply{Operator::Negate, {wide}}, term.span());
}

}  // namespace

bool is_number(const Expr& term) {
  bool is_one = true;
  notation::for_each(term, [&](const Expr& e) { is_one = is_one && !e.as<Access>() && !e.as<notation::Coordinate>(); });
  return is_one;
}

bool is_zero(const Expr& term) {
  const Apply* negated = term.as<Apply>();
  if (negated && negated->op == Operator::Negate) return is_zero(negated->operands[0]);
  const Literal* literal = term.as<Literal>();
  return literal && literal->value.is_zero();
}

std::vector<Expr> additive_terms(const Expr& expr) {
  const Apply* apply = expr.as<Apply>();
  if (!apply || (apply->op != Operator::Add && apply->op != Operator::Subtract)) return {expr};
  std::vector<Expr> terms;
  for (size_t n : {0, 1}) {
    // A sum of a narrower type wraps or rounds by itself.
    const Expr& operand = apply->operands[n];
    for (const Expr& term : operand.type() == expr.type() ? additive_terms(operand) : std::vector<Expr>{operand}) {
      terms.push_back(n == 1 && apply->op == Operator::Subtract ? negated(term, expr.type()) : term);
    }
  }
  return terms;
}

namespace {

Expr marked(const Expr& expr, const UnionLimits& limits) {
  Expr done = notation::map_children(expr, [&](const Expr& child) {
    const Apply* chain = child.as<Apply>();
    bool additive = chain && (chain->op == Operator::Add || chain->op == Operator::Subtract);
    if (additive && is_oversized(child, limits)) return Expr(Reduce{Operator::Add, {}, child}, child.span());  // accumulated term by term
    return marked(child, limits);
  });
  const Apply* apply = done.as<Apply>();
  if (!apply || !is_oversized(done, limits)) return done;
  std::vector<Expr> operands;
  for (const Expr& operand : apply->operands) {
    const Reduce* reduce = operand.as<Reduce>();
    bool large = operand.as<Apply>() || (reduce && !reduce->vars.empty());
    operands.push_back(large ? Expr(Reduce{Operator::Add, {}, operand}, operand.span()) : operand);
  }
  return Expr(Apply{apply->op, operands}, expr.span());
}

}  // namespace

Expr mark_unions(const Expr& expr, const UnionLimits& limits) {
  int most = 0;
  for (const IndexVar& var : notation::index_vars(expr)) most = std::max(most, meeting(expr, var, limits).operands);
  return marked(expr, most > many_operands ? UnionLimits{small_unions.points, small_unions.nested_points, limits.counts_terms} : limits);
}

}  // namespace filigree::concrete
