#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "layouts/bounds.h"
#include "layouts/layout.h"
#include "support/check.h"
#include "support/text.h"

namespace filigree::layouts {
namespace {

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

class Checker {
 public:
  Checker(const Layout& layout, const Source& source) : layout_(layout), source_(source) {}

  void run() {
    check_names();
    if (layout_.terms.empty())
      throw UserError(fmt::format("The layout '{}' has no relation", layout_.name))
          .hint(
              "write one, as in [p] -> [i] : 0 <= p < n and i = crd(p), and where its values are, as in value vals(p)");
    for (const Term& term : layout_.terms) check_term(term);
    for (const std::string& size : layout_.parameters()) check_told(size);
    for (const ArrayShape& array : layout_.arrays) check_used(array);
    for (const Formula& property : layout_.properties) {
      check_reads(property), check_divisors(property);
      resolve(layout_, property, source_);
    }
  }

 private:
  UserError at(UserError error, Span span) const {
    return source_ ? std::move(error).at(source_, span) : std::move(error);
  }

  void check_names() const {
    std::set<std::string> taken(layout_.dimensions.begin(), layout_.dimensions.end());
    for (const ArrayShape& array : layout_.arrays) {
      if (!taken.insert(array.name).second)
        throw UserError(fmt::format("'{}' is the name of two things in the layout '{}'", array.name, layout_.name));
      if (array.extents.empty())
        throw UserError(fmt::format("The array '{}' of the layout '{}' has no size", array.name, layout_.name))
            .hint("write how many elements it has, as in pos(rows + 1)");
      for (const Expr& extent : array.extents) {
        for_each(extent, [&](const Expr& part) {
          check_divisor(part);
          if (part.kind() == Expr::Kind::Read || (part.kind() == Expr::Kind::Name && part.primed()))
            throw at(UserError(fmt::format("A size of '{}' depends on more than sizes", array.name)), part.span());
        });
      }
    }
    for (const std::string& size : layout_.parameters()) {
      if (!taken.insert(size).second)
        throw UserError(fmt::format("'{}' is the name of two things in the layout '{}'", size, layout_.name));
    }
    for (const Term& term : layout_.terms) {
      std::set<std::string> here = taken;
      for (const std::vector<std::string>* names : {&term.physical, &term.logical}) {
        for (const std::string& name : *names) {
          if (!here.insert(name).second)
            throw UserError(fmt::format("'{}' is the name of two things in the layout '{}'", name, layout_.name));
        }
      }
    }
  }

  void check_read(const Expr& part) const {
    const ArrayShape* array = layout_.find_array(part.text());
    if (!array) {
      std::vector<std::string> known;
      for (const ArrayShape& each : layout_.arrays) known.push_back(each.name);
      UserError error(fmt::format("'{}' is no array of the layout '{}'", part.text(), layout_.name));
      if (auto guess = did_you_mean(part.text(), known))
        std::move(error).hint(fmt::format("did you mean '{}'?", *guess));
      throw at(std::move(error).hint("arrays are: " + join(known, ", ")), part.span());
    }
    if (array->extents.size() != part.parts().size())
      throw at(UserError(fmt::format("'{}' is read at {}, but has {}", part.text(),
                                     counted(part.parts().size(), "place"), counted(array->extents.size(), "size"))),
               part.span());
  }
  void check_reads(const Formula& formula) const {
    for_each(formula, [&](const Expr& part) {
      if (part.kind() == Expr::Kind::Read) check_read(part);
    });
  }

  /// By numbers, from 1 on: the parser says so where it reads one.
  void check_divisors(const Formula& formula) const {
    for_each(formula, [&](const Expr& part) { check_divisor(part); });
  }
  void check_divisor(const Expr& part) const {
    bool divides = part.kind() == Expr::Kind::Quotient || part.kind() == Expr::Kind::Remainder;
    if (!divides) return;
    const Expr& divisor = part.parts()[1];
    if (divisor.kind() == Expr::Kind::Number && divisor.value() <= 0)
      throw UserError(
          fmt::format("'{}' divides by {}, but a divisor must be at least 1", to_string(part), divisor.value()));
  }

