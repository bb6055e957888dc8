#include "autoschedule/group.h"

#include <algorithm>
#include <functional>
#include <set>

namespace filigree::autoschedule {
namespace {

/// Chains of associative operators flat, where all operands have the type of the whole; operands of commutative ones
/// sorted.
Expr flat(const Expr& expr, const Tensors& tensors) {
  const Apply* apply = expr.as<Apply>();
  if (!apply) return expr;
  const OperatorFacts& known = facts(apply->op);
  Apply out{apply->op, {}};
  ElementType type = type_of(expr, tensors);
  for (const Expr& operand : apply->operands) {
    Expr done = flat(operand, tensors);
    const Apply* inner = done.as<Apply>();
    bool joins = known.associative && inner && inner->op == apply->op && type_of(done, tensors) == type &&
                 std::all_of(apply->operands.begin(), apply->operands.end(),
                             [&](const Expr& other) { return type_of(other, tensors) == type; });
    if (joins) out.operands.insert(out.operands.end(), inner->operands.begin(), inner->operands.end());
    else out.operands.push_back(done);
  }
  if (known.commutative) {
    std::stable_sort(out.operands.begin(), out.operands.end(),
                     [](const Expr& a, const Expr& b) { return to_string(a) < to_string(b); });
  }
  return out;
}

/// What one use of a*(b + c) = a*b + a*c makes of `expr`, anywhere in it.
std::vector<Expr> distributed_once(const Expr& expr, const Tensors& tensors) {
  std::vector<Expr> out;
  const Apply* apply = expr.as<Apply>();
  if (!apply) return out;
  ElementType type = type_of(expr, tensors);
  for (size_t k = 0; k < apply->operands.size(); k++) {
    for (const Expr& changed : distributed_once(apply->operands[k], tensors)) {
      Apply with = *apply;
      with.operands[k] = changed;
      out.push_back(with);
    }
    const Apply* sum = apply->operands[k].as<Apply>();
    bool expands = sum && facts(sum->op).associative && facts(apply->op).commutative && facts(apply->op).associative &&
                   type_of(apply->operands[k], tensors) == type && distributes_over(apply->op, sum->op, type);
    if (!expands) continue;
    Apply terms{sum->op, {}};
    for (const Expr& term : sum->operands) {
      Apply product = *apply;
      product.operands[k] = term;
      terms.operands.push_back(product);
    }
    out.push_back(terms);
  }
  return out;
}

/// A part of an expression, and the rest with the part replaced.
struct Part {
  Expr part, rest;
  bool moves_out;  // may a reduction be done in the part alone?
};

class Grouper {
 public:
  explicit Grouper(size_t most) : most_(most) {}

  std::vector<Grouping> of(const Grouping& grouping, const Tensors& tensors) {
    if (!grouping.assign) {
      Tensors around = tensors;
      const Assign& filled = autoschedule::target(*grouping.producer);
      Tensors known = with_workspaces(grouping, around);
      around[filled.lhs.tensor] = known[filled.lhs.tensor];
      return crossed(of(*grouping.consumer, around), of(*grouping.producer, tensors), grouping.distributes,
                     grouping.kept);
    }
    std::vector<Grouping> out;
    for (const Expr& rhs : rewrites(grouping.assign->rhs, tensors)) {
      for (Grouping& made : of_flat({grouping.assign->lhs, grouping.assign->op, rhs}, tensors, 0)) {
        out.push_back(std::move(made));
        if (out.size() > most_) throw TooMany{};
      }
    }
    return out;
  }

  struct TooMany {};

 private:
  std::vector<Grouping> crossed(const std::vector<Grouping>& consumers, const std::vector<Grouping>& producers,
                                bool distributes, const std::vector<std::string>& kept = {}) {
    std::vector<Grouping> out;
    if (consumers.size() * producers.size() > most_) throw TooMany{};
    for (const Grouping& consumer : consumers) {
      for (const Grouping& producer : producers) out.push_back(where(consumer, producer, distributes, kept));
    }
    return out;
  }

  std::vector<Grouping> of_flat(const Assign& assign, const Tensors& tensors, int level) {
    std::vector<Grouping> out = {leaf(assign)};
    std::string name = assign.lhs.tensor + "'" + std::to_string(level);  // of no other temporary; names come later
    std::vector<Part> parts;
    collect(assign, assign.rhs, tensors, name, true, [](const Expr& rest) { return rest; }, parts);
    for (const Part& part : parts) {
      for (bool reduces : {false, true}) {
        if (reduces && !(assign.op && part.moves_out)) continue;
        if (reduces && skipped_terms_count(part.part, *assign.op, tensors)) continue;
        std::optional<Operator> op = reduces ? assign.op : std::nullopt;
        Grouping producer = leaf({Access{name, {}}, op, part.part});
        Grouping consumer = leaf({assign.lhs, assign.op, part.rest});
        Tensors around = tensors;
        around[name] = with_workspaces(where(consumer, producer, reduces), tensors)[name];
        std::vector<Grouping> both =
            crossed(of_flat(*consumer.assign, around, level + 1), of_flat(*producer.assign, tensors, 0), reduces);
        out.insert(out.end(), both.begin(), both.end());
        if (out.size() > most_) throw TooMany{};
      }
    }
    return out;
  }

