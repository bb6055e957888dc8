#include "notation/extents.h"

#include <algorithm>
#include <cctype>
#include <set>

#include <fmt/format.h>

#include "notation/injective.h"
#include "notation/room.h"
#include "notation/written.h"
#include "support/check.h"
#include "support/text.h"

namespace filigree::notation {
namespace {

/// Sums and small multiples of extents have to fit in 64 bits.
constexpr std::int64_t largest_extent = std::int64_t{1} << 62;

/// Where an index variable's extent comes from.
struct Origin {
  std::int64_t extent;
  std::string text;         // "dimension 2 of 'B' has 5"
  bool only_given = false;  // no dimension, window or list says it
  Span span = {};
};

/// An index that follows from variables, in its place.
struct Place {
  Access access;
  size_t dimension;
  Span span;
  const IndexVar& index() const { return access.indices[dimension]; }
  const IndexMap& map() const { return *index().map(); }
  std::string text() const {
    return filigree::to_string(map(), [](const IndexVar& var) { return var.name(); });
  }
};

class Extents {
 public:
  Extents(const Statement& statement, const std::map<TensorVar, std::vector<std::int64_t>>& dimensions)
      : statement_(statement), dimensions_(dimensions) {}

  void give(const IndexVar& var, std::int64_t extent) {
    auto [known, is_new] = known_.emplace(var, Origin{extent, fmt::format("{} was given", extent), true});
    if (known->second.extent != extent)
      throw UserError(
          fmt::format("The extent of '{}' is given as {} and as {}", var.name(), known->second.extent, extent));
  }

  void learn(const Access& access, Span span) {
    auto found = dimensions_.find(access.tensor);
    bool is_known = found != dimensions_.end();
    internal_check(!is_known || found->second.size() == access.indices.size(), "infer_extents",
                   "dimensions of another order", access.tensor.name());
    for (size_t n = 0; n < access.indices.size(); n++) {
      const IndexVar& index = access.indices[n];
      std::int64_t extent = is_known ? found->second[n] : -1;
      if (extent >= 0)
        learn(index, {extent, fmt::format("dimension {} of '{}' has {}", n + 1, written_name(access, span), extent)},
              span);
      if (!index.map()) {
        // A dimension that is made to fit tells generated code what was given.
        if (auto given = known_.find(index); given != known_.end()) given->second.only_given = false;
        continue;
      }
      places_.push_back({access, n, span});
      const IndexMap& map = *index.map();
      bool repeats = map == IndexMap{{{map.terms.empty() ? index : map.terms[0].var, 1}}};  // the second i of B(i,i)
      if (repeats && extent >= 0)
        learn(map.terms[0].var,
              {extent, fmt::format("dimension {} of '{}' has {}", n + 1, written_name(access, span), extent)}, span);
      if (std::optional<std::int64_t> window = index.map()->extent) {
        learn(index.map()->terms[0].var, {*window, fmt::format("{} has {}", places_.back().text(), *window)}, span);
      }
    }
  }

  std::map<IndexVar, std::int64_t> result(Around around) {
    std::map<IndexVar, Origin> given = set_aside_given();
    find_room();
    if (around == Around::Once && go_around_once()) find_room();
    std::set<IndexVar> told;  // by nothing but the statement
    for (const auto& [var, origin] : given) {
      bool is_told = known_.emplace(var, origin).second;
      if (!is_told) check_given(var, origin);
      if (is_told && statement_.extents.count(var)) told.insert(var);
    }
    find_room();
    if (around == Around::Once) go_around_once();
    for (const Place& place : places_) check(place);
    check_injective();
    for (const auto& [var, origin] : given) {
      if (!told.count(var)) check_given(var, origin);
    }
    std::map<IndexVar, std::int64_t> extents;
    for (const auto& [var, origin] : known_) extents.emplace(var, origin.extent);
    return extents;
  }

 private:
  struct Span1D {
    std::int64_t first, last;
  };

  [[noreturn]] void fail(UserError error, Span span) const {
    if (statement_.source) throw std::move(error).at(statement_.source, span);
    throw error;
  }