  void check_known(const Expr& part, const Term& term, bool with_logical) const {
    if (part.kind() != Expr::Kind::Name) return;
    if (part.primed())
      throw at(UserError(fmt::format("'{}'' is primed, but a relation is about one point", part.text()))
                   .hint("primed variables are for properties, after 'where'"),
               part.span());
    std::vector<std::string> known = term.physical;
    if (with_logical) known.insert(known.end(), term.logical.begin(), term.logical.end());
    for (const std::string& size : layout_.dimensions) known.push_back(size);
    for (const std::string& size : layout_.parameters()) known.push_back(size);
    if (contains(known, part.text())) return;
    UserError error(fmt::format("'{}' is no variable and no size of the layout '{}'", part.text(), layout_.name));
    if (auto guess = did_you_mean(part.text(), known)) std::move(error).hint(fmt::format("did you mean '{}'?", *guess));
    throw at(std::move(error).hint("known here are: " + join(known, ", ")), part.span());
  }

  void check_term(const Term& term) const {
    if (static_cast<int>(term.logical.size()) != layout_.order())
      throw UserError(fmt::format("A relation of '{}' has {}, but the layout has {}", layout_.name,
                                  counted(term.logical.size(), "logical variable"),
                                  counted(layout_.dimensions.size(), "dimension")));
    check_reads(term.relation), check_divisors(term.relation);
    for_each(term.value, [&](const Expr& part) { check_divisor(part); });
    for_each(term.relation, [&](const Expr& part) { check_known(part, term, true); });
    check_read(term.value);
    for_each(term.value, [&](const Expr& part) {
      if (part.kind() == Expr::Kind::Read && &part != &term.value) check_read(part);
      check_known(part, term, false);
    });
    for (const Formula& part : term.relation.parts) {
      if (part.kind == Formula::Kind::Implies)
        throw UserError(fmt::format("A relation of '{}' contains an implication, '{}'", layout_.name, to_string(part)))
            .hint("implications are properties, after 'where'");
    }
    for (size_t d = 0; d < term.logical.size(); d++) check_coordinate(term, d);
    for (size_t v = 0; v < term.physical.size(); v++) check_bounded(term, v);
  }

  void check_coordinate(const Term& term, size_t dimension) const {
    if (find_coordinate(term, dimension)) return;
    throw UserError(fmt::format("The coordinate '{}' of the layout '{}' is not determined by what is stored",
                                term.logical[dimension], layout_.name))
        .hint(fmt::format("say what it is, as in {} = crd(p)", term.logical[dimension]));
  }

  void check_bounded(const Term& term, size_t variable) const {
    std::vector<std::string> known(term.physical.begin(),
                                   term.physical.begin() + static_cast<std::ptrdiff_t>(variable));
    VariableBounds bounds = find_bounds(layout_, term, term.physical[variable], known);
    if (bounds.is_bounded()) return;
    throw UserError(fmt::format("Nothing bounds the variable '{}' of the layout '{}' from {}", term.physical[variable],
                                layout_.name, bounds.lower.empty() ? "below" : "above"))
        .note("a bound is a comparison with sizes, with variables before it, and with what arrays hold there")
        .hint(fmt::format("write bounds, as in 0 <= {0} < n, or put '{0}' after the variables that bound it",
                          term.physical[variable]));
  }

  /// Some array has the size as an extent, or as one with a factor and an offset.
  void check_told(const std::string& size) const {
    for (const ArrayShape& array : layout_.arrays) {
      for (const Expr& extent : array.extents) {
        if (solve_for(extent, size)) return;
      }
    }
    throw UserError(fmt::format("The size '{}' of the layout '{}' is not known from any array", size, layout_.name))
        .hint(fmt::format("an array tells a size that is its extent, as in crd({})", size));
  }

  void check_used(const ArrayShape& array) const {
    bool used = false;
    for (const Term& term : layout_.terms) {
      auto look = [&](const Expr& part) {
        used = used || (part.kind() == Expr::Kind::Read && part.text() == array.name);
      };
      for_each(term.relation, look), for_each(term.value, look);
    }
    if (!used)
      throw UserError(fmt::format("The array '{}' of the layout '{}' is in no relation", array.name, layout_.name))
          .hint("leave it out");
  }

