#include "layouts/pack_plan.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "layouts/bounds.h"

namespace filigree::layouts {
namespace {

class Planner {
 public:
  explicit Planner(const Layout& layout) : layout_(layout), term_(layout.terms[0]) {
    if (layout.terms.size() > 1) refuse("it has several relations, and entries could be in any of them");
  }

  PackPlan run() {
    look_up();
    for (const std::string& variable : term_.physical) {
      if (!is_known(variable) && !constant_range(layout_, term_, Expr::name(variable))) add_node(variable);
    }
    for (const std::string& variable : term_.physical) {
      if (!is_known(variable)) refuse(fmt::format("nothing determines the variable '{}'", variable));
    }
    for (const ArrayShape& array : layout_.arrays) {
      if (!layout_.holds_values(array.name) && !filled_.count(array.name))
        refuse(fmt::format("nothing determines the array '{}'", array.name));
    }
    return std::move(plan_);
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw UserError(fmt::format("The arrays of the layout '{}' do not follow from coordinates: {}", layout_.name, why))
        .hint("give the arrays themselves");
  }
  bool is_known(const std::string& name) const { return std::find(known_.begin(), known_.end(), name) != known_.end(); }

  /// Variables that the coordinates give, and elements of arrays that are digits of them.
  void look_up() {
    for (size_t d = 0; d < term_.logical.size(); d++) {
      Expr whole = term_.coordinate(d), value = Expr::name(term_.logical[d]);
      std::vector<Expr> variables, reads;
      std::optional<Linear> sum = linear(whole);
      if (!sum) continue;
      for (const auto& [atom, factor] : sum->terms) {
        if (atom.kind() == Expr::Kind::Name && !is_known(atom.text())) variables.push_back(atom);
        if (atom.kind() == Expr::Kind::Read && constant_range(layout_, term_, atom)) reads.push_back(atom);
      }
      std::optional<std::vector<Solution>> found;
      bool has_reads = std::any_of(sum->terms.begin(), sum->terms.end(),
                                   [](const auto& term) { return term.first.kind() == Expr::Kind::Read; });
      if (!has_reads && !variables.empty()) found = solve(layout_, term_, whole, value, variables);
      std::vector<Expr> both = variables;
      both.insert(both.end(), reads.begin(), reads.end());
      if (!found && !reads.empty()) found = solve(layout_, term_, whole, value, both);
      if (!found) continue;
      for (const Solution& s : *found) {
        if (s.atom.kind() == Expr::Kind::Name) known_.push_back(s.atom.text()), plan_.located.push_back(s);
      }
      for (const Solution& s : *found) {
        if (s.atom.kind() != Expr::Kind::Read) continue;
        for (const std::string& name : names_in(s.atom)) {
          if (!is_known(name)) refuse(fmt::format("nothing determines the variable '{}'", name));
        }
        plan_.written.push_back({s.atom, s.value});
        filled_.insert(s.atom.text());
      }
    }
  }

  void add_node(const std::string& variable) {
    NodeVariable node{variable, {}, Expr::number(0), {}};
    VariableBounds bounds = find_bounds(layout_, term_, variable, known_);
    if (bounds.lower.size() != 1 || bounds.upper.size() != 1)
      refuse(fmt::format("nothing determines the variable '{}'", variable));
    const Expr &lower = bounds.lower[0], &upper = bounds.upper[0];
    std::vector<std::string> free = layout_.parameters();
    bool whole = lower.is(0) && upper.kind() == Expr::Kind::Name &&
                 std::find(free.begin(), free.end(), upper.text()) != free.end();
    bool segment = lower.kind() == Expr::Kind::Read && upper.kind() == Expr::Kind::Read &&
                   lower.text() == upper.text() && lower.parts().size() == 1 &&
                   upper.parts()[0] == lower.parts()[0] + Expr::number(1);
    if (!whole && !segment) refuse(fmt::format("nothing determines the variable '{}'", variable));
    if (segment) {
      node.segments = lower.text();
      node.parent = lower.parts()[0];
      filled_.insert(lower.text());
    }
    known_.push_back(variable);
    for (const ArrayShape& array : layout_.arrays) {
      if (layout_.holds_values(array.name) || filled_.count(array.name)) continue;
      if (std::optional<Held> held = held_at(array.name, variable)) {
        if (held->digit) known_.push_back(*held->digit);
        node.held.push_back(*held);
        filled_.insert(array.name);
      }
    }
    plan_.nodes.push_back(std::move(node));
  }

  /// An equation that gives the array's element at the variable.
  std::optional<Held> held_at(const std::string& array, const std::string& variable) const {
    Expr read = Expr::read(array, {Expr::name(variable)});
    std::vector<Formula> equations = term_.relation.parts;
    for (const Formula& property : layout_.properties) {
      for (const Formula& part : property.conjuncts()) equations.push_back(part);
    }
    for (const Formula& part : equations) {
      if (part.kind != Formula::Kind::Equal) continue;
      for (size_t side = 0; side < 2; side++) {
        const Expr& other = part.sides[1 - side];
        if (part.sides[side] == read && is_given(other)) return Held{array, other, {}, 1};
      }
    }
    for (const Formula& part : term_.relation.parts) {
      if (part.kind != Formula::Kind::Equal) continue;
      for (size_t side = 0; side < 2; side++) {
        if (!is_given(part.sides[1 - side])) continue;
        if (std::optional<Held> held = held_in(part.sides[side], part.sides[1 - side], read)) return held;
      }
    }
    return std::nullopt;
  }

  /// whole = read + digit + what is known
  std::optional<Held> held_in(const Expr& whole, const Expr& value, const Expr& read) const {
    std::optional<Linear> sum = linear(whole);
    if (!sum) return std::nullopt;
    Held held{read.text(), value, {}, 1};
    Linear rest;
    rest.constant = sum->constant;
    bool found = false;
    for (const auto& [atom, factor] : sum->terms) {
      if (atom == read && factor == 1) {
        found = true;
      } else if (is_given(atom)) {
        rest.terms.push_back({atom, factor});
      } else if (atom.kind() == Expr::Kind::Name && factor == 1 && !held.digit &&
                 constant_range(layout_, term_, atom)) {
        held.digit = atom.text();
        held.range = *constant_range(layout_, term_, atom);
      } else {
        return std::nullopt;
      }
    }
    held.target = value - rest.expr();
    return found ? std::optional(held) : std::nullopt;
  }

  /// In terms of coordinates, sizes and of what is looked up alone.
  bool is_given(const Expr& expr) const {
    std::vector<std::string> names = term_.logical;
    for (const Solution& s : plan_.located) names.push_back(s.atom.text());
    bool reads = false;
    for_each(expr, [&](const Expr& part) { reads = reads || part.kind() == Expr::Kind::Read; });
    return !reads && layouts::is_known(layout_, expr, names);
  }

  const Layout& layout_;
  const Term& term_;
  PackPlan plan_;
  std::vector<std::string> known_;
  std::set<std::string> filled_;
};

}  // namespace

PackPlan plan_packing(const Layout& layout) { return Planner(layout).run(); }

}  // namespace filigree::layouts