  void learn(const IndexVar& var, const Origin& origin, Span span) {
    auto [first, is_new] = known_.emplace(var, origin);
    first->second.only_given = false;
    if (first->second.extent == origin.extent) return;
    fail(UserError(fmt::format("Index variable '{}' has two extents: {} but {}", var.name(), first->second.text,
                               origin.text)),
         span);
  }

  std::optional<std::int64_t> extent(const IndexVar& var) const {
    auto found = known_.find(var);
    return found == known_.end() ? std::nullopt : std::optional(found->second.extent);
  }

  /// The indices reached by all variables of the place's map but `except`; nothing if one is unknown.
  std::optional<Span1D> reach(const Place& place, const IndexVar* except = nullptr) const {
    const IndexMap& map = place.map();
    Span1D reach{map.offset, map.offset};
    for (const auto& [var, factor] : map.terms) {
      if (except && var == *except) continue;
      std::optional<std::int64_t> e = extent(var);
      if (!e) return std::nullopt;
      std::int64_t& end = factor < 0 ? reach.first : reach.last;
      std::int64_t far;
      bool is_too_far = __builtin_mul_overflow(factor, *e - 1, &far) || __builtin_add_overflow(end, far, &end) ||
                        end > largest_extent || end < -largest_extent;
      if (is_too_far)
        fail(UserError(fmt::format("The index {} of '{}' reaches further than 2^62, which is too far for this program",
                                   place.text(), written_name(place.access, place.span))),
             place.span);
    }
    return reach;
  }

  /// Extents that are given are not needed where they follow from dimensions: there they only have to agree.
  std::map<IndexVar, Origin> set_aside_given() {
    std::map<IndexVar, Origin> given;
    for (const auto& [var, origin] : known_) {
      if (origin.only_given) given.emplace(var, origin);
    }
    for (const auto& [var, origin] : given) known_.erase(var);
    return given;
  }

  RoomLeft<Origin> room_of(const IndexVar& var) const {
    RoomLeft<Origin> room;
    relation::Facts facts;
    facts.extent = [&](const IndexVar& known) { return extent(known); };
    for (const Place& place : places_) {
      if (!extent(place.index()) || place.map().padded) continue;
      for (const auto& [other, factor] : place.map().terms) {
        if (!(other == var)) continue;
        bool is_reached = reach(place, &var).has_value();
        room.is_final = room.is_final && is_reached;
        if (!is_reached) continue;
        relation::Formula most = relation::room_in(place.map().sum(), var, relation::Formula::extent(place.index()));
        std::int64_t left = relation::evaluate(most, facts).value_or(0);  // what is reached fits
        if (room.least && room.least->extent <= left) continue;
        room.least = Origin{
            left,
            fmt::format("the index {} of '{}' leaves {}", place.text(), written_name(place.access, place.span), left),
            false, place.span};
      }
    }
    return room;
  }

  void find_room() {
    std::set<IndexVar> vars;
    for (const Place& place : places_) {
      for (const IndexMap::Term& term : place.map().terms) vars.insert(term.var);
    }
    settle_room(
        vars, [&](const IndexVar& var) { return known_.count(var) > 0; },
        [&](const IndexVar& var) { return room_of(var); },
        [&](const IndexVar& var, const Origin& least) { known_.emplace(var, least); });
  }

  /// i of wrap(x(i+1)), where nothing else tells it, goes through the dimension once.  Was there one?
  bool go_around_once() {
    bool found = false;
    for (const Access& access : accesses(statement_.rhs)) {
      const Selection* selection = access.tensor.selection();
      if (!selection || selection->source || selection->factors.size() != 1 || !known_.count(access.indices[1]))
        continue;
      found |= known_.emplace(access.indices[0], Origin{known_.at(access.indices[1]).extent, "", false}).second;
    }
    return found;
  }

  /// Generated code finds these extents as find_room does, so that what was given must be that.
  void check_given(const IndexVar& var, const Origin& given) const {
    RoomLeft<Origin> room = room_of(var);
    if (!room.least || room.least->extent == given.extent) return;
    fail(UserError(fmt::format("{} was given for '{}', but {}", given.extent, var.name(), room.least->text))
             .hint("give no extent, or use a window of the tensor"),
         room.least->span);
  }

