// Which entries break a property.
#include <algorithm>
#include <map>
#include <numeric>
#include <span>

#include <fmt/format.h>

#include "layouts/columns.h"
#include "layouts/points.h"
#include "support/text.h"

namespace filigree::layouts {
namespace {

/// An implication between two instances.  Only those are compared in which the keys agree.  If nothing more is asked
/// than that one expression is less than, or different from, its primed self, few pairs are enough: where the
/// conclusion compares what the first instance alone says with what the second alone says, the largest (or smallest) of
/// all that come before; and where it says that they differ in something, any two that do not.
struct Shape {
  std::vector<Expr> keys;
  std::optional<Expr> apart;
  Formula::Kind premise = Formula::Kind::Less;  // between it and its primed self
  bool differs = false;                         // the conclusion: what the last key says differs
  struct Order {
    Expr low, high;     // of one instance each, not primed here
    bool falls, equal;  // low is the second's; they may be equal
  };
  std::optional<Order> order;
};

class Instances {
  using Values = Evaluator::Values;

 public:
  Instances(const Evaluator& evaluator, size_t most)
      : layout_(evaluator.layout()), evaluator_(evaluator), most_(most) {
    for (const Term& term : layout_.terms) points_.emplace_back(term.physical.size() + term.logical.size());
    for_each_point(evaluator, [&](const Point& point) {
      Columns& points = points_[point.term];
      for (size_t n = 0; n < point.variables.size(); n++) points[n].push_back(point.variables[n]);
      for (size_t d = 0; d < point.coordinates.size(); d++)
        points[point.variables.size() + d].push_back(point.coordinates[d]);
    });
  }

  std::vector<std::string> run() {
    for (const Formula& formula : layout_.properties) {
      if (found_.size() < most_) check(formula, resolve(layout_, formula));
    }
    return std::move(found_);
  }

 private:
  void check(const Formula& written, const Property& property) {
    written_ = &written;
    variables_.clear();
    if (property.term) {
      const Term& term = layout_.terms[*property.term];
      variables_ = term.physical;
      variables_.insert(variables_.end(), term.logical.begin(), term.logical.end());
    }
    for (const Property::Place& place : property.places) variables_.push_back(place.name);
    Columns own;
    if (!property.term) own = places(property);
    columns_ = property.term ? &points_[*property.term] : &own;
    count_ = columns_->empty() ? 1 : columns_->front().size();
    slots_.clear();
    for (size_t n = 0; n < variables_.size(); n++) {
      slots_[{variables_[n], false}] = n;
      slots_[{variables_[n], true}] = variables_.size() + n;
    }
    test_ = evaluator_.compile(property.formula, slots_);
    if (!property.two_instances) {
      std::vector<char> holds = holds_at(evaluator_, test_, *columns_, count_);
      for (size_t n = 0; n < count_ && found_.size() < most_; n++) {
        if (!holds[n]) compare(n, n);
      }
      return;
    }
    check_two(shape_of(property.formula));
  }

  /// Every combination of places.
  Columns places(const Property& property) const {
    Columns all(property.places.size());
    size_t count = 1;
    std::vector<size_t> extents;
    for (const Property::Place& place : property.places) {
      std::int64_t extent = evaluator_.extents(place.array)[place.number];
      extents.push_back(static_cast<size_t>(std::max<std::int64_t>(extent, 0)));
      count *= extents.back();
    }
    size_t repeated = count;
    for (size_t n = 0; n < all.size() && count > 0; n++) {
      repeated /= extents[n];
      for (size_t p = 0; p < count; p++) all[n].push_back(static_cast<std::int64_t>(p / repeated % extents[n]));
    }
    return all;
  }

  /// Is it about variables of the first instance, of the second one?
  std::pair<bool, bool> is_about(const Expr& expr) const {
    std::pair<bool, bool> about = {false, false};
    for_each(expr, [&](const Expr& part) {
      if (part.kind() != Expr::Kind::Name || !slots_.count({part.text(), false})) return;
      (part.primed() ? about.second : about.first) = true;
    });
    return about;
  }
  Expr without_primes(const Expr& expr) const {
    std::map<std::string, Expr> plain;
    for (const std::string& name : variables_) plain.emplace(name, Expr::name(name));
    return substitute(expr, [&](const Expr& name) -> const Expr* {
      auto found = plain.find(name.text());
      return name.primed() && found != plain.end() ? &found->second : nullptr;
    });
  }

  Shape shape_of(const Formula& formula) const {
    Shape shape;
    if (formula.kind != Formula::Kind::Implies) return shape;
    auto own_and_primed = [&](const Expr& a, const Expr& b) {
      return !is_about(a).second && b == primed(a, variables_);
    };
    bool plain = true;
    for (const Formula& part : formula.parts[0].conjuncts()) {
      bool compares = part.is_comparison(), equal = compares && part.kind == Formula::Kind::Equal;
      if (equal && own_and_primed(part.sides[0], part.sides[1])) {
        shape.keys.push_back(part.sides[0]);
      } else if (equal && own_and_primed(part.sides[1], part.sides[0])) {
        shape.keys.push_back(part.sides[1]);
      } else if (compares && !equal && !shape.apart && own_and_primed(part.sides[0], part.sides[1])) {
        shape.apart = part.sides[0];
        shape.premise = part.kind;
      } else {
        plain = false;
      }
    }
    if (!plain) shape.apart.reset();
    const Formula& end = formula.parts[1];
    if (end.kind == Formula::Kind::NotEqual) {
      for (bool turned : {false, true}) {
        if (shape.differs || !own_and_primed(end.sides[turned], end.sides[!turned])) continue;
        shape.keys.push_back(end.sides[turned]);
        shape.differs = true;
      }
    }
    if (end.kind != Formula::Kind::Less && end.kind != Formula::Kind::LessEqual) return shape;
    auto [low_first, low_second] = is_about(end.sides[0]);
    auto [high_first, high_second] = is_about(end.sides[1]);
    bool rises = !low_second && !high_first, falls = !low_first && !high_second;
    if ((rises || falls) && shape.premise != Formula::Kind::NotEqual) {
      shape.order = {without_primes(end.sides[0]), without_primes(end.sides[1]), !rises,
                     end.kind == Formula::Kind::LessEqual};
    }
    return shape;
  }

