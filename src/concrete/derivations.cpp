#include "concrete/derivations.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "notation/room.h"
#include "support/check.h"
#include "support/match.h"
#include "support/text.h"

namespace filigree::concrete {
namespace {

/// Of `count` things that follow from others, those that do from `bound`, one after the other.
/// `of` gives the variable and its sources by number.
template <class Of>
std::vector<size_t> following(size_t count, const Of& of, std::vector<IndexVar> bound,
                              const std::set<IndexVar>& excluded) {
  std::vector<size_t> out;
  for (bool more = count > 0; more;) {
    more = false;
    for (size_t n = 0; n < count; n++) {
      const auto& [var, sources] = of(n);
      if (contains(bound, var) || excluded.count(var)) continue;
      if (!std::all_of(sources.begin(), sources.end(), [&](const IndexVar& source) { return contains(bound, source); }))
        continue;
      out.push_back(n);
      bound.push_back(var);
      more = true;
    }
  }
  return out;
}

/// All that can be computed one after the other from `bound`, except those for `excluded`.
std::vector<Derivation> computable(const std::vector<Derivation>& derivations, const std::vector<IndexVar>& bound,
                                   const std::set<IndexVar>& excluded) {
  std::vector<Derivation> out;
  auto of = [&](size_t n) { return std::pair(derivations[n].var, derivations[n].sources()); };
  for (size_t n : following(derivations.size(), of, bound, excluded)) out.push_back(derivations[n]);
  return out;
}

}  // namespace

std::vector<Derivation> derived(const Environment& environment, const std::vector<IndexVar>& bound, const Stmt& stmt) {
  if (environment.derivations.empty()) return {};
  std::set<IndexVar> used, looped;
  bool guards = false;  // does it matter whether there is anything?
  for_each(stmt, [&](const Stmt& s) {
    if (const Forall* forall = s.as<Forall>()) looped.insert(forall->var);
    if (const Assign* assign = s.as<Assign>()) {
      guards = guards || !assign->copies_levels;
      used.insert(assign->lhs.indices.begin(), assign->lhs.indices.end());
      notation::for_each(assign->rhs, [&](const Expr& e) {
        if (const Access* access = e.as<Access>()) used.insert(access->indices.begin(), access->indices.end());
        if (const notation::Coordinate* coordinate = e.as<notation::Coordinate>()) used.insert(coordinate->var);
      });
      if (assign->unless_equal) used.insert({assign->unless_equal->first, assign->unless_equal->second});
    }
  });
  std::vector<Derivation> all = computable(environment.derivations, bound, looped), kept;
  // What is needed becomes known from the last one back to the first.
  for (auto derivation = all.rbegin(); derivation != all.rend(); ++derivation) {
    if (!(derivation->guarded && guards) && !used.count(derivation->var)) continue;
    kept.insert(kept.begin(), *derivation);
    for (const IndexVar& source : derivation->sources()) used.insert(source);
  }
  return kept;
}

std::vector<IndexVar> with_computed(const Environment& environment, std::vector<IndexVar> bound) {
  for (const Derivation& derivation : computable(environment.derivations, bound, {})) bound.push_back(derivation.var);
  return bound;
}

namespace {

template <class Holds>
std::vector<IndexVar> with_implied(const Environment& environment, std::vector<IndexVar> bound, const Holds& holds) {
  std::vector<std::pair<IndexVar, std::vector<IndexVar>>> all;
  for (const Derivation& derivation : environment.derivations) all.push_back({derivation.var, derivation.sources()});
  for (const Implication& implication : environment.implications) {
    if (holds(implication)) all.push_back({implication.var, implication.sources});
  }
  for (size_t n : following(all.size(), [&](size_t n) -> const auto& { return all[n]; }, bound, {}))
    bound.push_back(all[n].first);
  return bound;
}

}  // namespace

std::vector<IndexVar> with_derived(const Environment& environment, std::vector<IndexVar> bound) {
  return with_implied(environment, std::move(bound), [](const Implication&) { return true; });
}

std::vector<IndexVar> with_derived(const Environment& environment, std::vector<IndexVar> bound, const Assign& at) {
  std::vector<Access> read = notation::accesses(at.rhs);
  return with_implied(environment, std::move(bound), [&](const Implication& implication) {
    return !implication.held_by || std::any_of(read.begin(), read.end(), [&](const Access& access) {
      return access.tensor.name() == implication.held_by->name();
    });
  });
}

// --- Values and extents ------------------------------------------------------------------------------

relation::Formula value(const Derivation& derivation) {
  return match_variant(
      derivation.from,
      [&](const AtPoint&) -> relation::Formula {
        throw InternalError("concrete", "what a point tells is no formula", derivation.var.name());
      },
      [](const auto& from) { return relation::value(from); });
}

bool may_be_negative(const Environment& environment, const Derivation& derivation) {
  const relation::Sum* sum = derivation.as<relation::Sum>();
  bool subtracts = sum && (sum->offset < 0 || std::any_of(sum->terms.begin(), sum->terms.end(),
                                                          [](const auto& term) { return term.factor < 0; }));
  std::vector<IndexVar> sources = derivation.sources();
  return subtracts || std::any_of(sources.begin(), sources.end(),
                                  [&](const IndexVar& source) { return !origin(environment, source).is(0); });
}

namespace {

const relation::RangeFormulas* known_range(const Environment& environment, const IndexVar& var) {
  auto extent = environment.extents.find(var);
  return extent == environment.extents.end() ? nullptr : std::get_if<relation::RangeFormulas>(&extent->second);
}

}  // namespace

relation::Formula origin(const Environment& environment, const IndexVar& var) {
  const relation::RangeFormulas* range = known_range(environment, var);
  return range ? range->origin : relation::Formula::number(0);
}

std::optional<std::int64_t> constant_extent(const Environment& environment, const IndexVar& var) {
  const relation::RangeFormulas* range = known_range(environment, var);
  return range ? range->extent.known() : std::nullopt;
}

IndexVar same_extent(const Environment& environment, const IndexVar& var) {
  const relation::RangeFormulas* range = known_range(environment, var);
  bool is_like = range && range->extent.kind() == relation::Formula::Kind::Extent;
  return is_like ? range->extent.var() : var;
}

std::vector<DerivedExtent> derived_extents(const Environment& environment) {
  using relation::Formula;
  std::vector<DerivedExtent> out, derived;
  std::vector<IndexVar> rooms;
  std::set<IndexVar> known;
  for (const auto& [var, extent] : environment.extents) {
    if (std::holds_alternative<OfRoom>(extent)) rooms.push_back(var);
    const relation::RangeFormulas* range = std::get_if<relation::RangeFormulas>(&extent);
    if (range) (range->extent.known() ? out : derived).push_back({var, range->extent, false});
  }
  if (!rooms.empty()) {
    for (const auto& [var, extent] : environment.extents) {
      if (std::holds_alternative<OfDimension>(extent) || constant_extent(environment, var)) known.insert(var);
    }
  }
  auto room_of = [&](const IndexVar& var) {
    notation::RoomLeft<Formula> room;
    for (const IndexVar& index : std::get<OfRoom>(environment.extents.at(var)).indices) {
      const std::vector<IndexMap::Term>& terms = index.map()->terms;
      bool waits = std::any_of(terms.begin(), terms.end(), [&](const IndexMap::Term& term) {
        return !(term.var == var) && !known.count(term.var);
      });
      room.is_final = room.is_final && !waits;
      if (waits) continue;
      Formula here = relation::room_in(index.map()->sum(), var, Formula::extent(index));
      room.least = room.least ? Formula::min(*room.least, here) : here;
    }
    return room;
  };
  notation::settle_room(
      rooms, [&](const IndexVar& var) { return known.count(var) > 0; }, room_of,
      [&](const IndexVar& var, const Formula& least) {
        known.insert(var);
        out.push_back({var, least, true});
      });
  out.insert(out.end(), derived.begin(), derived.end());
  return out;
}

std::map<IndexVar, std::int64_t> all_extents(const Environment& environment, std::map<IndexVar, std::int64_t> known) {
  std::map<std::pair<TensorVar, int>, std::int64_t> sizes;  // of dimensions
  for (const auto& [var, extent] : environment.extents) {
    const OfDimension* of = std::get_if<OfDimension>(&extent);
    if (of && known.count(var)) sizes.insert({{of->tensor, of->dimension}, known.at(var)});
  }
  for (const auto& [var, extent] : environment.extents) {
    if (const OfDimension* of = std::get_if<OfDimension>(&extent); of && sizes.count({of->tensor, of->dimension}))
      known.insert({var, sizes.at({of->tensor, of->dimension})});
  }
  bool all_known = true;
  relation::Facts facts;
  facts.extent = [&](const IndexVar& var) -> std::optional<std::int64_t> {
    auto found = known.find(var);
    all_known = all_known && found != known.end();
    return found == known.end() ? std::nullopt : std::optional(found->second);
  };
  for (const auto& [var, formula, is_room] : derived_extents(environment)) {
    if (is_room && known.count(var)) continue;
    all_known = true;
    std::optional<std::int64_t> extent = relation::evaluate(formula, facts);
    if (extent) known[var] = *extent;
    else if (all_known)
      throw UserError(fmt::format("'{}' would have more coordinates than a 64-bit integer counts: {}", var.name(),
                                  relation::to_string(formula)));
  }
  return known;
}

bool is_slot(const Environment& environment, const IndexVar& var) {
  auto extent = environment.extents.find(var);
  return extent != environment.extents.end() && std::holds_alternative<OfStorage>(extent->second);
}

const FlatLoop* flat_loop(const Environment& environment, const IndexVar& var) {
  const std::vector<FlatLoop>& all = environment.flat_loops;
  auto found = std::find_if(all.begin(), all.end(), [&](const FlatLoop& flat) { return flat.var == var; });
  return found == all.end() ? nullptr : &*found;
}

std::string to_string(const FlatLoop& flat) {
  std::string points = flat.positions ? fmt::format("positions of {}", flat.positions->tensor.name()) : "points";
  std::vector<std::string> loops;
  for (const IndexVar& var : flat.loops) loops.push_back(var.name());
  return fmt::format("{}: one loop for {}, over {}", flat.var.name(), join(loops, ", "), points);
}

namespace {

std::string text_of(const relation::Sum& from) {
  std::string sum;
  for (const auto& [var, factor] : from.terms) {
    bool minus = factor < 0;
    std::int64_t times = minus ? -factor : factor;
    sum += sum.empty() ? (minus ? "-" : "") : minus ? " - " : " + ";
    sum += times == 1 ? var.name() : fmt::format("{}*{}", times, var.name());
  }
  if (sum.empty()) return std::to_string(from.offset);
  return from.offset == 0 ? sum : sum + fmt::format(" {} {}", from.offset < 0 ? "-" : "+", std::abs(from.offset));
}

}  // namespace

std::string to_string(const Derivation& derivation) {
  std::string from = match_variant(
      derivation.from, [](const relation::Sum& sum) { return text_of(sum); },
      [](const relation::DigitsOf<IndexVar>& digits) {
        std::string divided = digits.divisor == 1 ? "" : fmt::format("/{}", digits.divisor);
        return digits.whole.name() + divided + (digits.modulus == 0 ? "" : fmt::format("%{}", digits.modulus));
      },
      [](const relation::Entry& entry) { return fmt::format("entry {} of a list", text_of(entry.number)); },
      [](const AtPoint& at) { return "where the point " + at.point.name() + " is"; });
  return derivation.var.name() + " = " + from;
}

bool holds(const ExtentBound& bound, std::int64_t extent) {
  switch (bound.kind) {
    case ExtentBound::Kind::Exact: return extent == bound.amount;
    case ExtentBound::Kind::Min: return extent >= bound.amount;
    case ExtentBound::Kind::Max: return extent <= bound.amount;
    case ExtentBound::Kind::Divisible: return extent % bound.amount == 0;
  }
  return false;
}

std::string to_string(const ExtentBound& bound) {
  const char* relation = bound.kind == ExtentBound::Kind::Exact ? "exactly"
                         : bound.kind == ExtentBound::Kind::Min ? "at least"
                         : bound.kind == ExtentBound::Kind::Max ? "at most"
                                                                : "a multiple of";
  return fmt::format("'{}' has {} {}", bound.var.name(), relation, counted(bound.amount, "coordinate"));
}

std::optional<std::int64_t> exact_extent(const Environment& environment, const IndexVar& var) {
  for (const ExtentBound& bound : environment.bounds) {
    if (bound.var == var && bound.kind == ExtentBound::Kind::Exact) return bound.amount;
  }
  return std::nullopt;
}

std::int64_t known_divisor(const Environment& environment, const IndexVar& var) {
  if (std::optional<std::int64_t> extent = exact_extent(environment, var)) return *extent;
  for (const ExtentBound& bound : environment.bounds) {
    if (bound.var == var && bound.kind == ExtentBound::Kind::Divisible) return bound.amount;
  }
  return 1;
}

bool divides_points(const PieceLoop& cut) {
  if (!cut.positions) return true;
  std::vector<IndexVar> vars = level_vars(*cut.positions);
  size_t last = static_cast<size_t>(std::find(vars.begin(), vars.end(), cut.loops.back()) - vars.begin());
  return cut.positions->tensor.format().levels()[last].format->properties().unique;
}

std::string to_string(const PieceLoop& cut) {
  std::vector<std::string> loops;
  for (const IndexVar& var : cut.loops) loops.push_back(var.name());
  std::string points = cut.positions           ? fmt::format("positions of {}", cut.positions->tensor.name())
                       : cut.loops.size() == 1 ? "coordinates"
                                               : "points";
  if (cut.counts_parents) points = "nodes and " + points;
  std::string of = fmt::format("{}: ", cut.var.name());
  std::string whole = join(loops, ", ");
  if (cut.given == PieceLoop::Given::Inside)
    return of +
           fmt::format("numbers inside of the smallest pieces of {}, by {}; the loop over {} is over the pieces {}",
                       whole, points, whole, cut.over->name());
  std::string apart = cut.by_number ? ", in any order" : "";
  if (cut.given == PieceLoop::Given::Threads)
    return of + fmt::format("a piece of {} for each thread, by {}{}", whole, points, apart);
  if (cut.given == PieceLoop::Given::Size)
    return of + fmt::format("pieces of {}, {} {} each{}", whole, cut.amount, points, apart);
  return of + fmt::format("{} pieces of {}, by {}{}", cut.amount, whole, points, apart);
}

}  // namespace filigree::concrete
