// What follows from operands that are known by structure: identities, annihilators, and how operators distribute.
#include <algorithm>
#include <cmath>
#include <limits>

#include "algebra/operator.h"
#include "algebra/user_function.h"

namespace filigree {
namespace {

Scalar one(ElementType type) { return Scalar::of(type, std::int64_t{1}); }

Scalar lowest(ElementType type) {
  if (is_floating(type)) return Scalar::of(type, -std::numeric_limits<double>::infinity());
  if (!is_signed_integer(type)) return Scalar(type);
  return Scalar::of(type, std::numeric_limits<std::int64_t>::min() >> (64 - 8 * size_in_bytes(type)));
}

Scalar highest(ElementType type) {
  if (is_floating(type)) return Scalar::of(type, std::numeric_limits<double>::infinity());
  if (type == ElementType::Bool) return Scalar::boolean(true);
  if (!is_signed_integer(type)) return Scalar::of(type, std::int64_t{-1});
  return Scalar::of(type, std::numeric_limits<std::int64_t>::max() >> (64 - 8 * size_in_bytes(type)));
}

bool is_infinite(const Scalar& value) { return is_floating(value.type()) && std::isinf(value.as_double()); }

std::optional<Scalar> annihilated_by_user(Operator op, int position, const Scalar& value, ElementType result) {
  for (const Annihilator& a : user_function(op).annihilators) {
    bool holds = (a.position < 0 || a.position == position) && Scalar::of(value.type(), a.value) == value;
    if (holds) return Scalar::of(result, a.result);
  }
  return std::nullopt;
}

/// A structural value; its zeros have no sign, or 1/0 would depend on where a zero comes from.
Constant structural(const Scalar& value, ElementType result) {
  return {value.is_zero() ? Scalar(result) : value.cast(result)};
}

/// The branch that a known condition chooses, or the value that both have.
Simplified simplify_select(const std::vector<std::optional<Scalar>>& known, ElementType result) {
  if (known[0]) {
    int chosen = known[0]->as_bool() ? 1 : 2;
    return known[chosen] ? Simplified(structural(*known[chosen], result)) : Simplified(Operand{chosen});
  }
  if (known[1] && known[2] && known[1]->cast(result) == known[2]->cast(result)) return structural(*known[1], result);
  return Unchanged{};
}

}  // namespace

std::optional<Scalar> identity(Operator op, ElementType type) {
  if (op == Operator::Add || op == Operator::Or || op == Operator::Xor) return Scalar(type);
  if (op == Operator::Multiply || op == Operator::And) return one(type);
  if (op == Operator::Min && !is_complex(type)) return highest(type);
  if (op == Operator::Max && !is_complex(type)) return lowest(type);
  if (!is_user_function(op) || !user_function(op).identity) return std::nullopt;
  return Scalar::of(type, *user_function(op).identity);
}

bool can_reduce(Operator op) {
  const OperatorFacts& f = facts(op);
  return f.arity == 2 && f.associative && f.commutative && identity(op, ElementType::Float64).has_value();
}

std::optional<Scalar> final_value(Operator op, ElementType type) {
  if (op == Operator::And || (op == Operator::Min && type == ElementType::Bool)) return Scalar(type);
  if (op == Operator::Or || (op == Operator::Max && type == ElementType::Bool)) return one(type);
  if (!is_user_function(op) || !facts(op).idempotent) return std::nullopt;
  for (const Annihilator& a : user_function(op).annihilators) {
    if (a.position < 0 && a.value == a.result) return Scalar::of(type, a.value);
  }
  return std::nullopt;
}

bool reduces_at_once(Operator op, const Scalar& value, ElementType type) {
  // Complex infinities are not multiplied with numbers part by part.
  if (is_complex(type) && !value.is_finite()) return false;
  if (facts(op).idempotent || op == Operator::Xor) return true;
  return type != ElementType::Bool && (op == Operator::Add || (op == Operator::Multiply && !is_complex(type)));
}

bool distributes_over(Operator outer, Operator inner, ElementType type) {
  if (inner == Operator::Add) return outer == Operator::Multiply;
  if (inner == Operator::Min || inner == Operator::Max) return outer == Operator::Add && is_floating(type);
  if (inner == Operator::Or || inner == Operator::Xor) return outer == Operator::And;
  if (inner == Operator::And) return outer == Operator::Or;
  return false;
}

std::optional<Scalar> annihilated(Operator op, int position, const Scalar& value, ElementType result) {
  if (is_user_function(op)) return annihilated_by_user(op, position, value, result);
  if (op == Operator::And) return value.as_bool() ? std::nullopt : std::optional(Scalar::boolean(false));
  if (op == Operator::Or) return value.as_bool() ? std::optional(Scalar::boolean(true)) : std::nullopt;
  if (facts(op).arity != 2 || facts(op).typing == Typing::Comparison || facts(op).typing == Typing::Logic)
    return std::nullopt;

  Scalar v = value.cast(result);
  bool zero = v.is_zero(), is_one = v == one(result), first = position == 0, integers = is_integer(result);
  if (op == Operator::Add && is_infinite(v)) return v;
  if (op == Operator::Subtract && is_infinite(v)) return first ? v : evaluate(Operator::Negate, {v});
  if (op == Operator::Multiply && zero) return Scalar(result);  // without a sign
  if (op == Operator::Divide && zero && first) return Scalar(result);
  // Integers divided by zero are 0, and leave 0.
  if ((op == Operator::FloorDivide || op == Operator::Remainder) && zero && (first || integers)) return Scalar(result);
  if (op == Operator::Remainder && is_one && !first && integers) return Scalar(result);
  if (op == Operator::Power && ((is_one && first) || (zero && !first))) return one(result);
  if (op == Operator::Min && v == lowest(result)) return v;
  if (op == Operator::Max && v == highest(result)) return v;
  return std::nullopt;
}

bool is_neutral(Operator op, int position, const Scalar& value, ElementType result) {
  if (facts(op).arity != 2) return false;
  Scalar v = value.cast(result);
  if (op == Operator::Subtract) return position == 1 && v.is_zero();
  if (op == Operator::Divide || op == Operator::Power || (op == Operator::FloorDivide && is_integer(result))) {
    return position == 1 && v == one(result);
  }
  std::optional<Scalar> neutral = identity(op, result);
  return neutral && *neutral == v;
}

bool decides_alone(Operator op, const std::vector<std::optional<Scalar>>& fills) {
  if (op != Operator::Add && op != Operator::Subtract) return true;
  return !fills[0] || !fills[1] || fills[0]->is_nan() || fills[1]->is_nan() ||
         !evaluate(op, {*fills[0], *fills[1]}).is_nan();
}

Simplified simplify(Operator op, const std::vector<std::optional<Scalar>>& known, ElementType result, bool decides) {
  if (op == Operator::Select) return simplify_select(known, result);
  for (size_t i = 0; i < known.size(); i++) {
    if (!known[i] || !decides) continue;
    if (std::optional<Scalar> value = annihilated(op, static_cast<int>(i), *known[i], result))
      return structural(*value, result);
  }
  if (std::all_of(known.begin(), known.end(), [](const auto& k) { return k.has_value(); })) {
    std::vector<Scalar> values;
    for (const auto& k : known) values.push_back(*k);
    return structural(evaluate(op, values), result);
  }
  if (known.size() == 2) {
    for (int i : {0, 1}) {
      if (known[i] && is_neutral(op, i, *known[i], result)) return Operand{1 - i};
    }
    if (op == Operator::Subtract && known[0] && known[0]->is_zero()) return Negated{1};
  }
  return Unchanged{};
}

}  // namespace filigree