  Column values(const Expr& expr) const {
    return values_at(evaluator_, evaluator_.compile(expr, slots_), *columns_, count_);
  }

  void check_two(const Shape& shape) {
    const bool by_order = shape.apart && shape.order, sorted = shape.apart && (shape.order || shape.differs);
    std::vector<Column> keys;
    for (const Expr& key : shape.keys) keys.push_back(values(key));
    Column apart = sorted ? values(*shape.apart) : Column(), low, high;
    if (by_order) low = values(shape.order->low), high = values(shape.order->high);
    std::vector<size_t> order(count_);
    std::iota(order.begin(), order.end(), size_t{0});
    auto same = [&](size_t a, size_t b) {
      return std::all_of(keys.begin(), keys.end(), [&](const Column& key) { return key[a] == key[b]; });
    };
    auto less = [&](size_t a, size_t b) {
      for (const Column& key : keys) {
        if (key[a] != key[b]) return key[a] < key[b];
      }
      return sorted && apart[a] < apart[b];
    };
    if (!std::is_sorted(order.begin(), order.end(), less)) std::stable_sort(order.begin(), order.end(), less);
    for (size_t first = 0, end = 0; first < count_ && found_.size() < most_; first = end) {
      while (end < count_ && same(order[first], order[end])) end++;
      std::span<const size_t> group(order.data() + first, end - first);
      if (by_order) check_order(shape, group, apart, shape.order->falls ? high : low, shape.order->falls ? low : high);
      else if (sorted) check_differs(shape, group, apart);
      else check_pairs(group);
    }
  }

  /// All say the same, so that no two may be apart.
  void check_differs(const Shape& shape, std::span<const size_t> group, const Column& apart) {
    const bool or_equal = shape.premise == Formula::Kind::LessEqual;
    if (or_equal) compare(group[0], group[0]);
    for (size_t n = 1; n < group.size() && found_.size() < most_; n++) {
      if (or_equal || apart[group[n - 1]] < apart[group[n]]) compare(group[n - 1], group[n]);
    }
  }

  /// What the first instance says is compared with what the second one does.  Those that come first are ahead.
  void check_order(const Shape& shape, std::span<const size_t> group, const Column& apart, const Column& first,
                   const Column& second) {
    const bool falls = shape.order->falls, equal = shape.order->equal;
    const bool or_equal = shape.premise == Formula::Kind::LessEqual;
    auto breaks = [&](size_t a, size_t b) {
      std::int64_t low = falls ? second[b] : first[a], high = falls ? first[a] : second[b];
      return equal ? low > high : low >= high;
    };
    std::optional<size_t> strictest;  // of all that come before
    auto take_in = [&](size_t n) {
      if (!strictest || (falls ? first[n] < first[*strictest] : first[n] > first[*strictest])) strictest = n;
    };
    for (size_t run = 0, end = 0; run < group.size(); run = end) {
      while (end < group.size() && apart[group[run]] == apart[group[end]]) end++;
      for (size_t n = run; or_equal && n < end; n++) take_in(group[n]);
      for (size_t n = run; strictest && n < end; n++) {
        if (breaks(*strictest, group[n])) compare(*strictest, group[n]);
      }
      for (size_t n = run; !or_equal && n < end; n++) take_in(group[n]);
      if (found_.size() >= most_) return;
    }
  }

  void check_pairs(std::span<const size_t> group) {
    for (size_t a : group) {
      for (size_t b : group) {
        if (found_.size() >= most_) return;
        compare(a, b);
      }
    }
  }

  void compare(size_t a, size_t b) {
    Values both;
    for (const Column& column : *columns_) both.push_back(column[a]);
    for (const Column& column : *columns_) both.push_back(column[b]);
    if (found_.size() >= most_ || evaluator_.holds(test_, both)) return;
    auto named = [&](size_t begin, const char* mark) {
      std::vector<std::string> parts;
      for (size_t n = 0; n < variables_.size(); n++)
        parts.push_back(fmt::format("{}{} = {}", variables_[n], mark, both[begin + n]));
      return join(parts, ", ");
    };
    std::string where = named(0, "");
    if (a != b) where += "; " + named(variables_.size(), "'");
    found_.push_back(fmt::format("'{}' does not hold at {}", to_string(*written_), where));
  }

  const Layout& layout_;
  const Evaluator& evaluator_;
  size_t most_;
  std::vector<Columns> points_;  // by term: physical variables, then logical ones
  std::vector<std::string> found_;
  // Of the property that is looked at:
  const Formula* written_ = nullptr;
  std::vector<std::string> variables_;
  const Columns* columns_ = nullptr;
  size_t count_ = 0;
  Evaluator::Slots slots_;
  Evaluator::Test test_;
};

}  // namespace

std::vector<std::string> find_violations(const Layout& layout, const Data& data, size_t most) {
  try {
    return find_violations(Evaluator(layout, data), most);
  } catch (const UserError& error) {
    return {error.message()};
  }
}

std::vector<std::string> find_violations(const Evaluator& evaluator, size_t most) {
  try {
    return Instances(evaluator, most).run();
  } catch (const UserError& error) {
    return {error.message()};
  }
}

}  // namespace filigree::layouts
