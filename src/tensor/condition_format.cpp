#include "tensor/condition_format.h"

#include "tensor/composed_level.h"

namespace filigree {
namespace {

using level::Bounds;
using level::Instance;
using level::Node;
using relation::Condition;

/// The condition as the innermost loop sees it: own*coordinate + rest, where the coordinates of loops around are in the
/// rest.
struct Innermost {
  const Condition& condition;
  const std::vector<int>& dimensions;

  std::int64_t own() const { return condition.factors[static_cast<size_t>(dimensions.back())]; }

  /// The coordinates of the rest whose factors have this sign, without the sign.
  ir::Expr rest(const std::vector<ir::Expr>& coordinates, int sign) const {
    ir::Expr sum = ir::integer(0);
    for (size_t n = 0; n + 1 < dimensions.size(); n++) {
      std::int64_t factor = sign * condition.factors[static_cast<size_t>(dimensions[n])];
      if (factor > 0) sum = ir::add(sum, ir::multiply(ir::integer(factor), coordinates[n]));
    }
    return sum;
  }

  ir::Expr holds(const std::vector<ir::Expr>& coordinates) const {
    ir::Expr part = ir::multiply(ir::integer(own() < 0 ? -own() : own()), coordinates.back());
    ir::Expr plus = rest(coordinates, 1), minus = rest(coordinates, -1);
    (own() < 0 ? minus : plus) = ir::add(own() < 0 ? minus : plus, part);
    bool strict = condition.kind == Condition::Kind::AtLeast && condition.offset == -1;
    if (strict) return ir::less(minus, plus);
    if (condition.offset > 0) plus = ir::add(plus, ir::integer(condition.offset));
    if (condition.offset < 0) minus = ir::add(minus, ir::integer(-condition.offset));
    if (condition.kind == Condition::Kind::AtLeast) return ir::greater_equal(plus, minus);
    return condition.kind == Condition::Kind::Equal ? ir::equal(plus, minus) : ir::not_equal(plus, minus);
  }

  /// (plus - minus + more) / stride, rounded down, or 0 if that is negative; at most the extent.
  static ir::Expr limit(const ir::Expr& plus, const ir::Expr& minus, std::int64_t more, std::int64_t stride,
                        const ir::Expr& extent) {
    ir::Expr sum = ir::subtract(plus, minus);
    sum = more < 0 ? ir::subtract(sum, ir::integer(-more)) : ir::add(sum, ir::integer(more));
    if (!ir::is_literal(minus, 0) || more < 0) sum = ir::max(sum, ir::integer(0));
    return ir::min(ir::quotient(sum, ir::integer(stride)), extent);
  }

  /// The coordinates for which it holds, but for the kind that has gaps.
  Bounds bounds(const std::vector<ir::Expr>& coordinates, const ir::Expr& extent) const {
    ir::Expr plus = rest(coordinates, 1), minus = rest(coordinates, -1);
    std::int64_t stride = own() < 0 ? -own() : own();
    if (own() > 0) std::swap(plus, minus);
    std::int64_t offset = own() > 0 ? -condition.offset
                                    : condition.offset;  // stride*coordinate is compared with plus - minus + offset
    Bounds all{ir::integer(0), extent};
    bool above = own() > 0 && condition.kind == Condition::Kind::AtLeast,
         below = own() < 0 && condition.kind == Condition::Kind::AtLeast;
    bool equal = condition.kind == Condition::Kind::Equal;
    if (above || equal) all.begin = limit(plus, minus, offset + stride - 1, stride, extent);
    if (below || equal) all.end = limit(plus, minus, offset + stride, stride, extent);
    return all;
  }
};

class ConditionLocate : public level::Locate {
 public:
  explicit ConditionLocate(const Innermost& innermost) : innermost_(innermost) {}
  Node locate(const Instance&, const ir::Expr&, const std::vector<ir::Expr>& coordinates) const override {
    return {coordinates.back(), coordinates.back(), innermost_.holds(coordinates)};
  }

 private:
  const Innermost& innermost_;
};

class ConditionIteration : public level::ValueIteration {
 public:
  explicit ConditionIteration(const Innermost& innermost) : innermost_(innermost) {}
  Bounds bounds(const Instance& level, const std::vector<ir::Expr>& ancestors) const override {
    return innermost_.bounds(ancestors, level.extent);
  }
  Node access(const Instance&, const ir::Expr&, const std::vector<ir::Expr>& coordinates) const override {
    bool has_gaps = innermost_.condition.kind == Condition::Kind::NotEqual;
    return {coordinates.back(), coordinates.back(), has_gaps ? innermost_.holds(coordinates) : ir::boolean(true)};
  }

 private:
  const Innermost& innermost_;
};

class ConditionLevel : public level::Format {
 public:
  ConditionLevel(Condition condition, std::vector<int> dimensions)
      : condition_(std::move(condition)),
        dimensions_(std::move(dimensions)),
        innermost_{condition_, dimensions_},
        locate_(innermost_),
        iteration_(innermost_) {}

  std::string name() const override { return "condition"; }
  std::optional<std::string> argument() const override {
    return relation::to_string(condition_, usual_dimension_names(static_cast<int>(condition_.factors.size())));
  }
  level::Properties properties() const override { return {}; }
  std::vector<level::ArrayDescription> arrays() const override { return {}; }
  const level::ValueIteration* value_iteration() const override { return &iteration_; }
  const level::Locate* locate() const override { return &locate_; }

 private:
  Condition condition_;
  std::vector<int> dimensions_;
  Innermost innermost_;
  ConditionLocate locate_;
  ConditionIteration iteration_;
};

}  // namespace

Format condition_format(const Condition& condition, const std::vector<int>& dimensions) {
  std::vector<Level> levels;
  std::vector<int> outer;
  for (size_t n = 0; n + 1 < dimensions.size(); n++) {
    outer.push_back(dimensions[n]);
    levels.push_back({dimensions[n], composed_level(Chain{outer, {}})});
  }
  levels.push_back({dimensions.back(), std::make_shared<ConditionLevel>(condition, dimensions)});
  return Format(std::move(levels));
}

}  // namespace filigree
