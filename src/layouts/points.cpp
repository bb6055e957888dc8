#include "layouts/points.h"

#include <algorithm>

#include "layouts/bounds.h"
#include "layouts/columns.h"
#include "level/visit_element_type.h"

namespace filigree::layouts {
namespace {

/// Goes through the points of one term: one variable after the other, within bounds that follow from those before.
/// What is to be said of points is found out for many of them at a time.
class Walk {
 public:
  Walk(const Evaluator& evaluator, size_t number, const std::function<void(const Point&)>& visit)
      : term_(evaluator.layout().terms[number]),
        evaluator_(evaluator),
        dimensions_(evaluator.dimensions()),
        visit_(visit) {
    const Layout& layout = evaluator.layout();
    point_.term = number;
    std::vector<std::string> known;
    Evaluator::Slots slots;
    std::vector<Formula> left = term_.relation.parts;
    for (const std::string& variable : term_.physical) {
      VariableBounds bounds = find_bounds(layout, term_, variable, known);
      Step step;
      for (const Expr& e : bounds.lower) step.lower.push_back(evaluator_.compile(e, slots));
      for (const Expr& e : bounds.upper) step.upper.push_back(evaluator_.compile(e, slots));
      if (bounds.equal) step.equal = evaluator_.compile(*bounds.equal, slots);
      std::erase_if(left, [&](const Formula& f) {
        return f.kind != Formula::Kind::Equal &&
               std::find(bounds.used.begin(), bounds.used.end(), f) != bounds.used.end();
      });
      slots.emplace(std::pair(variable, false), known.size());
      known.push_back(variable);
      take(left, layout, known, slots, step.tests);
      steps_.push_back(std::move(step));
    }
    for (size_t d = 0; d < term_.logical.size(); d++) {
      coordinates_.push_back(evaluator_.compile(term_.coordinate(d), slots));
    }
    for (const std::string& variable : term_.logical) {
      slots.emplace(std::pair(variable, false), known.size());
      known.push_back(variable);
    }
    take(left, layout, known, slots, tests_);
    value_ = evaluator_.compile(term_.value, slots);
    values_.resize(known.size());
    columns_.resize(known.size());
  }

  void run() {
    below(0);
    finish();
  }

 private:
  struct Step {
    std::vector<Evaluator::Code> lower, upper;
    std::optional<Evaluator::Code> equal;
    std::vector<Evaluator::Test> tests;
  };
  static constexpr size_t most_waiting = 4096;

  /// Conditions that can be decided once these variables are known.
  void take(std::vector<Formula>& left, const Layout& layout, const std::vector<std::string>& known,
            const Evaluator::Slots& slots, std::vector<Evaluator::Test>& tests) const {
    std::erase_if(left, [&](const Formula& formula) {
      bool decided = true;
      for (const std::string& name : names_in(formula)) decided = decided && is_known(layout, Expr::name(name), known);
      if (decided) tests.push_back(evaluator_.compile(formula, slots));
      return decided;
    });
  }

  bool pass(const std::vector<Evaluator::Test>& tests) const {
    return std::all_of(tests.begin(), tests.end(), [&](const auto& test) { return evaluator_.holds(test, values_); });
  }

  void below(size_t variable) {
    if (variable == steps_.size()) return add();
    const Step& step = steps_[variable];
    std::int64_t first = INT64_MIN, end = INT64_MAX;
    for (const Evaluator::Code& code : step.lower) first = std::max(first, evaluator_.value(code, values_));
    for (const Evaluator::Code& code : step.upper) end = std::min(end, evaluator_.value(code, values_));
    if (step.equal) {
      std::int64_t only = evaluator_.value(*step.equal, values_);
      first = std::max(first, only), end = std::min(end, only + 1);
    }
    bool is_last = variable + 1 == steps_.size();  // its tests wait
    for (std::int64_t v = first; v < end; v++) {
      values_[variable] = v;
      if (is_last) add();
      else if (pass(step.tests)) below(variable + 1);
    }
  }

  void add() {
    for (size_t n = 0; n < steps_.size(); n++) columns_[n].push_back(values_[n]);
    if (++waiting_ == most_waiting) finish();
  }

  /// Of the points that wait.
  void finish() {
    auto leave_out = [&](const std::vector<char>& kept) { waiting_ = keep(columns_, kept); };
    if (!steps_.empty()) {
      for (const Evaluator::Test& test : steps_.back().tests) leave_out(holds_at(evaluator_, test, columns_, waiting_));
    }
    for (size_t d = 0; d < coordinates_.size(); d++) {
      Column& at = columns_[steps_.size() + d] = values_at(evaluator_, coordinates_[d], columns_, waiting_);
      std::vector<char> inside(waiting_);
      for (size_t p = 0; p < waiting_; p++) inside[p] = at[p] >= 0 && at[p] < dimensions_[d];
      leave_out(inside);
    }
    for (const Evaluator::Test& test : tests_) leave_out(holds_at(evaluator_, test, columns_, waiting_));
    Column elements = elements_at(evaluator_, value_, columns_, waiting_);
    point_.variables.resize(steps_.size());
    point_.coordinates.resize(coordinates_.size());
    for (size_t p = 0; p < waiting_; p++) {
      for (size_t n = 0; n < steps_.size(); n++) point_.variables[n] = columns_[n][p];
      for (size_t d = 0; d < coordinates_.size(); d++) point_.coordinates[d] = columns_[steps_.size() + d][p];
      point_.element = elements[p];
      visit_(point_);
    }
    for (Column& column : columns_) column.clear();
    waiting_ = 0;
  }

  const Term& term_;
  const Evaluator& evaluator_;
  std::vector<std::int64_t> dimensions_;
  const std::function<void(const Point&)>& visit_;
  std::vector<Step> steps_;
  std::vector<Evaluator::Code> coordinates_;
  std::vector<Evaluator::Test> tests_;
  Evaluator::Code value_;
  Evaluator::Values values_;
  Columns columns_;  // of the points that wait: physical variables, then logical ones
  size_t waiting_ = 0;
  Point point_;
};

}  // namespace

void for_each_point(const Evaluator& evaluator, const std::function<void(const Point&)>& visit) {
  for (size_t t = 0; t < evaluator.layout().terms.size(); t++) Walk(evaluator, t, visit).run();
}

Coordinates unpack(const Layout& layout, const Data& data) {
  Coordinates out{data.dimensions, std::vector<std::vector<std::int64_t>>(data.dimensions.size()), Array()};
  std::vector<std::pair<size_t, std::int64_t>> from;  // term and element
  for_each_point(Evaluator(layout, data), [&](const Point& point) {
    for (size_t d = 0; d < point.coordinates.size(); d++) out.coordinate[d].push_back(point.coordinates[d]);
    from.push_back({point.term, point.element});
  });
  ElementType type = data.arrays.at(layout.terms[0].value.text()).type();
  out.values = Array(type, static_cast<std::int64_t>(from.size()));
  for (size_t n = 0; n < from.size(); n++) {
    const Array& values = data.arrays.at(layout.terms[from[n].first].value.text());
    out.values.set(static_cast<std::int64_t>(n), values.get(from[n].second).cast(type));
  }
  return out;
}

}  // namespace filigree::layouts
