#include "plan/written.h"

#include <algorithm>

#include <fmt/format.h>

#include "lattice/presence.h"
#include "notation/substitute.h"
#include "support/text.h"

namespace filigree::plan {
namespace {

using concrete::Access;
using concrete::Expr;

bool has(const std::vector<TensorVar>& all, const TensorVar& tensor) {
  return std::find(all.begin(), all.end(), tensor) != all.end();
}

bool uses(const Expr& expr, const TensorVar& t) {
  std::vector<Access> all = notation::accesses(expr);
  return std::any_of(all.begin(), all.end(), [&](const Access& access) { return access.tensor == t; });
}

/// Is every use of `t` a term of a sum that is the whole expression?
bool is_only_added(const Expr& expr, const TensorVar& t) {
  const notation::Apply* apply = expr.as<notation::Apply>();
  if (!apply) return true;
  bool is_sum = apply->op == Operator::Add || apply->op == Operator::Subtract || apply->op == Operator::Negate ||
                apply->op == Operator::Conjugate;
  return std::all_of(apply->operands.begin(), apply->operands.end(),
                     [&](const Expr& operand) { return is_sum ? is_only_added(operand, t) : !uses(operand, t); });
}

/// Wherever the assignment comes, is something written?
bool always_writes(const concrete::Assign& assign) {
  return !assign.unless_equal && !assign.drops_fill && !assign.prunes && !only_absorbs(assign);
}

/// The cases of one assignment.
class Cases {
 public:
  Cases(const concrete::Program& program, const KnownScalars& known, const policy::Cases& most, const MakeStep& make)
      : program_(program), known_(known), most_(most), make_(make) {}

  /// None if the assignment does the same in any case.
  std::vector<Case> of(const concrete::Assign& assign) {
    std::vector<TensorVar> uncertain = uncertain_of(assign.rhs);
    if (uncertain.empty() || is_same_without(assign, uncertain)) return {};
    if (uncertain.size() > 1 && adds_zeros(assign, uncertain)) return if_any(assign, uncertain);
    if (uncertain.size() > static_cast<size_t>(most_.asked_together)) {
      size_t known = steps.size();
      Expr shorter = in_steps(assign.rhs);
      if (steps.size() > known) return always(assign.with(assign.lhs, shorter));
    }
    return by_sets(assign, uncertain);
  }

  std::vector<Step> steps;

 private:
  std::vector<TensorVar> uncertain_of(const Expr& expr) const {
    std::vector<TensorVar> out;
    for (const Access& access : notation::accesses(expr)) {
      auto scalar = known_.find(access.tensor);
      if (scalar != known_.end() && !scalar->second.is_written && !has(out, access.tensor))
        out.push_back(access.tensor);
    }
    return out;
  }

  std::vector<Case> always(const concrete::Assign& assign) {
    std::vector<Case> cases = of(assign);
    return cases.empty() ? std::vector<Case>{{{}, false, assign}} : cases;
  }

  static std::optional<concrete::Assign> without(const concrete::Assign& assign, const std::vector<TensorVar>& absent) {
    std::optional<concrete::Stmt> left = lattice::without_absent(
        concrete::Stmt(assign), [&](const Access& access) { return has(absent, access.tensor); });
    return left ? std::optional(*left->as<concrete::Assign>()) : std::nullopt;
  }

  /// Is every use of `t` a term of a sum in which something certain is left, wherever the sum stands?  Then a 0 does
  /// not change it: (y - 0)^2 is y^2.
  bool is_added_to_others(const Expr& expr, const TensorVar& t) const {
    const notation::Apply* apply = expr.as<notation::Apply>();
    if (!uses(expr, t) || !apply) return !uses(expr, t);
    const std::vector<Expr>& terms = apply->operands;
    if (apply->op != Operator::Add && apply->op != Operator::Subtract) {
      return std::all_of(terms.begin(), terms.end(),
                         [&](const Expr& operand) { return is_added_to_others(operand, t); });
    }
    // A number does not count: that is what is left of operands that are absent.
    bool leaves_something = std::any_of(terms.begin(), terms.end(), [&](const Expr& term) {
      return !notation::accesses(term).empty() && uncertain_of(term).empty();
    });
    return leaves_something &&
           std::all_of(terms.begin(), terms.end(), [&](const Expr& term) { return is_only_added(term, t); });
  }