  static bool is_worth_it(const Expr& part) { return accesses(part).size() >= 2; }

  /// `around` puts what becomes of `expr` back into the whole right side.
  void collect(const Assign& assign, const Expr& expr, const Tensors& tensors, const std::string& name, bool moves,
               const std::function<Expr(const Expr&)>& around, std::vector<Part>& parts) const {
    const Apply* apply = expr.as<Apply>();
    if (!apply) return;
    ElementType type = type_of(expr, tensors);
    // In another type, a sum has other values: of bools, true or true is one.
    auto out_of = [&](size_t k, const Expr& part) {
      return assign.op && moves && type_of(part, tensors) == type && moves_out(apply->op, k, *assign.op, type);
    };
    for (size_t k = 0; k < apply->operands.size(); k++) {
      const Expr& operand = apply->operands[k];
      auto back = [&, k](const Expr& changed) {
        Apply with = *apply;
        with.operands[k] = changed;
        return around(with);
      };
      if (operand.as<Apply>() && is_worth_it(operand))
        parts.push_back({operand, back(Access{name, {}}), out_of(k, operand)});
      collect(assign, operand, tensors, name, out_of(k, operand), back, parts);
    }
    if (!facts(apply->op).associative || apply->operands.size() < 3) return;
    size_t count = apply->operands.size();
    for (size_t subset = 1; subset + 1 < (size_t{1} << count); subset++) {
      Apply inside{apply->op, {}}, rest{apply->op, {}};
      size_t first = count, last = 0;
      for (size_t k = 0; k < count; k++) {
        bool chosen = subset >> k & 1;
        if (chosen) first = std::min(first, k), last = k;
        (chosen ? inside : rest).operands.push_back(apply->operands[k]);
      }
      bool neighbours = last + 1 - first == inside.operands.size();
      if (inside.operands.size() < 2 || (!facts(apply->op).commutative && !neighbours) || !is_worth_it(inside))
        continue;
      size_t place = facts(apply->op).commutative ? rest.operands.size() : first;
      rest.operands.insert(rest.operands.begin() + static_cast<std::ptrdiff_t>(place), Expr(Access{name, {}}));
      parts.push_back({inside, around(rest), out_of(0, inside)});
    }
  }

  size_t most_;
};

constexpr size_t most_rewrites = 64;
constexpr size_t most_accesses = 12;  // of what distributing makes: it repeats operands
constexpr size_t most_operands = 12;  // of one chain: its subsets are parts

bool has_long_chain(const Expr& expr) {
  const Apply* apply = expr.as<Apply>();
  if (!apply) return false;
  return apply->operands.size() > most_operands ||
         std::any_of(apply->operands.begin(), apply->operands.end(), has_long_chain);
}

bool has_long_chain(const Grouping& grouping, const Tensors& tensors) {
  if (!grouping.assign)
    return has_long_chain(*grouping.consumer, tensors) || has_long_chain(*grouping.producer, tensors);
  return has_long_chain(flat(grouping.assign->rhs, tensors));
}

}  // namespace

std::vector<Expr> rewrites(const Expr& expr, const Tensors& tensors) {
  std::vector<Expr> out = {flat(expr, tensors)};
  std::set<std::string> seen = {to_string(out[0])};
  for (size_t n = 0; n < out.size(); n++) {
    for (const Expr& changed : distributed_once(out[n], tensors)) {
      Expr done = flat(changed, tensors);
      if (out.size() == most_rewrites || accesses(done).size() > most_accesses) continue;
      if (seen.insert(to_string(done)).second) out.push_back(done);
    }
  }
  return out;
}

std::optional<std::vector<Grouping>> groupings(const Problem& problem, size_t most) {
  Tensors tensors = with_workspaces(problem.body, problem.tensors);
  if (has_long_chain(problem.body, tensors)) return std::nullopt;
  try {
    return Grouper(most).of(problem.body, problem.tensors);
  } catch (const Grouper::TooMany&) {
    return std::nullopt;
  }
}

}  // namespace filigree::autoschedule
