// Which entries break a property.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "layouts/points.h"
#include "support/text.h"

namespace filigree::layouts {
namespace {

/// An implication between two instances in which some expressions agree: those who agree are compared with each other
/// alone.  If besides one expression comes before the other and the conclusion is an order as well, neighbours suffice.
struct Shape {
  std::vector<Expr> keys;
  std::optional<Expr> before;                  // premise: it comes before its primed self
  std::optional<std::pair<Expr, Expr>> order;  // conclusion: the first, not primed, is at most the second, primed
  bool strict = false;
};

bool is_primed(const Expr& expr) {
  bool found = false;
  for_each(expr, [&](const Expr& part) { found = found || (part.kind() == Expr::Kind::Name && part.primed()); });
  return found;
}

class Instances {
  using Values = Evaluator::Values;

 public:
  Instances(const Evaluator& evaluator, size_t most)
      : layout_(evaluator.layout()), evaluator_(evaluator), most_(most), points_(layout_.terms.size()) {
    for_each_point(evaluator, [&](const Point& point) {
      std::vector<Values>& points = points_[point.term];
      points.push_back(point.variables);
      points.back().insert(points.back().end(), point.coordinates.begin(), point.coordinates.end());
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
    std::vector<Values> instances = property.term ? points_[*property.term] : places(property);
    slots_.clear();
    for (size_t n = 0; n < variables_.size(); n++) {
      slots_[{variables_[n], false}] = n;
      slots_[{variables_[n], true}] = variables_.size() + n;
    }
    test_ = evaluator_.compile(property.formula, slots_);
    if (!property.two_instances) {
      for (const Values& values : instances) compare(values, values);
      return;
    }
    Shape shape = shape_of(property.formula);
    std::map<Values, std::vector<const Values*>> groups;
    std::vector<Evaluator::Code> keys;
    for (const Expr& key : shape.keys) keys.push_back(evaluator_.compile(key, slots_));
    for (const Values& values : instances) {
      Values key;
      for (const Evaluator::Code& code : keys) key.push_back(evaluator_.value(code, values));
      groups[key].push_back(&values);
    }
    for (auto& [key, members] : groups) {
      if (shape.before && shape.order) check_neighbours(shape, members);
      else check_pairs(members);
    }
  }

  /// Every combination of places.
  std::vector<Values> places(const Property& property) const {
    std::vector<Values> all = {{}};
    for (const Property::Place& place : property.places) {
      std::int64_t extent = evaluator_.extents(place.array)[place.number];
      std::vector<Values> more;
      for (const Values& values : all) {
        for (std::int64_t p = 0; p < extent; p++) more.push_back(values), more.back().push_back(p);
      }
      all = std::move(more);
    }
    return all;
  }

  Shape shape_of(const Formula& formula) const {
    Shape shape;
    if (formula.kind != Formula::Kind::Implies) return shape;
    bool plain = true;
    for (const Formula& part : formula.parts[0].conjuncts()) {
      bool pair = part.is_comparison() && !is_primed(part.sides[0]) &&
                  part.sides[1] == primed(part.sides[0], variables_);
      if (pair && part.kind == Formula::Kind::Equal) shape.keys.push_back(part.sides[0]);
      else if (pair && part.kind == Formula::Kind::Less && !shape.before) shape.before = part.sides[0];
      else plain = false;
    }
    if (!plain) shape.before.reset();
    const Formula& end = formula.parts[1];
    bool ordered = end.kind == Formula::Kind::Less || end.kind == Formula::Kind::LessEqual;
    if (!ordered) return shape;
    // u + c <= u' with c >= 0, or u <= u': then u <= u' <= u'' as well.
    Expr low = end.sides[0], high = end.sides[1];
    bool falls = is_primed(low) && !is_primed(high);
    const Expr& first = falls ? high : low;
    const Expr& second = falls ? low : high;
    Expr own = primed(first, variables_);
    bool shifted = !falls && first.kind() == Expr::Kind::Add && first.parts()[1].kind() == Expr::Kind::Number &&
                   first.parts()[1].value() >= 0 && second == primed(first.parts()[0], variables_);
    if ((own == second || shifted) && !falls)
      shape.order = {first, second}, shape.strict = end.kind == Formula::Kind::Less;
    return shape;
  }

  void check_neighbours(const Shape& shape, std::vector<const Values*>& members) {
    Evaluator::Code before = evaluator_.compile(*shape.before, slots_),
                    value = evaluator_.compile(shape.order->first, slots_);
    auto at = [&](const Evaluator::Code& code, const Values* values) { return evaluator_.value(code, *values); };
    std::stable_sort(members.begin(), members.end(),
                     [&](const Values* a, const Values* b) { return at(before, a) < at(before, b); });
    const Values *highest = nullptr, *next = nullptr;  // among those that come before, and among all so far
    for (size_t n = 0; n < members.size(); n++) {
      if (n > 0 && at(before, members[n - 1]) < at(before, members[n])) highest = next;
      if (highest) compare(*highest, *members[n]);
      if (!next || at(value, members[n]) > at(value, next)) next = members[n];
    }
  }

  void check_pairs(const std::vector<const Values*>& members) {
    for (const Values* a : members) {
      for (const Values* b : members) {
        if (found_.size() >= most_) return;
        compare(*a, *b);
      }
    }
  }

  void compare(const Values& a, const Values& b) {
    Values both = a;
    both.insert(both.end(), b.begin(), b.end());
    if (found_.size() >= most_ || evaluator_.holds(test_, both)) return;
    auto named = [&](const Values& values, const char* mark) {
      std::vector<std::string> parts;
      for (size_t n = 0; n < values.size(); n++)
        parts.push_back(fmt::format("{}{} = {}", variables_[n], mark, values[n]));
      return join(parts, ", ");
    };
    std::string where = named(a, "");
    if (&a != &b) where += "; " + named(b, "'");
    found_.push_back(fmt::format("'{}' does not hold at {}", to_string(*written_), where));
  }

  const Layout& layout_;
  const Evaluator& evaluator_;
  size_t most_;
  std::vector<std::vector<Values>> points_;  // by term
  std::vector<std::string> found_;
  // Of the property that is looked at:
  const Formula* written_ = nullptr;
  std::vector<std::string> variables_;
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
