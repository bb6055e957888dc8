#include "notation/parts.h"

#include <algorithm>
#include <map>

namespace filigree::notation {
namespace {

bool takes_any_order(Operator op) { return facts(op).arity == 2 && facts(op).associative && facts(op).commutative; }

/// The operator of a chain; a difference is a sum with a sign.
std::optional<Operator> chain_operator(const Expr& expr) {
  const Apply* apply = expr.as<Apply>();
  if (!apply) return std::nullopt;
  if (apply->op == Operator::Subtract) return Operator::Add;
  return takes_any_order(apply->op) ? std::optional(apply->op) : std::nullopt;
}

void collect_operands(const Expr& expr, Operator op, ElementType type, bool negated, std::vector<Expr>& out) {
  const Apply* apply = expr.as<Apply>();
  bool subtracts = apply && op == Operator::Add && apply->op == Operator::Subtract;
  // A sum of a narrower type wraps or rounds by itself.
  if (expr.type() == type && (subtracts || (apply && apply->op == op && takes_any_order(op)))) {
    collect_operands(apply->operands[0], op, type, negated, out);
    collect_operands(apply->operands[1], op, type, negated != subtracts, out);
  } else {
    out.push_back(negated ? Expr(Apply{Operator::Negate, {expr}}, expr.span()) : expr);
  }
}

bool is_same(const Expr& a, const Expr& b);

/// For each of `wanted`, an operand that is the same, each taken once; nothing if one has none.
std::optional<std::vector<bool>> find_all(const std::vector<Expr>& wanted, const std::vector<Expr>& operands) {
  std::vector<bool> taken(operands.size(), false);
  for (const Expr& one : wanted) {
    size_t n = 0;
    while (n < operands.size() && (taken[n] || !is_same(one, operands[n]))) n++;
    if (n == operands.size()) return std::nullopt;
    taken[n] = true;
  }
  return taken;
}

bool have_same_names(const std::vector<IndexVar>& a, const std::vector<IndexVar>& b) {
  return a.size() == b.size() && std::all_of(a.begin(), a.end(), [&](const IndexVar& v) {
           return std::any_of(b.begin(), b.end(), [&](const IndexVar& w) { return v.name() == w.name(); });
         });
}

bool is_same(const Expr& a, const Expr& b) {
  std::optional<Operator> op = chain_operator(a);
  if (op) {
    if (op != chain_operator(b)) return false;
    std::vector<Expr> mine = chain_operands(a, *op), theirs = chain_operands(b, *op);
    return mine.size() == theirs.size() && find_all(mine, theirs).has_value();
  }
  if (a.kind().index() != b.kind().index()) return false;
  return match(
      a, [&](const Literal& n) { return n.value.as_complex() == b.as<Literal>()->value.as_complex(); },
      [&](const Access& n) { return to_string(n) == to_string(*b.as<Access>()); },
      [&](const Coordinate& n) { return n.var.name() == b.as<Coordinate>()->var.name(); },
      [&](const Apply& n) {
        const Apply& other = *b.as<Apply>();
        return n.op == other.op &&
               std::equal(n.operands.begin(), n.operands.end(), other.operands.begin(), other.operands.end(), is_same);
      },
      [&](const Reduce& n) {
        const Reduce& other = *b.as<Reduce>();
        return n.op == other.op && n.workspace == other.workspace && have_same_names(n.vars, other.vars) &&
               is_same(n.body, other.body);
      });
}

/// Some of the operands of the chain `whole`, replaced by `change` of them taken together.
std::optional<Expr> with_some_operands(const Expr& whole, const Expr& part,
                                       const std::function<Expr(const Expr&)>& change) {
  std::optional<Operator> op = chain_operator(whole);
  if (!op || op != chain_operator(part)) return std::nullopt;
  std::vector<Expr> operands = chain_operands(whole, *op), together, rest;
  std::optional<std::vector<bool>> taken = find_all(chain_operands(part, *op), operands);
  if (!taken) return std::nullopt;
  for (size_t n = 0; n < operands.size(); n++) ((*taken)[n] ? together : rest).push_back(operands[n]);
  Expr found = make_chain(*op, together);
  if (found.type() != whole.type()) return std::nullopt;
  rest.insert(rest.begin(), change(found));
  return make_chain(*op, rest);
}

}  // namespace

std::vector<Expr> chain_operands(const Expr& expr, Operator op) {
  std::vector<Expr> out;
  collect_operands(expr, op, expr.type(), false, out);
  return out;
}

Expr make_chain(Operator op, const std::vector<Expr>& operands) {
  Expr chain = operands.front();
  for (size_t n = 1; n < operands.size(); n++) {
    const Apply* apply = operands[n].as<Apply>();
    bool subtracts = op == Operator::Add && apply && apply->op == Operator::Negate;
    chain = subtracts ? Expr(Apply{Operator::Subtract, {chain, apply->operands[0]}}, chain.span())
                      : Expr(Apply{op, {chain, operands[n]}}, chain.span());
  }
  return chain;
}

std::optional<Expr> with_part(const Expr& whole, const Expr& part, const std::function<Expr(const Expr&)>& change) {
  if (is_same(whole, part)) return change(whole);
  if (const Reduce* reduce = whole.as<Reduce>(); reduce && reduce->workspace)
    return std::nullopt;  // what is inside is another workspace's
  if (std::optional<Expr> changed = with_some_operands(whole, part, change)) return changed;
  bool done = false;
  Expr changed = map_children(whole, [&](const Expr& child) {
    if (done) return child;
    std::optional<Expr> inside = with_part(child, part, change);
    done = inside.has_value();
    return inside.value_or(child);
  });
  return done ? std::optional(changed) : std::nullopt;
}

std::vector<std::string> part_texts(const Expr& whole) {
  std::vector<std::string> texts;
  for_each(whole, [&](const Expr& expr) {
    std::string text = to_string(expr);
    bool is_known = expr.as<Literal>() || expr.as<Coordinate>() ||
                    std::find(texts.begin(), texts.end(), text) != texts.end();
    if (!is_known) texts.push_back(text);
  });
  return texts;
}

}  // namespace filigree::notation