  const Layout& layout_;
  const Source& source_;
};

}  // namespace

const ArrayShape* Layout::find_array(const std::string& array) const {
  for (const ArrayShape& each : arrays) {
    if (each.name == array) return &each;
  }
  return nullptr;
}

bool Layout::holds_values(const std::string& array) const {
  return std::any_of(terms.begin(), terms.end(), [&](const Term& term) { return term.value.text() == array; });
}

std::vector<std::string> Layout::parameters() const {
  std::vector<std::string> found;
  for (const ArrayShape& array : arrays) {
    for (const Expr& extent : array.extents) {
      for (const std::string& name : names_in(extent)) {
        if (!contains(dimensions, name) && !contains(found, name)) found.push_back(name);
      }
    }
  }
  return found;
}

Expr Term::coordinate(size_t dimension) const {
  std::optional<Expr> found = find_coordinate(*this, dimension);
  internal_check(found.has_value(), "layouts", "a coordinate without an equation");
  return *found;
}

void check(const Layout& layout, const Source& source) { Checker(layout, source).run(); }

namespace {

/// Every name of a property that is no physical variable and no size, and where it stands in reads.
struct PlaceUse {
  std::string name, array;
  size_t number;
};

std::vector<PlaceUse> place_uses(const Formula& property, const std::vector<std::string>& others) {
  std::vector<PlaceUse> uses;
  for_each(property, [&](const Expr& part) {
    if (part.kind() != Expr::Kind::Read) return;
    for (size_t n = 0; n < part.parts().size(); n++) {
      for_each(part.parts()[n], [&](const Expr& inner) {
        if (inner.kind() == Expr::Kind::Name && !contains(others, inner.text()))
          uses.push_back({inner.text(), part.text(), n});
      });
    }
  });
  return uses;
}

/// The one place at which the term reads the array; nothing if there is none, or several.
std::optional<Expr> place_read(const Term& term, const std::string& array, size_t number) {
  std::optional<Expr> found;
  bool several = false;
  auto look = [&](const Expr& part) {
    if (part.kind() != Expr::Kind::Read || part.text() != array) return;
    several = several || (found && !(*found == part.parts()[number]));
    found = part.parts()[number];
  };
  for_each(term.relation, look);
  for_each(term.value, look);
  return several ? std::nullopt : found;
}

}  // namespace

Property resolve(const Layout& layout, const Formula& property, const Source& source) {
  std::vector<std::string> sizes = layout.dimensions;
  for (const std::string& size : layout.parameters()) sizes.push_back(size);
  Property out{std::nullopt, property};
  for_each(property, [&](const Expr& part) {
    out.two_instances = out.two_instances || (part.kind() == Expr::Kind::Name && part.primed());
  });
  for (size_t t = 0; t < layout.terms.size() && !out.term; t++) {
    for (const std::string& name : names_in(property)) {
      if (contains(layout.terms[t].physical, name) || contains(layout.terms[t].logical, name)) out.term = t;
    }
  }
  std::vector<std::string> others = sizes;
  if (out.term) {
    const Term& term = layout.terms[*out.term];
    others.insert(others.end(), term.physical.begin(), term.physical.end());
    others.insert(others.end(), term.logical.begin(), term.logical.end());
  }
  std::vector<PlaceUse> uses = place_uses(property, others);
  auto use_of = [&](const std::string& name) {
    return std::find_if(uses.begin(), uses.end(), [&](const PlaceUse& use) { return use.name == name; });
  };
  std::vector<std::pair<Expr, Expr>> replaced;  // a name, and the place it stands for
  for (const std::string& name : names_in(property)) {
    if (contains(others, name)) continue;
    auto use = use_of(name);
    if (use == uses.end()) {
      UserError error(fmt::format("'{}' in a property of '{}' is no variable of its relation, and no place of an array",
                                  name, layout.name));
      std::move(error).note("the property is " + to_string(property));
      Span span;
      for_each(property, [&](const Expr& part) { span = part.is_name(name) ? part.span() : span; });
      throw source ? std::move(error).at(source, span) : std::move(error);
    }
    if (!out.term) {
      out.places.push_back({name, use->array, use->number});
      continue;
    }
    std::optional<Expr> place = place_read(layout.terms[*out.term], use->array, use->number);
    if (!place)
      throw UserError(
          fmt::format("'{}' in a property of '{}' could be several places of '{}'", name, layout.name, use->array))
          .note("the property is " + to_string(property))
          .hint("name the physical variables instead");
    const std::vector<std::string>& physical = layout.terms[*out.term].physical;
    replaced.push_back({Expr::name(name), *place});
    replaced.push_back({Expr::name(name, true), primed(*place, physical)});
  }
  out.formula = substitute(property, [&](const Expr& name) -> const Expr* {
    for (const auto& [from, to] : replaced) {
      if (from == name) return &to;
    }
    return nullptr;
  });
  return out;
}

}  // namespace filigree::layouts
