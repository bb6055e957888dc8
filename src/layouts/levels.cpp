#include "layouts/levels.h"

#include <algorithm>

#include <fmt/format.h>

#include "layouts/bounds.h"

namespace filigree::layouts {
namespace {

using Kind = Formula::Kind;

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

class Planner {
 public:
  Planner(const Layout& layout, const std::vector<int>& dimensions, const Prover& prover)
      : layout_(layout),
        term_(layout.terms[0]),
        dimensions_(dimensions),
        prover_(prover),
        left_(term_.relation.parts) {}

  std::optional<Levels> run(std::string& reason) {
    Levels out;
    for (size_t n = 0; n < dimensions_.size(); n++) {
      LevelPlan plan;
      plan.dimension = dimensions_[n];
      plan.coordinate = term_.coordinate(static_cast<size_t>(plan.dimension));
      bool is_last = n + 1 == dimensions_.size();
      if (!bind(plan, is_last, reason)) return std::nullopt;
      out.levels.push_back(std::move(plan));
    }
    if (!left_.empty()) {
      reason = fmt::format("'{}' is not decided at any level", to_string(left_.front()));
      return std::nullopt;
    }
    out.value = term_.value;
    for (size_t n = 0; n + 1 < out.levels.size(); n++) {
      if (!keep(out, n, reason)) return std::nullopt;
    }
    find_natural(out);
    return out;
  }

 private:
  std::string logical(int dimension) const { return term_.logical[static_cast<size_t>(dimension)]; }
  bool is_variable(const std::string& name) const { return contains(term_.physical, name); }

  std::vector<std::string> unknown_in(const Expr& expr) const {
    std::vector<std::string> unknown;
    for (const std::string& name : names_in(expr)) {
      if (is_variable(name) && !contains(bound_, name)) unknown.push_back(name);
    }
    return unknown;
  }

  /// Finds out how the variables of the level's coordinate get their values.
  bool bind(LevelPlan& plan, bool is_last, std::string& reason) {
    std::vector<std::string> unknown = unknown_in(plan.coordinate), before = bound_;
    std::string own = logical(plan.dimension);
    if (is_last) {
      for (const std::string& variable : term_.physical) {
        if (!contains(bound_, variable) && !contains(unknown, variable)) unknown.push_back(variable);
      }
    }
    if (!locate(plan, own, unknown) && !walk(plan, unknown, reason)) return false;
    known_logical_.push_back(own);
    for (Formula& fact : here(plan, plan.is_located(), {})) always_.push_back(std::move(fact));
    take_tests(plan);
    if (plan.is_located()) finish_located(plan, own);
    else finish_walked(plan, before);
    return true;
  }

  /// Quotients that are rounded to zero, as code does it, where that is rounding down.
  void find_natural(Levels& out) const {
    for_each(out.value, [&](const Expr& part) {
      if (part.kind() != Expr::Kind::Quotient && part.kind() != Expr::Kind::Remainder) return;
      const Expr& divided = part.parts()[0];
      bool reads = false;
      for_each(divided, [&](const Expr& inner) { reads = reads || inner.kind() == Expr::Kind::Read; });
      if (reads || is_natural(layout_, divided)) return;
      Formula positive = Formula::compare(Kind::LessEqual, Expr::number(0), divided);
      if (prover_(about_one_point(layout_, 0, always_, positive))) out.natural.push_back(divided);
    });
  }

  bool locate(LevelPlan& plan, const std::string& own, const std::vector<std::string>& unknown) {
    std::vector<Expr> atoms;
    for (const std::string& name : unknown) atoms.push_back(Expr::name(name));
    std::optional<std::vector<Solution>> found;
    if (!atoms.empty()) found = solve(layout_, term_, plan.coordinate, Expr::name(own), atoms);
    if (!found) return false;
    plan.located = std::move(*found);
    for (const Solution& solution : plan.located) bound_.push_back(solution.atom.text());
    return true;
  }

