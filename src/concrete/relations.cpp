#include "concrete/relations.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "support/text.h"

namespace filigree::concrete {
namespace {

bool has_sources(const Relation& relation, const std::vector<IndexVar>& bound) {
  return std::all_of(relation.terms.begin(), relation.terms.end(),
                     [&](const Relation::Term& term) { return contains(bound, term.source); });
}

/// All relations that can be computed one after the other from `bound`, except those for `excluded`.
std::vector<Relation> computable(const std::vector<Relation>& relations, std::vector<IndexVar> bound,
                                 const std::set<IndexVar>& excluded) {
  std::vector<Relation> out;
  for (bool more = true; more;) {
    more = false;
    for (const Relation& relation : relations) {
      if (contains(bound, relation.var) || excluded.count(relation.var) || !has_sources(relation, bound)) continue;
      out.push_back(relation);
      bound.push_back(relation.var);
      more = true;
    }
  }
  return out;
}

}  // namespace

std::vector<Relation> derived(const Environment& environment, const std::vector<IndexVar>& bound, const Stmt& stmt) {
  if (environment.relations.empty()) return {};
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
  std::vector<Relation> all = computable(environment.relations, bound, looped), kept;
  // What is needed becomes known from the last relation back to the first.
  for (auto relation = all.rbegin(); relation != all.rend(); ++relation) {
    if (!(relation->guarded && guards) && !used.count(relation->var)) continue;
    kept.insert(kept.begin(), *relation);
    for (const Relation::Term& term : relation->terms) used.insert(term.source);
  }
  return kept;
}

std::vector<IndexVar> with_computed(const Environment& environment, std::vector<IndexVar> bound) {
  for (const Relation& relation : computable(environment.relations, bound, {})) bound.push_back(relation.var);
  return bound;
}

namespace {

template <class Holds>
std::vector<IndexVar> with_implied(const Environment& environment, std::vector<IndexVar> bound, const Holds& holds) {
  std::vector<Relation> all = environment.relations;
  std::copy_if(environment.implications.begin(), environment.implications.end(), std::back_inserter(all), holds);
  for (const Relation& relation : computable(all, bound, {})) bound.push_back(relation.var);
  return bound;
}

}  // namespace

std::vector<IndexVar> with_derived(const Environment& environment, std::vector<IndexVar> bound) {
  return with_implied(environment, std::move(bound), [](const Relation&) { return true; });
}

std::vector<IndexVar> with_derived(const Environment& environment, std::vector<IndexVar> bound, const Assign& at) {
  std::vector<Access> read = notation::accesses(at.rhs);
  return with_implied(environment, std::move(bound), [&](const Relation& relation) {
    return !relation.held_by || std::any_of(read.begin(), read.end(), [&](const Access& access) {
      return access.tensor.name() == relation.held_by->name();
    });
  });
}

bool is_slot(const Environment& environment, const IndexVar& var) {
  auto extent = environment.extents.find(var);
  return extent != environment.extents.end() && std::holds_alternative<OfStorage>(extent->second);
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
    if (const OfConstant* constant = std::get_if<OfConstant>(&extent)) known[var] = constant->extent;
    if (const OfBlocks* blocks = std::get_if<OfBlocks>(&extent))
      known[var] = (known.at(blocks->var) + blocks->divisor - 1) / blocks->divisor;
    if (const OfMultiples* multiples = std::get_if<OfMultiples>(&extent))
      known[var] = multiples->factor * known.at(multiples->var);
    if (const OfDifference* d = std::get_if<OfDifference>(&extent))
      known[var] = std::max<std::int64_t>(known.at(d->plus) + known.at(d->minus) - 1, 0);
  }
  return known;
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

std::string to_string(const Relation& relation) {
  std::string sum;
  for (const Relation::Term& term : relation.terms) {
    bool minus = term.factor < 0;
    std::int64_t factor = minus ? -term.factor : term.factor;
    sum += sum.empty() ? (minus ? "-" : "") : minus ? " - " : " + ";
    sum += factor == 1 ? term.source.name() : fmt::format("{}*{}", factor, term.source.name());
  }
  if (relation.offset != 0 || sum.empty())
    sum += sum.empty() ? std::to_string(relation.offset)
                       : fmt::format(" {} {}", relation.offset < 0 ? "-" : "+", std::abs(relation.offset));
  if (!relation.list.empty()) return fmt::format("{} = entry {} of a list", relation.var.name(), sum);
  if (relation.offset != 0 && (relation.divisor != 1 || relation.modulus != 0)) sum = "(" + sum + ")";
  if (relation.divisor != 1) sum += fmt::format("/{}", relation.divisor);
  if (relation.modulus != 0) sum += fmt::format("%{}", relation.modulus);
  return relation.var.name() + " = " + sum;
}

bool holds(const Bound& bound, std::int64_t extent) {
  switch (bound.kind) {
    case Bound::Kind::Exact: return extent == bound.amount;
    case Bound::Kind::Min: return extent >= bound.amount;
    case Bound::Kind::Max: return extent <= bound.amount;
    case Bound::Kind::Divisible: return extent % bound.amount == 0;
  }
  return false;
}

std::string to_string(const Bound& bound) {
  const char* relation = bound.kind == Bound::Kind::Exact ? "exactly"
                         : bound.kind == Bound::Kind::Min ? "at least"
                         : bound.kind == Bound::Kind::Max ? "at most"
                                                          : "a multiple of";
  return fmt::format("'{}' has {} {}", bound.var.name(), relation, counted(bound.amount, "coordinate"));
}

std::optional<std::int64_t> exact_extent(const Environment& environment, const IndexVar& var) {
  for (const Bound& bound : environment.bounds) {
    if (bound.var == var && bound.kind == Bound::Kind::Exact) return bound.amount;
  }
  return std::nullopt;
}

std::int64_t known_divisor(const Environment& environment, const IndexVar& var) {
  if (std::optional<std::int64_t> extent = exact_extent(environment, var)) return *extent;
  for (const Bound& bound : environment.bounds) {
    if (bound.var == var && bound.kind == Bound::Kind::Divisible) return bound.amount;
  }
  return 1;
}

bool divides_points(const Cut& cut) {
  if (!cut.positions) return true;
  std::vector<IndexVar> vars = level_vars(*cut.positions);
  size_t last = static_cast<size_t>(std::find(vars.begin(), vars.end(), cut.loops.back()) - vars.begin());
  return cut.positions->tensor.format().levels()[last].format->properties().unique;
}

std::string to_string(const Cut& cut) {
  std::vector<std::string> loops;
  for (const IndexVar& var : cut.loops) loops.push_back(var.name());
  std::string points = cut.positions           ? fmt::format("positions of {}", cut.positions->tensor.name())
                       : cut.loops.size() == 1 ? "coordinates"
                                               : "points";
  if (cut.counts_parents) points = "nodes and " + points;
  std::string of = fmt::format("{}: ", cut.var.name());
  std::string whole = join(loops, ", ");
  if (cut.given == Cut::Given::Inside)
    return of +
           fmt::format("numbers inside of the smallest pieces of {}, by {}; the loop over {} is over the pieces {}",
                       whole, points, whole, cut.over->name());
  std::string apart = cut.by_number ? ", in any order" : "";
  if (cut.given == Cut::Given::Threads)
    return of + fmt::format("a piece of {} for each thread, by {}{}", whole, points, apart);
  if (cut.given == Cut::Given::Size)
    return of + fmt::format("pieces of {}, {} {} each{}", whole, cut.amount, points, apart);
  return of + fmt::format("{} pieces of {}, by {}{}", cut.amount, whole, points, apart);
}

}  // namespace filigree::concrete
