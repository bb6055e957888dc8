#include "passes/linear_facts.h"

#include <algorithm>

namespace filigree::passes {

using namespace ir;
namespace {

constexpr std::int64_t largest = std::int64_t{1} << 30;  // of factors and constants: nothing here overflows
constexpr size_t most_facts = 64;

bool contains(const std::vector<std::uint64_t>& ids, std::uint64_t id) {
  return std::find(ids.begin(), ids.end(), id) != ids.end();
}

/// a + factor * b; nothing if numbers become too large.
std::optional<LinearSum> combined(LinearSum a, const LinearSum& b, std::int64_t factor) {
  auto fits = [](std::int64_t n) { return -largest <= n && n <= largest; };
  if (!fits(factor)) return std::nullopt;
  a.constant += factor * b.constant;
  bool fine = fits(a.constant);
  for (const auto& [id, own] : b.terms) {
    auto same = std::find_if(a.terms.begin(), a.terms.end(), [&](const auto& term) { return term.first == id; });
    if (same == a.terms.end()) same = a.terms.insert(a.terms.end(), {id, 0});
    same->second += factor * own;
    fine = fine && fits(same->second);
  }
  std::erase_if(a.terms, [](const auto& term) { return term.second == 0; });
  return fine ? std::optional(a) : std::nullopt;
}

const Apply* apply_of(const Expr& expr, Operator op) {
  const Apply* apply = expr.as<Apply>();
  return apply && apply->op == op && apply->operands.size() == 2 ? apply : nullptr;
}

}  // namespace

void LinearFacts::know(const Var& var, bool is_index) {
  forget(var);
  known_.push_back(var.id().value);
  if (is_index) indices_.push_back(var.id().value);
}

void LinearFacts::forget(const Var& var) {
  const std::uint64_t id = var.id().value;
  std::erase(known_, id);
  std::erase(indices_, id);
  std::erase_if(facts_, [&](const LinearSum& fact) {
    return std::any_of(fact.terms.begin(), fact.terms.end(), [&](const auto& term) { return term.first == id; });
  });
}

/// Values of operands can be anything, and sums of them may wrap around; on their own they are what they are.
std::optional<LinearSum> LinearFacts::sum(const Expr& expr, bool inside) const {
  if (expr.type() != ElementType::Int64) return std::nullopt;
  if (const Literal* literal = expr.as<Literal>()) {
    std::int64_t value = literal->value.as_int();
    return -largest <= value && value <= largest ? std::optional(LinearSum{value}) : std::nullopt;
  }
  if (const VarRef* read = expr.as<VarRef>()) {
    const std::uint64_t id = read->var.id().value;
    return contains(inside ? indices_ : known_, id) ? std::optional(LinearSum{0, {{id, 1}}}) : std::nullopt;
  }
  const Apply* apply = expr.as<Apply>();
  if (!apply || apply->operands.size() != 2) return std::nullopt;
  bool sums = apply->op == Operator::Add || apply->op == Operator::Subtract;
  if (!sums && apply->op != Operator::Multiply) return std::nullopt;
  std::optional<LinearSum> a = sum(apply->operands[0], true), b = sum(apply->operands[1], true);
  if (!a || !b) return std::nullopt;
  if (sums) return combined(*a, *b, apply->op == Operator::Add ? 1 : -1);
  if (!a->terms.empty()) std::swap(a, b);
  if (!a->terms.empty()) return std::nullopt;
  return combined({}, *b, a->constant);
}

void LinearFacts::add(const Expr& condition, bool holds) {
  const Apply* apply = condition.as<Apply>();
  if (!apply) return;
  if (apply->op == Operator::Not) return add(apply->operands[0], !holds);
  if (apply->operands.size() != 2) return;
  const Expr &a = apply->operands[0], &b = apply->operands[1];
  if (apply->op == (holds ? Operator::And : Operator::Or)) return add(a, holds), add(b, holds);
  if (apply->op == Operator::Less) return holds ? add_at_most(a, b, 1) : add_at_most(b, a);
  if (apply->op == Operator::LessEqual) return holds ? add_at_most(a, b) : add_at_most(b, a, 1);
  if (apply->op == Operator::Greater) return holds ? add_at_most(b, a, 1) : add_at_most(a, b);
  if (apply->op == Operator::GreaterEqual) return holds ? add_at_most(b, a) : add_at_most(a, b, 1);
  if (apply->op == (holds ? Operator::Equal : Operator::NotEqual)) add_at_most(a, b), add_at_most(b, a);
}

void LinearFacts::add_at_most(const Expr& a, const Expr& b, std::int64_t difference) {
  if (const Apply* max = apply_of(a, Operator::Max)) {
    for (const Expr& each : max->operands) add_at_most(each, b, difference);
    return;
  }
  if (const Apply* min = apply_of(b, Operator::Min)) {
    for (const Expr& each : min->operands) add_at_most(a, each, difference);
    return;
  }
  std::optional<LinearSum> low = sum(a), high = sum(b);
  if (!low || !high || facts_.size() >= most_facts) return;
  std::optional<LinearSum> fact = combined(*high, *low, -1);
  if (!fact) return;
  fact->constant -= difference;
  if (!fact->terms.empty()) facts_.push_back(*fact);
}

bool LinearFacts::at_most(const Expr& a, const Expr& b, std::int64_t difference) const {
  auto any = [](const std::vector<Expr>& operands, auto holds) {
    return std::any_of(operands.begin(), operands.end(), holds);
  };
  auto all = [](const std::vector<Expr>& operands, auto holds) {
    return std::all_of(operands.begin(), operands.end(), holds);
  };
  if (const Apply* max = apply_of(a, Operator::Max))
    return all(max->operands, [&](const Expr& each) { return at_most(each, b, difference); });
  if (const Apply* min = apply_of(b, Operator::Min))
    return all(min->operands, [&](const Expr& each) { return at_most(a, each, difference); });
  if (const Apply* min = apply_of(a, Operator::Min))
    return any(min->operands, [&](const Expr& each) { return at_most(each, b, difference); });
  if (const Apply* max = apply_of(b, Operator::Max))
    return any(max->operands, [&](const Expr& each) { return at_most(a, each, difference); });
  std::optional<LinearSum> low = sum(a), high = sum(b);
  if (!low || !high) return false;
  std::optional<LinearSum> goal = combined(*high, *low, -1);
  if (!goal) return false;
  goal->constant -= difference;
  constexpr int most_facts_used = 4;
  int steps = 1000;  // of a question: what takes more is left open
  return follows(*goal, most_facts_used, steps);
}

/// Takes away facts, each times a number, until nothing is left but a constant.
bool LinearFacts::follows(const LinearSum& goal, int depth, int& steps) const {
  if (goal.terms.empty()) return goal.constant >= 0;
  if (depth == 0 || --steps < 0) return false;
  const auto& [id, factor] = goal.terms.front();
  for (const LinearSum& fact : facts_) {
    auto own = std::find_if(fact.terms.begin(), fact.terms.end(), [&](const auto& term) { return term.first == id; });
    if (own == fact.terms.end() || factor % own->second != 0 || factor / own->second <= 0) continue;
    std::optional<LinearSum> left = combined(goal, fact, -(factor / own->second));
    if (left && follows(*left, depth - 1, steps)) return true;
  }
  return false;
}

}  // namespace filigree::passes