  /// The variables in the order of the relation, as far as their bounds allow.
  bool walk(LevelPlan& plan, std::vector<std::string> unknown, std::string& reason) {
    plan.follows = unknown.empty();
    while (!unknown.empty()) {
      auto next =
          std::find_if(unknown.begin(), unknown.end(), [&](const std::string& v) { return bounds(v).is_bounded(); });
      for (const std::string& variable : term_.physical) {  // in that order
        if (contains(unknown, variable) && bounds(variable).is_bounded()) {
          next = std::find(unknown.begin(), unknown.end(), variable);
          break;
        }
      }
      if (next == unknown.end()) {
        reason =
            fmt::format("'{}' is needed for '{}' before anything bounds it", unknown.front(), logical(plan.dimension));
        return false;
      }
      VariableBounds found = bounds(*next);
      Walked walked{*next, found.lower, found.upper, 0};
      if (found.equal) walked.lower.push_back(*found.equal), walked.upper.push_back(*found.equal + Expr::number(1));
      if (!plan.walked.empty() && !walked_inside(walked, reason)) return false;
      bound_.push_back(*next);
      used_.insert(used_.end(), found.used.begin(), found.used.end());
      plan.walked.push_back(std::move(walked));
      unknown.erase(next);
    }
    return true;
  }

  /// A walk inside of another one has the same length each time.
  bool walked_inside(Walked& walked, std::string& reason) const {
    bool from_zero = std::any_of(walked.lower.begin(), walked.lower.end(), [](const Expr& e) { return e.is(0); });
    for (const Expr& upper : walked.upper) {
      if (upper.kind() == Expr::Kind::Number && from_zero) walked.extent = upper.value();
    }
    if (walked.extent > 0) return true;
    reason = fmt::format("'{}' is walked inside of another variable, and from no number to no number", walked.variable);
    return false;
  }

  VariableBounds bounds(const std::string& variable) const {
    VariableBounds found = find_bounds(layout_, term_, variable, bound_),
                   places = bounds_of_places(layout_, term_, variable);
    if (found.lower.empty()) found.lower = places.lower;
    if (found.upper.empty()) found.upper = places.upper;
    return found;
  }

  /// Conditions that can be decided from here on, unless bounds or the equation of the coordinate already say so.
  void take_tests(LevelPlan& plan) {
    std::vector<std::string> known = bound_;
    known.insert(known.end(), known_logical_.begin(), known_logical_.end());
    Formula own = Formula::compare(Kind::Equal, Expr::name(logical(plan.dimension)), plan.coordinate);
    std::vector<Formula> tests;
    std::erase_if(left_, [&](const Formula& formula) {
      for (const std::string& name : names_in(formula)) {
        if (!is_known(layout_, Expr::name(name), known)) return false;
      }
      bool said = std::find(used_.begin(), used_.end(), formula) != used_.end() || formula == own ||
                  formula == turned(own);
      if (!said) tests.push_back(formula);
      return true;
    });
    // What follows needs no test.
    for (const Formula& test : tests) {
      if (!prover_(about_one_point(layout_, 0, here(plan, true), test))) plan.tests.push_back(test);
    }
    if (plan.is_located()) return;
    const std::string& size = layout_.dimensions[static_cast<size_t>(plan.dimension)];
    for (const Formula& test : {Formula::compare(Kind::LessEqual, Expr::number(0), plan.coordinate),
                                Formula::compare(Kind::Less, plan.coordinate, Expr::name(size))}) {
      std::vector<Formula> premises = here(plan, false);
      premises.insert(premises.end(), plan.tests.begin(), plan.tests.end());
      if (!prover_(about_one_point(layout_, 0, premises, test))) plan.inside.push_back(test);
    }
  }

  static Formula turned(const Formula& equation) {
    return Formula::compare(equation.kind, equation.sides[1], equation.sides[0]);
  }

  /// What is certain about a node of this level; is its coordinate within the dimension?
  std::vector<Formula> here(const LevelPlan& plan, bool inside) const { return here(plan, inside, done_); }
  std::vector<Formula> here(const LevelPlan& plan, bool inside, std::vector<Formula> premises) const {
    Expr own = Expr::name(logical(plan.dimension));
    if (inside) {
      const std::string& size = layout_.dimensions[static_cast<size_t>(plan.dimension)];
      premises.push_back(Formula::compare(Kind::LessEqual, Expr::number(0), own));
      premises.push_back(Formula::compare(Kind::Less, own, Expr::name(size)));
    }
    for (const Solution& solution : plan.located)
      premises.push_back(Formula::compare(Kind::Equal, solution.atom, solution.value));
    for (const Walked& walked : plan.walked) {
      for (const Expr& lower : walked.lower)
        premises.push_back(Formula::compare(Kind::LessEqual, lower, Expr::name(walked.variable)));
      for (const Expr& upper : walked.upper)
        premises.push_back(Formula::compare(Kind::Less, Expr::name(walked.variable), upper));
    }
    if (!plan.is_located()) premises.push_back(Formula::compare(Kind::Equal, own, plan.coordinate));
    return premises;
  }

