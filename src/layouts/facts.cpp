#include "layouts/facts.h"

#include <algorithm>

namespace filigree::layouts {
namespace {

/// Names of a point: variables of the term.
std::vector<std::string> variables(const Term& term) {
  std::vector<std::string> all = term.physical;
  all.insert(all.end(), term.logical.begin(), term.logical.end());
  return all;
}

template <class Tree>
Tree moved(const Tree& tree, const Term& term) {
  std::vector<Expr> others;
  for (const std::string& name : variables(term)) others.push_back(Expr::name(name, true));
  return substitute(tree, [&](const Expr& name) -> const Expr* {
    for (const Expr& other : others) {
      if (other.text() == name.text()) return &other;
    }
    return nullptr;
  });
}

/// The points change places.
Formula swapped(const Formula& formula) {
  std::vector<Expr> kept;
  for_each(formula, [&](const Expr& part) {
    if (part.kind() == Expr::Kind::Name) kept.push_back(part);
  });
  std::vector<Expr> others;
  for (const Expr& name : kept) others.push_back(Expr::name(name.text(), !name.primed()));
  std::vector<std::string> primed;
  for (const Expr& name : kept) {
    if (name.primed()) primed.push_back(name.text());
  }
  return substitute(formula, [&](const Expr& name) -> const Expr* {
    bool is_variable = std::find(primed.begin(), primed.end(), name.text()) != primed.end();
    for (size_t n = 0; is_variable && n < kept.size(); n++) {
      if (kept[n] == name) return &others[n];
    }
    return nullptr;
  });
}

void add_new(std::vector<Expr>& all, const Expr& expr) {
  if (std::find(all.begin(), all.end(), expr) == all.end()) all.push_back(expr);
}

/// A property about places, at all combinations of places that are read.
class Places {
 public:
  Places(const Property& property, const std::vector<Formula>& about) : property_(property) {
    for (const Property::Place& place : property.places) {
      std::vector<Expr>& read = read_.emplace_back();
      for (const Formula& formula : about) {
        for_each(formula, [&](const Expr& part) {
          if (part.kind() == Expr::Kind::Read && part.text() == place.array) add_new(read, part.parts()[place.number]);
        });
      }
    }
    choice_.resize(property.places.size() * (property.two_instances ? 2 : 1), 0);
  }

  std::vector<Formula> all() {
    std::vector<Formula> out;
    choose(0, out);
    return out;
  }

 private:
  static constexpr size_t most = 400;

  void choose(size_t at, std::vector<Formula>& out) {
    if (out.size() >= most) return;
    size_t count = property_.places.size();
    if (at == choice_.size()) {
      out.push_back(substitute(property_.formula, [&](const Expr& name) -> const Expr* {
        for (size_t n = 0; n < choice_.size(); n++) {
          const Property::Place& place = property_.places[n % count];
          if (name.text() == place.name && name.primed() == (n >= count)) return &read_[n % count][choice_[n]];
        }
        return nullptr;
      }));
      return;
    }
    for (size_t n = 0; n < read_[at % count].size(); n++) {
      choice_[at] = n;
      choose(at + 1, out);
    }
  }

  const Property& property_;
  std::vector<std::vector<Expr>> read_;
  std::vector<size_t> choice_;
};

/// Places that are read are within their arrays.
void add_places(const Layout& layout, const Formula& formula, std::vector<Formula>& facts) {
  for_each(formula, [&](const Expr& part) {
    if (part.kind() != Expr::Kind::Read) return;
    const ArrayShape* array = layout.find_array(part.text());
    for (size_t n = 0; array && n < part.parts().size(); n++) {
      facts.push_back(Formula::compare(Formula::Kind::LessEqual, Expr::number(0), part.parts()[n]));
      facts.push_back(Formula::compare(Formula::Kind::Less, part.parts()[n], array->extents[n]));
    }
  });
}

std::vector<Formula> facts_of_sizes(const Layout& layout) {
  std::vector<Formula> facts;
  for (const std::string& size : layout.dimensions)
    facts.push_back(Formula::compare(Formula::Kind::LessEqual, Expr::number(0), Expr::name(size)));
  for (const std::string& size : layout.parameters())
    facts.push_back(Formula::compare(Formula::Kind::LessEqual, Expr::number(0), Expr::name(size)));
  return facts;
}

Question finish(const Layout& layout, size_t term, bool two, std::vector<Formula> premises, const Formula& conclusion) {
  std::vector<Formula> about = premises;
  about.push_back(conclusion);
  for (const Formula& fact : facts_of_properties(layout, term, two, about)) premises.push_back(fact);
  for (const Formula& fact : facts_of_sizes(layout)) premises.push_back(fact);
  return {std::move(premises), conclusion};
}

}  // namespace

Formula second(const Formula& formula, const Term& term) { return moved(formula, term); }
Expr second(const Expr& expr, const Term& term) { return moved(expr, term); }

std::vector<Formula> facts_of_point(const Layout& layout, const Term& term) {
  std::vector<Formula> facts = term.relation.parts;
  add_places(layout, term.relation, facts);
  for (size_t d = 0; d < term.logical.size(); d++) {
    Expr at = Expr::name(term.logical[d]);
    facts.push_back(Formula::compare(Formula::Kind::LessEqual, Expr::number(0), at));
    facts.push_back(Formula::compare(Formula::Kind::Less, at, Expr::name(layout.dimensions[d])));
  }
  return facts;
}

std::vector<Formula> facts_of_properties(const Layout& layout, size_t term, bool two,
                                         const std::vector<Formula>& about) {
  std::vector<Formula> facts;
  for (const Formula& written : layout.properties) {
    Property property = resolve(layout, written);
    if (!property.term) {
      for (Formula& fact : Places(property, about).all()) facts.push_back(std::move(fact));
      continue;
    }
    if (*property.term != term || (property.two_instances && !two)) continue;
    facts.push_back(property.formula);
    if (property.two_instances) facts.push_back(swapped(property.formula));
    else if (two) facts.push_back(second(property.formula, layout.terms[term]));
  }
  return facts;
}

Question about_two_points(const Layout& layout, size_t term, std::vector<Formula> premises, const Formula& conclusion) {
  const Term& own = layout.terms[term];
  for (const Formula& fact : facts_of_point(layout, own)) {
    premises.push_back(fact);
    premises.push_back(second(fact, own));
  }
  return finish(layout, term, true, std::move(premises), conclusion);
}

Question about_one_point(const Layout& layout, size_t term, std::vector<Formula> premises, const Formula& conclusion) {
  return finish(layout, term, false, std::move(premises), conclusion);
}

}  // namespace filigree::layouts