  void check(const Place& place) {
    const IndexMap& map = place.map();
    std::optional<Span1D> reached = reach(place);
    if (!reached) return;
    bool runs = std::all_of(map.terms.begin(), map.terms.end(),
                            [&](const IndexMap::Term& term) { return *extent(term.var) > 0; });
    if (runs && !map.list.empty())
      reached = {*std::min_element(map.list.begin(), map.list.end()),
                 *std::max_element(map.list.begin(), map.list.end())};
    std::int64_t needed = runs ? reached->last + 1 : 0;
    std::int64_t size =
        known_.emplace(place.index(), Origin{std::max<std::int64_t>(needed, 0), ""}).first->second.extent;
    if (!runs || map.padded || (reached->first >= 0 && reached->last < size)) return;
    std::int64_t outside = reached->first < 0 ? reached->first : reached->last;
    UserError error(fmt::format("The index {} of '{}' reaches {}, but dimension {} has {}", place.text(),
                                written_name(place.access, place.span), outside, place.dimension + 1, size));
    if (place.access == statement_.lhs) fail(error, place.span);
    fail(std::move(error).hint(fmt::format("write pad({}(...)) to read its fill there{}", place.access.tensor.name(),
                                           other_way(map, size))),
         place.span);
  }

  /// An assignment gives every component one value: with 61*j+k, that takes a k of at most 61 coordinates.
  void check_injective() const {
    const Access& lhs = statement_.lhs;
    std::vector<IndexVar> vars = free_of(lhs.indices);
    bool all_known = std::all_of(vars.begin(), vars.end(), [&](const IndexVar& var) { return known_.count(var) > 0; });
    if (statement_.op || !all_known || injectivity(lhs) != Injectivity::DependsOnExtents) return;
    std::map<IndexVar, std::int64_t> extents;
    for (const IndexVar& var : vars) extents[var] = known_.at(var).extent;
    std::optional<Collision> collision = find_collision(lhs, extents);
    if (!collision) return;
    std::vector<std::string> first, second, known;
    for (const Collision::Difference& d : collision->vars) {
      first.push_back(fmt::format("{} = {}", d.var.name(), d.first));
      second.push_back(fmt::format("{} = {}", d.var.name(), d.second));
      known.push_back(fmt::format("'{}' has {}", d.var.name(), extents.at(d.var)));
    }
    std::string why = collision->vars.empty()
                          ? "that it is not could not be shown"
                          : fmt::format("{} is the same one as {}, as {} coordinates", join(second, ", "),
                                        join(first, ", "), join(known, " and "));
    fail(UserError(fmt::format("'{}' is assigned several values for one component: {}", written_left(statement_), why))
             .hint("write += to add them up, or " + apart(*collision, extents)),
         statement_.lhs_span);
  }

  /// What would keep two points apart.
  std::string apart(const Collision& collision, const std::map<IndexVar, std::int64_t>& extents) const {
    for (const IndexVar& index : statement_.lhs.indices) {
      if (collision.vars.size() != 2 || !index.map() || index.map()->terms.size() != 2) continue;
      std::vector<IndexMap::Term> terms = index.map()->terms;
      bool has_both = std::all_of(terms.begin(), terms.end(), [&](const IndexMap::Term& term) {
        return std::any_of(collision.vars.begin(), collision.vars.end(),
                           [&](const Collision::Difference& d) { return d.var == term.var; });
      });
      if (!has_both) continue;
      if (std::abs(terms[0].factor) < std::abs(terms[1].factor)) std::swap(terms[0], terms[1]);
      return fmt::format("a factor of at least {} for '{}'", std::abs(terms[1].factor) * extents.at(terms[1].var),
                         terms[0].var.name());
    }
    return "larger factors, which keep them apart";
  }

