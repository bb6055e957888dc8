#include "polyhedral/finds.h"

#include <algorithm>
#include <map>

#include "polyhedral/prove.h"
#include "support/text.h"

namespace filigree::polyhedral {
namespace {

using layouts::Expr;
using layouts::Formula;
using Kind = Formula::Kind;

class Search {
 public:
  explicit Search(const FindProblem& problem) : problem_(problem), position_(Expr::name(problem.variable)) {
    all_ = problem.loops;
    all_.insert(all_.end(), problem.reduced.begin(), problem.reduced.end());
  }

  std::vector<Find> run() const {
    std::vector<Find> found;
    if (is_located()) {
      found.push_back({Template::Locate, false, all_});
      found.push_back({Template::Scan, false, all_});
      return found;
    }
    const bool once = occurs_once(), in_array = is_in_array();
    for (bool falls : {false, true}) {
      if (!once || !stops_right(falls)) continue;
      if (in_array) found.push_back({Template::Binary, falls, all_});
      if (!passes_right(all_)) continue;
      std::vector<std::string> state = fewest([&](const auto& s) { return is_one_segment(s) && passes_right(s); });
      found.push_back({Template::SeqIter, falls, state});
      if (in_array && !falls) found.push_back({Template::Gallop, false, state});
    }
    if (once) found.push_back({Template::Hash, false, fewest([&](const auto& s) { return is_one_segment(s); })});
    found.push_back({Template::Scan, false, all_});
    return found;
  }

 private:
  /// The key is the variable: no search.
  bool is_located() const {
    bool reads = false;
    for_each(problem_.key, [&](const Expr& part) { reads = reads || part.kind() == Expr::Kind::Read; });
    return !reads && mentions(problem_.key, problem_.variable);
  }
  /// Several keys stand in an array, each at its position: one is compared, not searched for.
  bool is_in_array() const {
    const Expr& key = problem_.key;
    bool several = !(problem_.upper == problem_.lower + Expr::number(1));
    return several && key.kind() == Expr::Kind::Read && key.parts().size() == 1 && key.parts()[0] == position_;
  }

  /// About another position, and the iteration that is primed or not.
  template <class Tree>
  Tree about(const Tree& tree, const Expr& position, bool second) const {
    std::map<std::string, Expr> others;
    for (const std::string& name : all_) others.emplace(name, Expr::name(name, second));
    return substitute(tree, [&](const Expr& name) -> const Expr* {
      if (name.is_name(problem_.variable)) return &position;
      auto other = others.find(name.text());
      return other == others.end() || name.primed() ? nullptr : &other->second;
    });
  }

  /// The position is in the segment that is searched at this iteration.
  void add_inside(std::vector<Formula>& premises, const Expr& position, bool second) const {
    premises.push_back(Formula::compare(Kind::LessEqual, about(problem_.lower, position, second), position));
    premises.push_back(Formula::compare(Kind::Less, position, about(problem_.upper, position, second)));
  }

  /// What the properties of the searched arrays say about these two positions, in either order.
  void add_searched(std::vector<Formula>& premises, const Expr& a, bool a_second, const Expr& b, bool b_second) const {
    for (const Formula& property : problem_.searched) {
      for (bool swap : {false, true}) {
        const Expr &first = swap ? b : a, &next = swap ? a : b;
        bool first_second = swap ? b_second : a_second, next_second = swap ? a_second : b_second;
        std::map<std::pair<std::string, bool>, Expr> others;
        for (const std::string& name : all_) {
          others.emplace(std::pair(name, false), Expr::name(name, first_second));
          others.emplace(std::pair(name, true), Expr::name(name, next_second));
        }
        premises.push_back(substitute(property, [&](const Expr& name) -> const Expr* {
          bool is_position = name.text() == problem_.variable;
          if (is_position) return name.primed() ? &next : &first;
          auto other = others.find({name.text(), name.primed()});
          return other == others.end() ? nullptr : &other->second;
        }));
      }
    }
  }

  void add_context(std::vector<Formula>& premises, bool second) const {
    for (const Formula& fact : problem_.context) premises.push_back(about(fact, position_, second));
  }

  bool proven(std::vector<Formula> premises, const Formula& conclusion) const {
    return prove({std::move(premises), conclusion}).proven;
  }