  /// Does the assignment do the same whether or not they were written?  An unwritten one must hold its fill already,
  /// and then either be a zero that is added to something, or be stored where every component is, over the same value.
  bool is_same_without(const concrete::Assign& assign, const std::vector<TensorVar>& uncertain) const {
    const Access* copied = assign.rhs.as<Access>();
    const TensorVar& to = assign.lhs.tensor;
    bool fills_dense = copied && !assign.op && has(program_.results, to) && to.format().is_dense();
    if (fills_dense && known_.at(copied->tensor).absorbs) return true;
    for (const TensorVar& t : uncertain) {
      if (!known_.at(t).starts_at_fill) return false;
    }
    if (copied) return fills_dense && copied->tensor.fill() == to.fill();
    std::vector<Access> all = notation::accesses(assign.rhs);
    bool others =
        std::any_of(all.begin(), all.end(), [&](const Access& access) { return !has(uncertain, access.tensor); });
    return others && std::all_of(uncertain.begin(), uncertain.end(), [&](const TensorVar& t) {
             return t.fill().is_zero() && (is_only_added(assign.rhs, t) || is_added_to_others(assign.rhs, t));
           });
  }

  /// Is every one a term of a sum, 0 if it was not written?  Then the sum is the same with it or without.
  bool adds_zeros(const concrete::Assign& assign, const std::vector<TensorVar>& uncertain) const {
    return std::all_of(uncertain.begin(), uncertain.end(), [&](const TensorVar& t) {
      return known_.at(t).starts_at_fill && t.fill().is_zero() && is_only_added(assign.rhs, t);
    });
  }

  /// Without any of them, the fill may be all that there is to do, which leaves no note that something was written.
  std::vector<Case> if_any(const concrete::Assign& assign, const std::vector<TensorVar>& uncertain) const {
    std::optional<concrete::Assign> left = without(assign, uncertain);
    bool takes_fill = left && known_.count(left->lhs.tensor) && only_absorbs(*left);
    if (left && !takes_fill) return {};
    std::vector<Case> cases = {{uncertain, true, assign}};
    if (left) cases.push_back({{}, false, left});
    return cases;
  }

  /// Computes an operation on two or more of them into a scalar of its own, which is then one of them.
  Expr in_steps(const Expr& expr) {
    if (!expr.as<notation::Apply>()) return expr;
    return notation::map_children(expr, [&](const Expr& operand) {
      Expr part = in_steps(operand);
      std::vector<TensorVar> uncertain = uncertain_of(part);
      if (uncertain.size() < 2) return part;
      Expr absent =
          notation::substitute_fill(part, [&](const Access& access) { return has(uncertain, access.tensor); });
      const notation::Literal* fill = absent.as<notation::Literal>();
      if (!fill) return part;  // it also depends on what is there
      TensorVar step = make_(steps.size(), part.type(), fill->value.cast(part.type()));
      known_.insert({step, {false, true, false}});
      std::vector<Case> cases = always(concrete::Assign{Access{step, {}}, std::nullopt, part});
      steps.push_back({step, cases});
      return Expr(Access{step, {}});
    });
  }

  static std::vector<Case> by_sets(const concrete::Assign& assign, const std::vector<TensorVar>& uncertain) {
    auto number_of = [&](const Access& access) {
      auto found = std::find(uncertain.begin(), uncertain.end(), access.tensor);
      return found == uncertain.end() ? -1 : static_cast<int>(found - uncertain.begin());
    };
    std::vector<Case> cases;
    for (unsigned present : lattice::presence_sets(assign.rhs, number_of)) {
      std::vector<TensorVar> written, absent;
      for (size_t k = 0; k < uncertain.size(); k++) (present >> k & 1 ? written : absent).push_back(uncertain[k]);
      cases.push_back({written, false, without(assign, absent)});
    }
    while (cases.size() > 1 && !cases.back().does) cases.pop_back();
    return cases;
  }

