#include "concrete/unions.h"

#include <algorithm>
#include <functional>
#include <map>

#include "notation/substitute.h"

namespace filigree::concrete {
namespace {

using notation::Access;
using notation::Apply;
using notation::Expr;
using notation::Literal;
using notation::Reduce;

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

/// What operands meet in parts of an expression, each found once: chains are thousands of parts long, and every one is
/// asked for.
class Meetings {
 public:
  explicit Meetings(const UnionLimits& limits) : counts_terms_(limits.counts_terms) {}

  const Meeting& at(const Expr& expr, const IndexVar& var) {
    Known& known = known_.try_emplace(&expr.kind(), Known{expr, {}}).first->second;
    auto found = known.meetings.find(var);
    if (found == known.meetings.end()) found = known.meetings.emplace(var, find(expr, var)).first;
    return found->second;
  }

 private:
  struct Known {
    Expr expr;  // kept, so that no other one has its address
    std::map<IndexVar, Meeting> meetings;
  };
  Meeting find(const Expr& expr, const IndexVar& var);
  Meeting of_apply(const Expr& expr, const Apply& apply, const IndexVar& var);

  bool counts_terms_;
  std::map<const void*, Known> known_;
};

std::optional<Scalar> constant_of(const Expr& expr, const Apply& apply,
                                  const std::vector<std::optional<Scalar>>& known) {
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
  for (size_t n = 0; n < met.size(); n++)
    known.push_back(n == position || apply.operands[n].as<Literal>() ? met[n].fill : std::nullopt);
  return met[position].fill && constant_of(expr, apply, known);
}

Meeting Meetings::of_apply(const Expr& expr, const Apply& apply, const IndexVar& var) {
  std::vector<Meeting> met;
  for (const Expr& operand : apply.operands) met.push_back(at(operand, var));
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

Meeting Meetings::find(const Expr& expr, const IndexVar& var) {
  return match(
      expr, [&](const Literal& n) { return Meeting{0, 0, n.value}; },
      [&](const notation::Coordinate&) { return Meeting{}; },
      [&](const Access& n) {
        int sparse = is_sparse_at(n, var);
        return Meeting{sparse, sparse, n.tensor.format().is_dense() ? std::nullopt : std::optional(n.tensor.fill())};
      },
      [&](const Apply& n) { return of_apply(expr, n, var); },
      [&](const Reduce& n) {
        Meeting body = at(n.body, var);
        if (n.vars.empty()) return Meeting{std::min(1, body.points), std::min(1, body.operands), body.fill};
        bool keeps_fill = body.fill && (facts(n.op).idempotent || identity(n.op, body.fill->type()) == body.fill);
        if (counts_terms_ && keeps_fill && contains(notation::free_vars(expr), var))
          body.points = std::max(1, body.points), body.operands = std::max(1, body.operands);
        return Meeting{body.points, body.operands, keeps_fill ? body.fill : std::nullopt};
      });
}

}  // namespace

int union_points(const Expr& expr, const IndexVar& var, const UnionLimits& limits) {
  return Meetings(limits).at(expr, var).points;
}

namespace {

bool is_oversized(const Expr& expr, const IndexVar& var, const UnionLimits& limits, Meetings& meetings) {
  const Meeting& met = meetings.at(expr, var);
  return met.points > limits.points || met.operands > limits.operands;
}

bool is_oversized(const Expr& expr, const std::vector<IndexVar>& vars, const UnionLimits& limits, Meetings& meetings) {
  // Unions of two operands nest well, since only one of their cases holds a union again.
  constexpr int points_of_two = 3;
  int nested = 1;
  for (const IndexVar& var : vars) {
    if (is_oversized(expr, var, limits, meetings)) return true;
    if (int points = meetings.at(expr, var).points; points > points_of_two) nested *= points;
    if (nested > limits.nested_points) return true;
  }
  return false;
}

}  // namespace

bool is_oversized(const Expr& expr, const UnionLimits& limits) {
  Meetings meetings(limits);
  return is_oversized(expr, notation::index_vars(expr), limits, meetings);
}

bool is_oversized_inside(const Expr& expr, const IndexVar& var, const UnionLimits& limits) {
  std::function<Expr(const Expr&)> without_marks = [&](const Expr& e) -> Expr {
    const Reduce* reduce = e.as<Reduce>();
    if (reduce && reduce->vars.empty()) return without_marks(reduce->body);
    return notation::map_children(e, without_marks);
  };
  Meetings meetings(limits);
  return is_oversized(without_marks(expr), var, limits, meetings);
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

namespace {

void add_terms(const Expr& expr, std::vector<Expr>& terms) {
  const Apply* apply = expr.as<Apply>();
  if (!apply || (apply->op != Operator::Add && apply->op != Operator::Subtract)) {
    terms.push_back(expr);
    return;
  }
  for (size_t n : {0, 1}) {
    size_t first = terms.size();
    // A sum of a narrower type wraps or rounds by itself.
    const Expr& operand = apply->operands[n];
    if (operand.type() == expr.type()) add_terms(operand, terms);
    else terms.push_back(operand);
    if (n == 0 || apply->op == Operator::Add) continue;
    for (size_t t = first; t < terms.size(); t++) terms[t] = negated(terms[t], expr.type());
  }
}

}  // namespace

std::vector<Expr> additive_terms(const Expr& expr) {
  std::vector<Expr> terms;
  add_terms(expr, terms);
  return terms;
}

namespace {

class UnionMarker {
 public:
  UnionMarker(const Expr& expr, const UnionLimits& limits)
      : vars_(notation::index_vars(expr)), limits_(limits), meetings_(limits) {
    int most = 0;
    for (const IndexVar& var : vars_) most = std::max(most, meetings_.at(expr, var).operands);
    if (most <= limits.many_operands) return;
    limits_.points = limits.points_of_many;
    limits_.nested_points = limits.nested_points_of_many;
  }

  Expr operator()(const Expr& expr) {
    Expr done = notation::map_children(expr, [&](const Expr& child) {
      const Apply* chain = child.as<Apply>();
      bool additive = chain && (chain->op == Operator::Add || chain->op == Operator::Subtract);
      if (additive && is_too_large(child))
        return Expr(Reduce{Operator::Add, {}, child}, child.span());  // accumulated term by term
      return (*this)(child);
    });
    const Apply* apply = done.as<Apply>();
    if (!apply || !is_too_large(done)) return done;
    std::vector<Expr> operands;
    for (const Expr& operand : apply->operands) {
      const Reduce* reduce = operand.as<Reduce>();
      bool large = operand.as<Apply>() || (reduce && !reduce->vars.empty());
      operands.push_back(large ? Expr(Reduce{Operator::Add, {}, operand}, operand.span()) : operand);
    }
    return Expr(Apply{apply->op, operands}, expr.span());
  }

 private:
  /// Variables that a part does not use meet nothing there.
  bool is_too_large(const Expr& part) { return is_oversized(part, vars_, limits_, meetings_); }

  std::vector<IndexVar> vars_;
  UnionLimits limits_;
  Meetings meetings_;
};

}  // namespace

Expr mark_unions(const Expr& expr, const UnionLimits& limits) { return UnionMarker(expr, limits)(expr); }

}  // namespace filigree::concrete