  bool occurs_once() const {
    Expr a = position_, b = Expr::name("other_" + problem_.variable);
    std::vector<Formula> premises = {Formula::compare(Kind::NotEqual, a, b)};
    add_context(premises, false);
    add_inside(premises, a, false), add_inside(premises, b, false);
    add_searched(premises, a, false, b, false);
    return proven(std::move(premises),
                  Formula::compare(Kind::NotEqual, about(problem_.key, a, false), about(problem_.key, b, false)));
  }

  /// Equation 4: where the key is too large, what is wanted does not come further on.
  bool stops_right(bool falls) const {
    Expr stop = position_, later = Expr::name("other_" + problem_.variable);
    std::vector<Formula> premises = {falls ? Formula::compare(Kind::Less, later, stop)
                                           : Formula::compare(Kind::Less, stop, later)};
    add_context(premises, false);
    add_inside(premises, stop, false), add_inside(premises, later, false);
    add_searched(premises, stop, false, later, false);
    premises.push_back(Formula::compare(Kind::Less, problem_.wanted, about(problem_.key, stop, false)));
    return proven(std::move(premises),
                  Formula::compare(Kind::NotEqual, about(problem_.key, later, false), problem_.wanted));
  }

  /// Two iterations, the first one before the second, in which the state indices agree.
  std::vector<Formula> two_iterations(const std::vector<std::string>& state) const {
    std::vector<Formula> premises, ways;
    for (size_t n = 0; n < problem_.loops.size(); n++) {
      std::vector<Formula> parts;
      for (size_t m = 0; m <= n; m++)
        parts.push_back(Formula::compare(m < n ? Kind::Equal : Kind::Less, Expr::name(problem_.loops[m]),
                                         Expr::name(problem_.loops[m], true)));
      ways.push_back(Formula::all(std::move(parts)));
    }
    premises.push_back(Formula::any(std::move(ways)));
    for (const std::string& name : state)
      premises.push_back(Formula::compare(Kind::Equal, Expr::name(name), Expr::name(name, true)));
    add_context(premises, false), add_context(premises, true);
    premises.insert(premises.end(), problem_.properties.begin(), problem_.properties.end());
    return premises;
  }

  /// Equation 3: a position whose key was too small is not wanted later.
  bool passes_right(const std::vector<std::string>& state) const {
    std::vector<Formula> premises = two_iterations(state);
    add_inside(premises, position_, false), add_inside(premises, position_, true);
    add_searched(premises, position_, false, position_, true);
    premises.push_back(Formula::compare(Kind::Less, problem_.key, problem_.wanted));
    return proven(std::move(premises), Formula::compare(Kind::NotEqual, about(problem_.key, position_, true),
                                                        about(problem_.wanted, position_, true)));
  }

  /// The segment, and the keys in it, stay the same.
  bool is_one_segment(const std::vector<std::string>& state) const {
    std::vector<Formula> premises = two_iterations(state);
    auto same = [&](const Expr& e) { return Formula::compare(Kind::Equal, e, about(e, position_, true)); };
    return proven(std::move(premises), Formula::all({same(problem_.lower), same(problem_.upper), same(problem_.key)}));
  }

  /// Algorithm 3.
  template <class Valid>
  std::vector<std::string> fewest(const Valid& valid) const {
    std::vector<std::string> state = all_, order(problem_.loops.rbegin(), problem_.loops.rend());
    order.insert(order.end(), problem_.reduced.begin(), problem_.reduced.end());
    for (const std::string& index : order) {
      std::vector<std::string> without = state;
      std::erase(without, index);
      if (valid(without)) state = without;
    }
    return state;
  }

  const FindProblem& problem_;
  Expr position_;
  std::vector<std::string> all_;
};

}  // namespace

std::string to_string(Template name) {
  switch (name) {
    case Template::Locate: return "locate";
    case Template::Binary: return "binary";
    case Template::Gallop: return "gallop";
    case Template::SeqIter: return "seqiter";
    case Template::Hash: return "hash";
    case Template::Scan: return "scan";
  }
  return "";
}

std::string to_string(const Find& find) {
  std::string text = to_string(find.name) + (find.falls ? " falling" : "");
  bool keeps = find.name == Template::SeqIter || find.name == Template::Gallop || find.name == Template::Hash;
  if (!keeps) return text;
  return text + (find.state.empty() ? ", kept throughout" : ", kept for " + join(find.state, ", "));
}

std::vector<Find> find_templates(const FindProblem& problem) { return Search(problem).run(); }

}  // namespace filigree::polyhedral