  /// A single variable that is the coordinate itself, but for a constant: its bounds are bounds of the coordinate.
  void finish_located(LevelPlan& plan, const std::string& own) {
    plan.is_numbered = known_logical_.size() == 1 && plan.tests.empty();
    plan.properties = {.full = plan.is_numbered, .compact = plan.is_numbered};
    if (plan.located.size() == 1 && !plan.tests.empty()) {
      const Expr& variable = plan.located[0].atom;
      Expr rest = Expr::name(own) - plan.located[0].value;
      std::optional<Linear> shift = linear(rest);
      for (size_t t = 0; t < plan.tests.size(); t++) {
        const Formula& test = plan.tests[t];
        if (!shift || !test.is_comparison() || test.kind == Kind::NotEqual || mentions(shift->expr(), own)) continue;
        Term one = term_;
        one.relation = Formula::all({test, Formula::compare(Kind::Equal, Expr::number(0), Expr::number(0))});
        std::vector<std::string> others = bound_;
        std::erase(others, variable.text());
        VariableBounds found = find_bounds(layout_, one, variable.text(), others);
        auto shifted = [&](const Expr& e) { return e + shift->expr(); };
        LevelPlan::Limits limits{t, {}, {}};
        if (found.equal) limits.first = shifted(*found.equal), limits.end = shifted(*found.equal + Expr::number(1));
        else if (found.lower.size() == 1) limits.first = shifted(found.lower[0]);
        else if (found.upper.size() == 1) limits.end = shifted(found.upper[0]);
        if (limits.first || limits.end) plan.limits.push_back(limits);
      }
    }
    std::vector<Formula> certain = here(plan, true);
    certain.insert(certain.end(), plan.tests.begin(), plan.tests.end());
    done_ = std::move(certain);
  }

  void finish_walked(LevelPlan& plan, const std::vector<std::string>& before) {
    std::vector<Formula> certain = here(plan, true);
    certain.insert(certain.end(), plan.tests.begin(), plan.tests.end());
    done_ = std::move(certain);
    plan.properties = {.ordered = level::Ordered::No, .unique = false, .branchless = plan.follows, .compact = false};
    // Two nodes of one parent: variables above agree.
    std::vector<Formula> same;
    for (const std::string& name : before)
      same.push_back(Formula::compare(Kind::Equal, Expr::name(name), Expr::name(name, true)));
    Expr own = plan.coordinate, other = second(own, term_);
    bool one = plan.follows;
    std::vector<std::string> own_variables;
    for (const Walked& walked : plan.walked) own_variables.push_back(walked.variable);
    std::vector<Formula> ascending = same;
    ascending.push_back(lexicographic(own_variables));
    auto proven = [&](const std::vector<Formula>& premises, Kind kind, const Expr& a, const Expr& b) {
      return prover_(about_two_points(layout_, 0, premises, Formula::compare(kind, a, b)));
    };
    if (one) {
      plan.properties.ordered = order_of_repeated(plan, before);
      plan.properties.unique = is_unique_below_repeated(plan, before);
      return;
    }
    if (proven(ascending, Kind::Less, own, other)) {
      plan.properties.ordered = level::Ordered::Increasing;
      plan.properties.unique = true;
    } else if (proven(ascending, Kind::Less, other, own)) {
      plan.properties.ordered = level::Ordered::Decreasing;
      plan.properties.unique = true;
    } else {
      if (proven(ascending, Kind::LessEqual, own, other)) plan.properties.ordered = level::Ordered::Increasing;
      plan.properties.unique = proven(ascending, Kind::NotEqual, own, other);
    }
    const Expr& at = plan.coordinate;
    plan.searchable = plan.walked.size() == 1 && plan.tests.empty() && plan.inside.empty() &&
                      at.kind() == Expr::Kind::Read && at.parts().size() == 1 &&
                      at.parts()[0].is_name(plan.walked[0].variable) && plan.properties.ordered != level::Ordered::No;
  }