  /// The tensor as it is called in the text: the left one may hold what a part of another one changes by.
  /// What selects coordinates has the dimensions of what is written as the index.
  std::string written_name(const Access& access, Span span) const {
    if (access.tensor.selection()) return access.tensor.read() ? access.tensor.read()->name() : written_text(span);
    if (!statement_.source || !(access == statement_.lhs)) return access.tensor.name();
    const std::string& text = statement_.source->text;
    size_t begin = static_cast<size_t>(span.begin), end = begin;
    while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) || text[end] == '_')) end++;
    return end == begin ? access.tensor.name() : text.substr(begin, end - begin);
  }

  std::string written_text(Span span) const {
    return statement_.source ? statement_.source->text.substr(static_cast<size_t>(span.begin),
                                                              static_cast<size_t>(span.end - span.begin))
                             : "an index that wraps around";
  }

  /// What to do about an index that reaches outside, unless what is there is to be the fill.
  static std::string other_way(const IndexMap& map, std::int64_t size) {
    if (!map.list.empty()) return fmt::format(", or list coordinates below {}", size);
    if (map.extent) return fmt::format(", or end the window at {} or before", size);
    return map.terms.empty() ? "" : ", or a window for the other uses of the variable";
  }

  const Statement& statement_;
  const std::map<TensorVar, std::vector<std::int64_t>>& dimensions_;
  std::map<IndexVar, Origin> known_;
  std::vector<Place> places_;
};

/// What tells how far a variable runs.
struct Telling {
  bool is_told = false;                                // by a dimension of its own, or by a window or list
  std::vector<std::pair<TensorVar, IndexMap>> within;  // else by these indices, which have to stay inside
};

Telling telling(const IndexVar& var, const Expr& expr) {
  Telling out;
  for (const Access& access : accesses(expr)) {
    for (const IndexVar& index : access.indices) {
      const IndexMap* map = index.map();
      out.is_told = out.is_told || index == var;
      bool is_used = map && std::any_of(map->terms.begin(), map->terms.end(),
                                        [&](const IndexMap::Term& term) { return term.var == var; });
      if (!is_used) continue;
      out.is_told = out.is_told || map->extent || *map == IndexMap{{{var, 1}}};
      out.within.push_back({access.tensor, *map});
    }
  }
  return out;
}

}  // namespace

bool keeps_extents(const Expr& part, const Statement& whole) {
  std::vector<IndexVar> vars = index_vars(part);
  return std::all_of(vars.begin(), vars.end(), [&](const IndexVar& var) {
    Telling here = telling(var, part), there = telling(var, whole.rhs);
    if (here.is_told) return true;
    if (there.is_told || whole.extents.count(var)) return false;  // what a user gave is the whole statement's
    auto has_all_of = [](const Telling& one, const Telling& other) {
      return std::all_of(other.within.begin(), other.within.end(), [&](const auto& index) {
        return std::find(one.within.begin(), one.within.end(), index) != one.within.end();
      });
    };
    return has_all_of(here, there) && has_all_of(there, here);
  });
}

std::map<IndexVar, std::int64_t> infer_extents(const Statement& statement,
                                               const std::map<TensorVar, std::vector<std::int64_t>>& dimensions,
                                               const std::map<IndexVar, std::int64_t>& given, Around around) {
  Extents extents(statement, dimensions);
  for (const auto& [var, extent] : given) extents.give(var, extent);
  for (const auto& [var, extent] : statement.extents) extents.give(var, extent);
  for_each(statement.rhs, [&](const Expr& expr) {
    if (const Access* access = expr.as<Access>()) extents.learn(*access, expr.span());
  });
  extents.learn(statement.lhs, statement.lhs_span);
  return extents.result(around);
}

std::string dimension_name(const TensorVar& tensor, size_t dimension) {
  return fmt::format("{}.{}", tensor.name(), dimension + 1);
}

void give_extents(Statement& statement, const std::map<std::string, std::int64_t>& extents) {
  for (const IndexVar& var : index_vars(statement)) {
    if (auto given = extents.find(var.name()); var.is_named() && given != extents.end())
      statement.extents.insert({var, given->second});
  }
}

}  // namespace filigree::notation
