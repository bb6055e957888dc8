#include "notation/conditions.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace filigree::notation {
namespace {

/// Larger numbers would not leave room for coordinates in 64 bits.
constexpr std::int64_t largest_factor = std::int64_t{1} << 20, largest_offset = std::int64_t{1} << 40;

/// offset + sum of factor*var
struct Sum {
  std::vector<std::pair<IndexVar, std::int64_t>> terms;
  std::int64_t offset = 0;

  bool fits() const {
    auto small = [](std::int64_t value, std::int64_t largest) { return -largest <= value && value <= largest; };
    return small(offset, largest_offset) && std::all_of(terms.begin(), terms.end(), [&](const auto& term) {
             return small(term.second, largest_factor);
           });
  }
};

Sum scaled(Sum sum, std::int64_t factor) {
  for (auto& term : sum.terms) term.second *= factor;
  sum.offset *= factor;
  return sum;
}

Sum added(Sum a, const Sum& b) {
  for (const auto& [var, factor] : b.terms) {
    auto known =
        std::find_if(a.terms.begin(), a.terms.end(), [&, &v = var](const auto& term) { return term.first == v; });
    if (known == a.terms.end()) a.terms.emplace_back(var, factor);
    else known->second += factor;
  }
  a.offset += b.offset;
  std::erase_if(a.terms, [](const auto& term) { return term.second == 0; });
  return a;
}

std::optional<Sum> as_sum(const Expr& expr);

std::optional<Sum> sum_of_apply(const Apply& apply) {
  std::vector<Sum> operands;
  for (const Expr& operand : apply.operands) {
    std::optional<Sum> sum = as_sum(operand);
    if (!sum) return std::nullopt;
    operands.push_back(*sum);
  }
  if (apply.op == Operator::Negate) return scaled(operands[0], -1);
  if (apply.op == Operator::Add) return added(operands[0], operands[1]);
  if (apply.op == Operator::Subtract) return added(operands[0], scaled(operands[1], -1));
  if (apply.op != Operator::Multiply) return std::nullopt;
  if (operands[0].terms.empty())
    return std::abs(operands[0].offset) <= largest_factor ? std::optional(scaled(operands[1], operands[0].offset))
                                                          : std::nullopt;
  if (operands[1].terms.empty())
    return std::abs(operands[1].offset) <= largest_factor ? std::optional(scaled(operands[0], operands[1].offset))
                                                          : std::nullopt;
  return std::nullopt;
}

std::optional<Sum> as_sum(const Expr& expr) {
  std::optional<Sum> sum;
  if (const Coordinate* coordinate = expr.as<Coordinate>()) sum = Sum{{{coordinate->var, 1}}};
  const Literal* literal = expr.as<Literal>();
  if (literal && !literal->structural && is_integer(expr.type())) sum = Sum{{}, literal->value.as_int()};
  if (const Apply* apply = expr.as<Apply>(); apply && expr.type() == ElementType::Int64) sum = sum_of_apply(*apply);
  return sum && sum->fits() ? sum : std::nullopt;
}

/// Finds the tensor of each condition, and makes it where it is met first.
class Conditions {
 public:
  Expr rewritten(const Expr& expr) {
    std::optional<IndexCondition> found = as_condition(expr);
    if (!found) return map_children(expr, [&](const Expr& child) { return rewritten(child); });
    auto known = std::find_if(tensors_.begin(), tensors_.end(), [&](const auto& t) { return t.first == *found; });
    if (known == tensors_.end()) {
      std::vector<int> dimensions(found->indices.size());
      std::iota(dimensions.begin(), dimensions.end(), 0);
      tensors_.emplace_back(*found, TensorVar(name(), found->condition, dimensions));
      known = tensors_.end() - 1;
    }
    return Expr(Access{known->second, found->indices}, expr.span());
  }

 private:
  std::string name() const {
    return "condition" + (tensors_.empty() ? std::string() : "_" + std::to_string(tensors_.size()));
  }
  std::vector<std::pair<IndexCondition, TensorVar>> tensors_;
};

}  // namespace

std::optional<IndexCondition> as_condition(const Expr& expr) {
  using Kind = relation::Condition::Kind;
  const Apply* apply = expr.as<Apply>();
  if (!apply || facts(apply->op).typing != Typing::Comparison) return std::nullopt;
  std::optional<Sum> left = as_sum(apply->operands[0]), right = as_sum(apply->operands[1]);
  if (!left || !right) return std::nullopt;
  bool strict = apply->op == Operator::Less || apply->op == Operator::Greater,
       less = apply->op == Operator::Less || apply->op == Operator::LessEqual;
  Sum sum = less ? added(*right, scaled(*left, -1)) : added(*left, scaled(*right, -1));
  if (strict) sum.offset -= 1;
  if (sum.terms.empty() || !sum.fits()) return std::nullopt;
  // In one order, so that equal conditions are found to be equal.
  std::sort(sum.terms.begin(), sum.terms.end());
  Kind kind = apply->op == Operator::Equal      ? Kind::Equal
              : apply->op == Operator::NotEqual ? Kind::NotEqual
                                                : Kind::AtLeast;
  if (kind != Kind::AtLeast && sum.terms[0].second < 0) sum = scaled(sum, -1);
  IndexCondition out{{{}, sum.offset, kind}, {}};
  for (const auto& [var, factor] : sum.terms) {
    out.condition.factors.push_back(factor);
    out.indices.push_back(var);
  }
  return out;
}

Expr with_conditions(const Expr& expr) { return Conditions().rewritten(expr); }

}  // namespace filigree::notation