  const concrete::Program& program_;
  KnownScalars known_;
  const policy::Cases& most_;
  const MakeStep& make_;
};

bool is_written_by(const Stmt& stmt) {
  auto writes = [](const Stmt& inside) { return is_written_by(inside); };
  return match(
      stmt, [](const Loop&) { return false; }, [](const Pieces&) { return false; },
      [](const Where& n) { return plan::is_written_by(n.consumer); },
      [&](const Sequence& n) { return std::any_of(n.statements.begin(), n.statements.end(), writes); },
      [&](const Multi& n) { return std::all_of(n.statements.begin(), n.statements.end(), writes); },
      [&](const Assign& n) {
        const concrete::Assign& assign = *stmt.what().as<concrete::Assign>();
        if (n.cases.empty() || !always_writes(assign)) return always_writes(assign);
        const Case& last = n.cases.back();
        return last.written.empty() && last.does && always_writes(*last.does);
      });
}

/// Does the scalar come to something else than its fill where what it is computed from is absent?
bool absorbs_other_value(const concrete::Stmt& producer, const TensorVar& scalar, const concrete::Program& program,
                         const KnownScalars& known) {
  auto may_be_absent = [&](const Access& access) {
    auto one = known.find(access.tensor);
    if (one != known.end()) return !one->second.is_written;
    // A workspace, what is made further in, and an operand with gaps: a point may find any of them absent.
    bool is_given = access.tensor.condition() || program.environment.windows.count(access.tensor) ||
                    has(program.operands, access.tensor) || has(program.results, access.tensor);
    return !is_given || access.tensor.may_be_absent();
  };
  bool other = false;
  concrete::for_each(producer, [&](const concrete::Stmt& s) {
    const concrete::Assign* assign = s.as<concrete::Assign>();
    if (!assign || !(assign->lhs.tensor == scalar)) return;
    std::optional<concrete::Stmt> left = lattice::without_absent(s, may_be_absent);
    const notation::Literal* literal = left ? left->as<concrete::Assign>()->rhs.as<notation::Literal>() : nullptr;
    other = other || (literal && literal->structural && !(literal->value.cast(scalar.type()) == scalar.fill()));
  });
  return other;
}

bool are_same(const Case& a, const Case& b) { return a.written == b.written && a.any == b.any && a.does == b.does; }
bool are_same(const std::vector<Case>& a, const std::vector<Case>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Case& one, const Case& other) { return are_same(one, other); });
}

std::string to_string(const Case& one) {
  std::vector<std::string> names;
  for (const TensorVar& tensor : one.written) names.push_back(tensor.name());
  std::string when = names.empty() ? "else" : (one.any ? "if any of " : "if ") + join(names, ", ");
  return when + ": " + (one.does ? concrete::to_string(concrete::Stmt(*one.does)) : "nothing");
}

}  // namespace

bool only_absorbs(const concrete::Assign& assign) {
  const notation::Literal* literal = assign.rhs.as<notation::Literal>();
  return literal && literal->structural && assign.lhs.tensor.order() == 0 && assign.op && facts(*assign.op).idempotent;
}

concrete::Assign anywhere(concrete::Assign assign) {
  assign.unless_equal.reset();
  return assign;
}

