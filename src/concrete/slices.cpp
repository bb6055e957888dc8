#include "concrete/slices.h"

#include <algorithm>

#include "notation/index_forms.h"

namespace filigree::concrete {
namespace {

bool is_padded(const Access& access) {
  return std::any_of(access.indices.begin(), access.indices.end(), [](const IndexVar& index) { return index.map() && index.map()->padded; });
}

/// index - map, or its negative: 0 where the index is the map's value.
Relation difference(const IndexVar& var, const IndexVar& index, const IndexMap& map, int sign) {
  Relation relation{var, {{index, sign}}};
  for (const IndexMap::Term& term : map.terms) relation.terms.push_back({term.var, -sign * term.factor});
  relation.offset = -sign * map.offset;
  return relation;
}

/// var = map
Relation value_of(const IndexVar& var, const IndexMap& map) {
  Relation relation{var, {}};
  for (const IndexMap::Term& term : map.terms) relation.terms.push_back({term.var, term.factor});
  relation.offset = map.offset;
  relation.list = map.list;
  return relation;
}

}  // namespace

bool is_read_in_place(const Access& access) {
  const Format& format = access.tensor.format();
  if (!format.is_plain()) return false;
  if (is_padded(access)) return format.is_dense();  // elsewhere, outside is absent
  std::vector<IndexVar> needed_above;  // by indices of levels that are looked up
  return std::all_of(format.levels().begin(), format.levels().end(), [&](const Level& level) {
    const IndexVar& index = access.indices[level.dimension()];
    bool always_found = level::is_always_found(*level.format);
    // What a loop over this level tells comes too late for a level above it.
    if (!index.map()) return always_found || !contains(needed_above, index);
    for (const IndexVar& var : free_of({index})) needed_above.push_back(var);
    return always_found;
  });
}

std::optional<Access> in_index_variables(const Access& access) {
  Access out = access;
  for (IndexVar& index : out.indices) {
    if (!index.map()) continue;
    if (index.map()->terms.size() != 1) return std::nullopt;
    index = index.map()->terms[0].var;
  }
  bool repeats = free_of(out.indices).size() < out.indices.size();
  return repeats ? std::nullopt : std::optional(out);
}

void Slices::relate(const Access& access) {
  for (const IndexVar& index : access.indices) {
    if (index.map()) add(value_of(index, *index.map()));
  }
}

Slices::Walk Slices::walk(const Access& access) {
  Walk out{access, {}};
  std::vector<IndexVar> known;
  std::vector<size_t> left;  // dimensions whose index has not been used to tell a variable
  for (size_t d = 0; d < access.indices.size(); d++) {
    if (access.indices[d].map()) {
      out.stored.indices[d] = IndexVar(names_.make("at"));
      environment_.extents.insert({out.stored.indices[d], OfMultiples{access.indices[d], 1}});
      environment_.implications.push_back(value_of(out.stored.indices[d], *access.indices[d].map()));
      left.push_back(d);
    } else {
      known.push_back(access.indices[d]);
    }
  }
  while (!left.empty()) {
    auto unknown = [&](size_t d) {
      std::vector<IndexVar> vars;
      for (const IndexMap::Term& term : access.indices[d].map()->terms) {
        if (!contains(known, term.var)) vars.push_back(term.var);
      }
      return vars;
    };
    auto fewest = std::min_element(left.begin(), left.end(), [&](size_t a, size_t b) { return unknown(a).size() < unknown(b).size(); });
    const IndexMap& map = *access.indices[*fewest].map();
    const IndexVar& coordinate = out.stored.indices[*fewest];
    std::vector<IndexVar> vars = unknown(*fewest);
    // A list says which coordinate a number has; the other way round it is tried.
    bool tries = vars.size() > 1 || (vars.size() == 1 && !map.list.empty());
    if (tries) {
      out.loops.push_back(vars.back());
      known.push_back(vars.back());
      continue;
    }
    if (vars.empty()) require(coordinate, map);
    else solve(coordinate, map, vars[0]), known.push_back(vars[0]);
    left.erase(fewest);
  }
  return out;
}

/// unknown = (coordinate - the rest of the map) / factor, if that is a whole number within its extent.
void Slices::solve(const IndexVar& coordinate, const IndexMap& map, const IndexVar& unknown) {
  IndexMap rest = map;
  auto term = std::find_if(rest.terms.begin(), rest.terms.end(), [&](const IndexMap::Term& t) { return t.var == unknown; });
  std::int64_t factor = term->factor;
  rest.terms.erase(term);
  int sign = factor < 0 ? -1 : 1;
  std::int64_t stride = sign * factor;
  if (stride == 1) {
    Relation relation = difference(unknown, coordinate, rest, sign);
    relation.guarded = true;
    return add(relation);
  }
  IndexVar multiple(names_.make(unknown.name() + "_times" + std::to_string(stride)));
  Relation relation = difference(multiple, coordinate, rest, sign);
  relation.guarded = true;
  environment_.extents.insert({multiple, OfMultiples{unknown, stride}});
  add(relation);
  IndexVar off(names_.make("off"));
  environment_.extents.insert({off, OfConstant{1}});
  Relation left{off, {{multiple, 1}}};
  left.modulus = stride;
  left.guarded = true;
  add(left);
  Relation quotient{unknown, {{multiple, 1}}};
  quotient.divisor = stride;
  add(quotient);
}

/// Nothing to do unless the coordinate is the map's value.
void Slices::require(const IndexVar& coordinate, const IndexMap& map) {
  IndexMap wanted = map;
  if (!map.list.empty()) {
    IndexVar entry(names_.make("entry"));
    environment_.extents.insert({entry, OfConstant{*std::max_element(map.list.begin(), map.list.end()) + 1}});
    add(value_of(entry, map));
    wanted = IndexMap{{{entry, 1}}};
  }
  IndexVar off(names_.make("off"));
  environment_.extents.insert({off, OfConstant{1}});
  Relation relation = difference(off, coordinate, wanted, 1);
  relation.guarded = true;
  add(relation);
}

void Slices::add(Relation relation) {
  std::vector<Relation>& known = environment_.relations;
  if (std::find(known.begin(), known.end(), relation) == known.end()) known.push_back(std::move(relation));
}

}  // namespace filigree::concrete
