#include "notation/sum_places.h"

#include <algorithm>
#include <unordered_map>

#include "algebra/linear.h"

namespace filigree::notation {
namespace {

using Vars = std::vector<IndexVar>;

Vars without(const Vars& vars, const Vars& removed) {
  Vars rest;
  for (const IndexVar& var : vars) {
    if (!contains(removed, var)) rest.push_back(var);
  }
  return rest;
}

/// A variable on the way to its uses, and how many barriers it has passed.
struct Traveller {
  IndexVar var;
  int passed = 0;
  std::optional<Operator> chain = {};  // the operator of the last one, while operands of it are operands of that, too:
                                       // max(max(a, b), c) is one barrier
};
using Travellers = std::vector<Traveller>;

Vars variables(const Travellers& travellers) {
  Vars vars;
  for (const Traveller& traveller : travellers) vars.push_back(traveller.var);
  return vars;
}

class Placer {
 public:
  explicit Placer(int limit) : limit_(limit) {}

  /// `expr` with a sum over each traveller.
  Expr place(const Expr& expr, const Travellers& travellers) {
    if (travellers.empty()) return expr;
    Vars here, blocked;
    Travellers below;
    for (const Traveller& traveller : travellers) {
      bool continues = traveller.chain && chained_operator(expr) == traveller.chain;
      bool is_barrier = !continues && stops(expr, traveller.var);
      if (is_barrier) blocked.push_back(traveller.var);
      if (!continues && (arrives(expr, traveller.var) || (is_barrier && traveller.passed == limit_))) {
        here.push_back(traveller.var);
      } else {
        below.push_back({traveller.var, traveller.passed + (is_barrier ? 1 : 0),
                         continues || is_barrier ? chained_operator(expr) : std::nullopt});
        barriers = std::max(barriers, below.back().passed);
      }
    }
    if (!blocked.empty() && !first) first = Barrier{expr, blocked, variables(travellers)};
    Expr body = below.empty() ? expr : map_children(expr, [&](const Expr& child) {
      const Vars& used = uses(child);
      Travellers handed;
      for (const IndexVar& var : used) {
        auto found =
            std::find_if(below.begin(), below.end(), [&](const Traveller& traveller) { return traveller.var == var; });
        if (found != below.end()) handed.push_back(*found);
      }
      return place(child, handed);
    });
    if (here.empty()) return body;
    return Expr(Reduce{Operator::Add, std::move(here), body}, expr.span());
  }

  int barriers = 0;
  std::optional<Barrier> first;

 private:
  /// The free variables of `expr` in order of appearance; remembered per node, so that long chains stay linear.
  const Vars& uses(const Expr& expr) {
    auto known = uses_.find(&expr.kind());
    if (known != uses_.end()) return known->second;
    Vars vars = match(
        expr, [](const Literal&) { return Vars{}; }, [](const Access& access) { return free_of(access.indices); },
        [](const Coordinate& coordinate) { return Vars{coordinate.var}; },
        [&](const Apply& apply) {
          Vars all;
          for (const Expr& operand : apply.operands) {
            const Vars& part = uses(operand);
            for (const IndexVar& var : part) {
              if (!contains(all, var)) all.push_back(var);
            }
          }
          return all;
        },
        [&](const Reduce& reduce) { return without(uses(reduce.body), reduce.vars); });
    return uses_.emplace(&expr.kind(), std::move(vars)).first->second;
  }

  /// The positions of the operands that use `var`.
  std::vector<int> users(const Apply& apply, const IndexVar& var) {
    std::vector<int> positions;
    for (size_t n = 0; n < apply.operands.size(); n++) {
      if (contains(uses(apply.operands[n]), var)) positions.push_back(static_cast<int>(n));
    }
    return positions;
  }

  static std::optional<Operator> chained_operator(const Expr& expr) {
    const Apply* apply = expr.as<Apply>();
    return apply && facts(apply->op).associative ? std::optional(apply->op) : std::nullopt;
  }

  static bool is_chain(const Apply& apply) { return apply.op == Operator::Add || apply.op == Operator::Subtract; }

  /// Is there a use of `var` in `expr` that no barrier is around?
  bool is_used_openly(const Expr& expr, const IndexVar& var) {
    if (!contains(uses(expr), var)) return false;
    return match(
        expr, [](const Literal&) { return false; }, [](const Access&) { return true; },
        [](const Coordinate&) { return true; },
        [&](const Apply& apply) {
          for (size_t n = 0; n < apply.operands.size(); n++) {
            bool open = is_chain(apply) || is_linear_in(apply.op, static_cast<int>(n));
            if (open && is_used_openly(apply.operands[n], var)) return true;
          }
          return false;
        },
        [&](const Reduce& reduce) { return reduce.op == Operator::Add && is_used_openly(reduce.body, var); });
  }

  /// Is this a product that joins several uses?
  bool joins(const Apply& apply, const IndexVar& var) {
    return apply.op == Operator::Multiply && users(apply, var).size() > 1 &&
           std::any_of(apply.operands.begin(), apply.operands.end(),
                       [&](const Expr& operand) { return is_used_openly(operand, var); });
  }

  bool arrives(const Expr& expr, const IndexVar& var) {
    const Apply* apply = expr.as<Apply>();
    return expr.as<Access>() || expr.as<Coordinate>() || (apply && joins(*apply, var));
  }

  bool stops(const Expr& expr, const IndexVar& var) {
    if (const Reduce* reduce = expr.as<Reduce>()) return reduce->op != Operator::Add;
    const Apply* apply = expr.as<Apply>();
    if (!apply || is_chain(*apply) || joins(*apply, var)) return false;
    std::vector<int> positions = users(*apply, var);
    return positions.size() > 1 || !is_linear_in(apply->op, positions[0]);
  }

  int limit_;
  // Keyed by node; the expression that is looked at keeps its nodes alive.  References stay valid as it grows.
  std::unordered_map<const ExprKind*, Vars> uses_;
};

}  // namespace

std::vector<IndexVar> summed_vars(const Statement& statement) {
  return without(free_vars(statement.rhs), free_of(statement.lhs.indices));
}

PlacedSums place_sums(const Expr& expr, const std::vector<IndexVar>& vars, int limit) {
  Placer placer(limit);
  Travellers travellers;
  for (const IndexVar& var : vars) travellers.push_back({var});
  Expr placed = placer.place(expr, travellers);
  return {std::move(placed), placer.barriers, std::move(placer.first)};
}

}  // namespace filigree::notation