  /// Below a level that repeats coordinates, those with one coordinate above are together: they are the siblings then.
  std::vector<Formula> repeated(const Formula& apart) const {
    std::vector<Formula> premises = {apart};
    for (const std::string& name : known_logical_) {
      if (name != known_logical_.back())
        premises.push_back(Formula::compare(Kind::Equal, Expr::name(name), Expr::name(name, true)));
    }
    return premises;
  }
  level::Ordered order_of_repeated(const LevelPlan& plan, const std::vector<std::string>& before) const {
    Formula rises = Formula::compare(Kind::LessEqual, plan.coordinate, second(plan.coordinate, term_));
    bool proven = prover_(about_two_points(layout_, 0, repeated(lexicographic(before)), rises));
    return proven ? level::Ordered::Increasing : level::Ordered::No;
  }
  bool is_unique_below_repeated(const LevelPlan& plan, const std::vector<std::string>& before) const {
    Formula differs = Formula::compare(Kind::NotEqual, plan.coordinate, second(plan.coordinate, term_));
    return prover_(about_two_points(layout_, 0, repeated(lexicographic(before)), differs));
  }

  /// The first point comes before the second one, where these variables are walked one inside of the other.
  static Formula lexicographic(const std::vector<std::string>& variables) {
    std::vector<Formula> ways;
    for (size_t n = 0; n < variables.size(); n++) {
      std::vector<Formula> parts;
      for (size_t m = 0; m < n; m++)
        parts.push_back(Formula::compare(Kind::Equal, Expr::name(variables[m]), Expr::name(variables[m], true)));
      parts.push_back(Formula::compare(Kind::Less, Expr::name(variables[n]), Expr::name(variables[n], true)));
      ways.push_back(Formula::all(std::move(parts)));
    }
    return Formula::any(std::move(ways));
  }

  /// The variables that levels below, or the value, need and that this level knows: its position stands for them.
  bool keep(Levels& out, size_t n, std::string& reason) const {
    std::vector<std::string> known;
    for (size_t m = 0; m <= n; m++) {
      for (const Solution& s : out.levels[m].located) known.push_back(s.atom.text());
      for (const Walked& w : out.levels[m].walked) known.push_back(w.variable);
    }
    LevelPlan& plan = out.levels[n];
    if (plan.is_numbered) return true;
    for (const std::string& name : known) {
      bool needed = mentions(out.value, name);
      for (size_t m = n + 1; m < out.levels.size(); m++) needed = needed || needs(out.levels[m], name);
      if (needed) plan.kept.push_back(name);
    }
    for (const std::string& name : plan.kept) {
      std::optional<Expr> most = most_values(name);
      if (!most) {
        reason = fmt::format("'{}' is needed further in, and nothing says how many of it there can be", name);
        return false;
      }
      plan.radix.push_back(*most);
    }
    return true;
  }

  static bool needs(const LevelPlan& plan, const std::string& name) {
    bool found = mentions(plan.coordinate, name) && !plan.is_located();
    for (const Solution& s : plan.located) found = found || mentions(s.value, name);
    for (const Walked& w : plan.walked) {
      for (const Expr& e : w.lower) found = found || mentions(e, name);
      for (const Expr& e : w.upper) found = found || mentions(e, name);
    }
    for (const Formula& test : plan.tests) {
      std::vector<std::string> names = names_in(test);
      found = found || contains(names, name);
    }
    return found;
  }

  /// A size that the variable stays below, from 0 on.
  std::optional<Expr> most_values(const std::string& variable) const {
    VariableBounds own = find_bounds(layout_, term_, variable, {}), places = bounds_of_places(layout_, term_, variable);
    for (const VariableBounds& b : {own, places}) {
      bool from_zero = std::any_of(b.lower.begin(), b.lower.end(), [](const Expr& e) { return e.is(0); });
      if (!from_zero || b.upper.empty()) continue;
      Expr least = b.upper.front();
      for (const Expr& upper : b.upper) {
        std::optional<Linear> less = linear(least - upper);
        if (less && less->terms.empty() && less->constant > 0) least = upper;
      }
      return least;
    }
    return std::nullopt;
  }

  const Layout& layout_;
  const Term& term_;
  const std::vector<int>& dimensions_;
  const Prover& prover_;
  std::vector<Formula> left_, used_, done_;
  std::vector<Formula> always_;  // of done_, what holds before anything is tested
  std::vector<std::string> bound_, known_logical_;
};

}  // namespace

std::optional<Levels> plan_levels(const Layout& layout, const std::vector<int>& dimensions, const Prover& prover,
                                  std::string& reason) {
  return Planner(layout, dimensions, prover).run(reason);
}

}  // namespace filigree::layouts
