#include "lattice/presence.h"

#include <algorithm>
#include <bit>
#include <map>
#include <set>

#include "notation/substitute.h"

namespace filigree::lattice {
namespace {

using concrete::Access;
using concrete::Assign;
using concrete::Expr;
using concrete::Forall;
using concrete::Multi;
using concrete::Sequence;
using concrete::Stmt;
using concrete::Where;
using notation::Apply;
using notation::Literal;
using notation::Reduce;

using Sets = std::set<unsigned>;

Sets unions(const Sets& a, const Sets& b) {
  Sets out;
  for (unsigned x : a)
    for (unsigned y : b) out.insert(x | y);
  return out;
}

/// Collects the sets; temporaries inherit the sets of what produces them.
class PresenceSets {
 public:
  explicit PresenceSets(const OperandOf& operand_of) : operand_of_(operand_of) {}

  Sets of(const Stmt& stmt) {
    return match(
        stmt, [&](const Forall& n) { return of(n.body); },
        [&](const Where& n) {
          Sets produced = of(n.producer);
          for (const TensorVar& temporary : concrete::targets(n.producer)) temporaries_[temporary] = produced;
          return of(n.consumer);
        },
        [&](const Sequence& n) { return any_of(n.statements); }, [&](const Multi& n) { return any_of(n.statements); },
        [&](const Assign& n) {
          Sets sets = of(n.rhs);
          if (does_something_when_all_is_absent(n)) sets.insert(0);
          return sets;
        });
  }

  Sets of(const Expr& expr) {
    return match(
        expr, [&](const Literal&) { return Sets{0}; }, [&](const notation::Coordinate&) { return Sets{0}; },
        [&](const Access& n) {
          if (int operand = operand_of_(n); operand >= 0) return Sets{1u << operand};
          auto temporary = temporaries_.find(n.tensor);
          return temporary != temporaries_.end() ? temporary->second : Sets{0};
        },
        [&](const Apply& n) { return of_apply(expr, n); }, [&](const Reduce& n) { return of(n.body); });
  }

 private:
  Sets any_of(const std::vector<Stmt>& statements) {
    Sets all;
    for (const Stmt& s : statements) {
      Sets sets = of(s), both = unions(all, sets);
      all.insert(sets.begin(), sets.end());
      all.insert(both.begin(), both.end());
    }
    return all;
  }

  bool does_something_when_all_is_absent(const Assign& assign) const {
    return without_absent(Stmt(assign),
                          [&](const Access& access) {
                            return operand_of_(access) >= 0 ||
                                   (temporaries_.count(access.tensor) && !temporaries_.at(access.tensor).count(0));
                          })
        .has_value();
  }

  /// For every way in which operands of the operator can be absent, the sets of those that then still matter.
  Sets of_apply(const Expr& expr, const Apply& apply) {
    size_t count = apply.operands.size();
    std::vector<Sets> sets;
    unsigned may_miss = 0;
    for (size_t n = 0; n < count; n++) {
      sets.push_back(of(apply.operands[n]));
      if (!sets[n].count(0)) may_miss |= 1u << n;
    }
    Sets all;
    for (unsigned missing = 0; missing + 1 < 1u << count; missing++) {
      if ((missing & ~may_miss) != 0) continue;
      unsigned needed = missing == 0 ? (1u << count) - 1 : left_of(expr, apply, missing);
      if (needed == 0) continue;
      Sets together = {0};
      for (size_t n = 0; n < count; n++) {
        if (needed >> n & 1) together = unions(together, sets[n]);
      }
      all.insert(together.begin(), together.end());
    }
    return all;
  }

