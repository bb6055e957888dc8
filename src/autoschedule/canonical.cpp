#include "autoschedule/canonical.h"

#include <algorithm>
#include <map>

namespace filigree::autoschedule {

Expr sorted(const Expr& expr) {
  const Apply* apply = expr.as<Apply>();
  if (!apply) return expr;
  const OperatorFacts& known = facts(apply->op);
  std::vector<std::pair<std::string, Expr>> operands;
  for (const Expr& operand : apply->operands) {
    Expr done = sorted(operand);
    const Apply* inner = done.as<Apply>();
    if (known.associative && inner && inner->op == apply->op) {
      for (const Expr& part : inner->operands) operands.emplace_back(to_string(part), part);
    } else {
      operands.emplace_back(to_string(done), done);
    }
  }
  if (known.commutative) {
    std::stable_sort(operands.begin(), operands.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  }
  Apply out{apply->op, {}};
  for (auto& [text, operand] : operands) out.operands.push_back(operand);
  return out;
}

namespace {

class Renamer {
 public:
  using Scope = std::map<std::string, std::string>;

  Stmt rename(const Stmt& stmt, Scope scope) {
    return match(
        stmt,
        [&](const Forall& n) -> Stmt {
          std::string name = "i" + std::to_string(++loops_);
          scope[n.index] = name;
          return Forall{name, rename(n.body, scope)};
        },
        [&](const Where& n) -> Stmt {
          const Assign& filled = target(n.producer);
          names_[filled.lhs.tensor] = "w" + std::to_string(++temporaries_);
          orders_[filled.lhs.tensor] = order_of_loops(n.producer, filled.lhs);
          Stmt consumer = rename(n.consumer, scope);
          return Where{consumer, rename(n.producer, scope)};
        },
        [&](const Assign& n) -> Stmt { return Assign{renamed(n.lhs, scope), n.op, sorted(renamed(n.rhs, scope))}; });
  }

 private:
  /// The dimensions of a temporary in the order in which its producer's loops bind them.
  static std::vector<size_t> order_of_loops(const Stmt& producer, const Access& filled) {
    std::vector<std::string> bound;
    for (const Stmt* at = &producer; !at->as<Assign>();) {
      if (const Forall* loop = at->as<Forall>()) {
        bound.push_back(loop->index);
        at = &loop->body;
      } else {
        at = &at->as<Where>()->consumer;
      }
    }
    std::vector<size_t> order(filled.modes.size());
    for (size_t n = 0; n < order.size(); n++) order[n] = n;
    auto rank = [&](size_t n) { return std::find(bound.begin(), bound.end(), filled.modes[n].index) - bound.begin(); };
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return rank(a) < rank(b); });
    return order;
  }

  Access renamed(const Access& access, const Scope& scope) const {
    Access out = access;
    for (Mode& mode : out.modes) {
      auto found = scope.find(mode.index);
      if (found != scope.end()) mode.index = found->second;
    }
    auto name = names_.find(access.tensor);
    if (name == names_.end()) return out;
    Access ordered{name->second, {}};
    for (size_t n : orders_.at(access.tensor)) ordered.modes.push_back(out.modes[n]);
    return ordered;
  }

  Expr renamed(const Expr& expr, const Scope& scope) const {
    return match(
        expr, [&](const Number&) { return expr; }, [&](const Access& n) -> Expr { return renamed(n, scope); },
        [&](const Apply& n) -> Expr {
          Apply out{n.op, {}};
          for (const Expr& operand : n.operands) out.operands.push_back(renamed(operand, scope));
          return out;
        });
  }

  int loops_ = 0, temporaries_ = 0;
  std::map<std::string, std::string> names_;
  std::map<std::string, std::vector<size_t>> orders_;
};

}  // namespace

Stmt canonical(const Stmt& stmt) { return Renamer().rename(stmt, {}); }

std::string canonical_text(const Stmt& stmt) { return to_string(canonical(stmt)); }

}  // namespace filigree::autoschedule