KnownScalars inside_producer(const concrete::Stmt& producer, const concrete::Program& program,
                             const KnownScalars& around, std::vector<TensorVar>& filled) {
  KnownScalars known = around;
  for (const TensorVar& tensor : concrete::targets(producer)) {
    if (has(program.results, tensor) || around.count(tensor)) continue;
    if (tensor.order() > 0) {
      filled.clear();
      return around;
    }
    std::optional<KnownScalar> one;  // from the first assignment
    concrete::for_each(producer, [&](const concrete::Stmt& s) {
      const concrete::Assign* assign = s.as<concrete::Assign>();
      if (one || !assign || assign->lhs.tensor != tensor) return;
      std::optional<Scalar> start = assign->op ? identity(*assign->op, tensor.type()) : tensor.fill();
      one = KnownScalar{false, start && *start == tensor.fill(), assign->op && facts(*assign->op).idempotent};
    });
    if (!one) continue;
    known.insert_or_assign(tensor, *one);
    filled.push_back(tensor);
  }
  return known;
}

KnownScalars inside_consumer(KnownScalars inside_producer, const std::vector<TensorVar>& filled, const Where& where) {
  for (const TensorVar& tensor : filled) inside_producer.at(tensor).is_written = where.whole;
  return inside_producer;
}

bool is_written_by(const Body& body) {
  bool is_guarded = std::any_of(body.computed.begin(), body.computed.end(),
                                [](const concrete::Derivation& derivation) { return derivation.guarded; });
  return !is_guarded && is_written_by(body.stmt);
}

std::vector<TensorVar> absorbing(const concrete::Stmt& producer, const std::vector<TensorVar>& filled,
                                 const concrete::Program& program, const KnownScalars& inside_producer) {
  std::vector<TensorVar> all;
  for (const TensorVar& tensor : filled) {
    const KnownScalar& known = inside_producer.at(tensor);
    if (known.absorbs && (!known.starts_at_fill || absorbs_other_value(producer, tensor, program, inside_producer)))
      all.push_back(tensor);
  }
  return all;
}

TensorVar make_step(size_t, ElementType type, const Scalar& fill) {
  return TensorVar::optional_scalar("step", type, fill);
}

Assign cases_of(const concrete::Assign& assign, const concrete::Program& program, const KnownScalars& known,
                const policy::Cases& most, const MakeStep& make) {
  if (known.empty() || assign.drops_fill) return {};
  Cases cases(program, known, most, make);
  std::vector<Case> all = cases.of(anywhere(assign));
  return {cases.steps, all};
}

std::optional<std::string> problem_of_written(const concrete::Assign& assign, const Assign& how,
                                              const concrete::Program& program, const KnownScalars& known,
                                              const policy::Cases& most) {
  std::vector<TensorVar> used;
  auto written = [&](size_t number, ElementType type, const Scalar& fill) {
    if (number >= how.steps.size()) return make_step(number, type, fill);
    const TensorVar& var = how.steps[number].var;
    bool is_own = var.order() == 0 && var.may_be_absent() && var.type() == type && var.fill() == fill &&
                  !known.count(var) && !has(program.results, var) && !has(program.operands, var) && !has(used, var);
    used.push_back(var);
    return is_own ? var : make_step(number, type, fill);
  };
  Assign right = cases_of(assign, program, known, most, written);
  std::string text = concrete::to_string(concrete::Stmt(assign));
  bool has_steps = right.steps.size() == how.steps.size();
  for (size_t n = 0; has_steps && n < how.steps.size(); n++)
    has_steps = right.steps[n].var == how.steps[n].var && are_same(right.steps[n].cases, how.steps[n].cases);
  if (!has_steps) return fmt::format("'{}' is not computed in the steps that it says", text);
  if (are_same(right.cases, how.cases)) return std::nullopt;
  if (right.cases.empty()) return fmt::format("'{}' is the same in any case", text);
  for (size_t n = 0; n < right.cases.size(); n++) {
    if (n >= how.cases.size() || !are_same(right.cases[n], how.cases[n]))
      return fmt::format("what '{}' reads may not have been written: {}", text, to_string(right.cases[n]));
  }
  return fmt::format("'{}' has no other cases than these: {}", text, to_string(right.cases.back()));
}

}  // namespace filigree::plan