  /// The operands (as bits) that the operation needs where those in `missing` are absent; none if that makes it what it
  /// is where all are.
  unsigned left_of(const Expr& expr, const Apply& apply, unsigned missing) const {
    std::vector<std::optional<Scalar>> known;
    for (size_t n = 0; n < apply.operands.size(); n++) {
      const Literal* literal = apply.operands[n].as<Literal>();
      known.push_back(missing >> n & 1 ? notation::fill_of(apply.operands[n])
                      : literal        ? std::optional(literal->value)
                                       : std::nullopt);
    }
    unsigned others = ~missing & ((1u << apply.operands.size()) - 1);
    return match_variant(
        notation::simplify_operator(expr, apply, known),
        [&](const Constant& constant) { return value_without_all(expr) == constant.value ? 0 : others; },
        [&](const Operand& operand) { return 1u << operand.position & others; }, [&](const Negated&) { return others; },
        [&](const Unchanged&) { return others; });
  }

  /// What it is where all that may be absent is, temporaries of dense operands included: over an empty dimension
  /// nothing is written to them.
  std::optional<Scalar> value_without_all(const Expr& expr) const {
    Expr left = notation::substitute_fill(expr, [&](const Access& access) {
      return operand_of_(access) >= 0 || access.tensor.may_be_absent() || temporaries_.count(access.tensor) > 0;
    });
    const Literal* literal = left.as<Literal>();
    return literal && literal->structural ? std::optional(literal->value) : std::nullopt;
  }

  const OperandOf& operand_of_;
  std::map<TensorVar, Sets> temporaries_;
};

/// The empty set is always a candidate: whether anything is left to do then is for without_absent to say.
std::vector<unsigned> largest_first(Sets sets) {
  sets.insert(0);
  std::vector<unsigned> out(sets.begin(), sets.end());
  std::stable_sort(out.begin(), out.end(), [](unsigned a, unsigned b) { return std::popcount(a) > std::popcount(b); });
  return out;
}

using Absent = std::function<bool(const Access&)>;

std::optional<std::vector<Stmt>> remaining(const std::vector<Stmt>& statements, const Absent& absent) {
  std::vector<Stmt> left;
  for (const Stmt& s : statements) {
    if (std::optional<Stmt> done = without_absent(s, absent)) left.push_back(*done);
  }
  if (left.empty()) return std::nullopt;
  return left;
}

}  // namespace

std::vector<unsigned> presence_sets(const Stmt& stmt, const OperandOf& operand_of) {
  return largest_first(PresenceSets(operand_of).of(stmt));
}

std::vector<unsigned> presence_sets(const Expr& expr, const OperandOf& operand_of) {
  return largest_first(PresenceSets(operand_of).of(expr));
}

std::optional<Stmt> without_absent(const Stmt& stmt, const Absent& absent) {
  using Result = std::optional<Stmt>;
  return match(
      stmt,
      [&](const Forall& n) -> Result {
        Result body = without_absent(n.body, absent);
        return body ? Result(n.with(*body)) : std::nullopt;
      },
      [&](const Where& n) -> Result {
        if (Result producer = without_absent(n.producer, absent)) {
          Result consumer = without_absent(n.consumer, absent);
          return consumer ? Result(Where{*consumer, *producer}) : std::nullopt;
        }
        std::vector<TensorVar> empty = concrete::targets(n.producer);
        return without_absent(n.consumer, [&](const Access& access) {
          return absent(access) || std::find(empty.begin(), empty.end(), access.tensor) != empty.end();
        });
      },
      [&](const Sequence& n) -> Result {
        auto left = remaining(n.statements, absent);
        return left ? Result(left->size() == 1 ? left->front() : Stmt(Sequence{*left})) : std::nullopt;
      },
      [&](const Multi& n) -> Result {
        auto left = remaining(n.statements, absent);
        return left ? Result(left->size() == 1 ? left->front() : Stmt(Multi{*left})) : std::nullopt;
      },
      [&](const Assign& n) -> Result {
        Expr rhs = notation::substitute_fill(n.rhs, absent);
        if (concrete::changes_nothing(n, rhs)) return std::nullopt;
        return rhs.same_as(n.rhs) ? stmt : Stmt(n.with(n.lhs, rhs));
      });
}

}  // namespace filigree::lattice
