#include "concrete/slices.h"

#include <algorithm>

#include "notation/index_forms.h"
#include "tensor/slice_level.h"

namespace filigree::concrete {
namespace {

bool is_padded(const Access& access) {
  return std::any_of(access.indices.begin(), access.indices.end(),
                     [](const IndexVar& index) { return index.map() && index.map()->padded; });
}

/// index - map, or its negative: 0 where the index is the map's value.
relation::Sum difference(const IndexVar& index, const IndexMap& map, int sign) {
  relation::Sum sum{{{index, sign}}, -sign * map.offset};
  for (const IndexMap::Term& term : map.terms) sum.terms.push_back({term.var, -sign * term.factor});
  return sum;
}

/// var = map
Derivation value_of(const IndexVar& var, const IndexMap& map) {
  if (map.list.empty()) return {var, map.sum()};
  return {var, relation::Entry{map.sum(), map.list}};
}

/// The number that each coordinate has in the list; its length for those that are not there.  Nothing if one has
/// several numbers, or if they are so far apart that trying the list's entries takes less.
std::optional<std::vector<std::int64_t>> numbers_in(const std::vector<std::int64_t>& list,
                                                    std::int64_t most_per_entry) {
  std::int64_t length = static_cast<std::int64_t>(list.size()), end = *std::max_element(list.begin(), list.end()) + 1;
  if (end > most_per_entry * length) return std::nullopt;
  std::vector<std::int64_t> numbers(static_cast<size_t>(end), length);
  for (std::int64_t n = 0; n < length; n++) {
    std::int64_t& number = numbers[static_cast<size_t>(list[static_cast<size_t>(n)])];
    if (number != length) return std::nullopt;
    number = n;
  }
  return numbers;
}

/// Is the level looked up, with an index that is computed?
bool is_looked_up(const Level& level, const IndexVar& index) {
  return !index.map() || (!index.map()->padded && level::is_always_found(*level.format));
}

}  // namespace

bool has_window(const Access& access) {
  const Format& format = access.tensor.format();
  if (!is_tame(format) || format.symmetry() != Symmetry::None || !in_index_variables(access)) return false;
  return std::all_of(format.levels().begin(), format.levels().end(), [&](const Level& level) {
    const IndexVar& index = access.indices[level.dimension()];
    if (is_looked_up(level, index)) return true;
    const IndexMap& map = *index.map();
    return can_be_sliced(*level.format) && map.list.empty() && map.terms[0].factor == 1;
  });
}

Access Slices::window(const Access& access) {
  for (const auto& [shown, known] : windows_) {
    if (shown == access) return known;
  }
  std::vector<Level> levels = access.tensor.format().levels();
  std::vector<IndexVar> indices = access.indices;
  for (Level& level : levels) {
    IndexVar& index = indices[level.dimension()];
    if (!index.map()) continue;
    if (is_looked_up(level, index)) {
      add(value_of(index, *index.map()));
      continue;
    }
    level.format = sliced_level(level.format, index.map()->offset);
    index = index.map()->terms[0].var;
  }
  TensorVar window(names_.make(access.tensor.name() + "_window"), access.tensor.type(), Format(levels),
                   access.tensor.fill());
  environment_.windows.insert({window, access});
  windows_.push_back({access, Access{window, indices}});
  return windows_.back().second;
}

bool is_read_in_place(const Access& access) {
  const Format& format = access.tensor.format();
  if (!format.is_plain()) return false;
  if (is_padded(access)) return format.is_dense();  // elsewhere, outside is absent
  std::vector<IndexVar> needed_above;               // by indices of levels that are looked up
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

void Slices::imply_variables(const Access& access) {
  for (const IndexVar& var : free_of(access.indices)) {
    if (contains(access.indices, var)) continue;
    std::vector<IndexVar>
        with;  // indices with the variable: one tells it by itself if no other has one of its variables
    for (const IndexVar& index : access.indices) {
      if (contains(free_of({index}), var)) with.push_back(index);
    }
    bool is_apart =
        with.size() == 1 && std::none_of(access.indices.begin(), access.indices.end(), [&](const IndexVar& index) {
          std::vector<IndexVar> mine = free_of(with), others = free_of({index});
          return !(index == with[0]) && std::any_of(others.begin(), others.end(),
                                                    [&](const IndexVar& other) { return contains(mine, other); });
        });
    environment_.implications.push_back({var, is_apart ? with : access.indices});
  }
}

void Slices::imply_selected(const Access& access) {
  std::vector<IndexVar> others = free_of({access.indices.begin(), access.indices.end() - 1});
  environment_.implications.push_back({access.indices.back(), others, access.tensor});
}

Slices::Walk Slices::walk(const Access& access) {
  Walk out{access, {}};
  std::vector<IndexVar> known;
  std::vector<size_t> left;  // dimensions whose index has not been used to tell a variable
  for (size_t d = 0; d < access.indices.size(); d++) {
    if (access.indices[d].map()) {
      out.stored.indices[d] = IndexVar(names_.make("at"));
      environment_.extents.insert({out.stored.indices[d], like(access.indices[d])});
      environment_.implications.push_back(
          {out.stored.indices[d], value_of(out.stored.indices[d], *access.indices[d].map()).sources()});
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
    auto fewest = std::min_element(left.begin(), left.end(),
                                   [&](size_t a, size_t b) { return unknown(a).size() < unknown(b).size(); });
    const IndexMap& map = *access.indices[*fewest].map();
    const IndexVar& coordinate = out.stored.indices[*fewest];
    std::vector<IndexVar> vars = unknown(*fewest);
    // A list says which coordinate a number has; the other way round it is looked up or tried.
    std::optional<std::vector<std::int64_t>> numbers;
    if (vars.size() == 1 && !map.list.empty()) numbers = numbers_in(map.list, policy_->places_per_listed());
    bool tries = vars.size() > 1 || (vars.size() == 1 && !map.list.empty() && !numbers);
    if (tries) {
      out.loops.push_back(vars.back());
      known.push_back(vars.back());
      continue;
    }
    if (vars.empty()) require(coordinate, map);
    else if (!map.list.empty()) look_up(coordinate, *numbers, vars[0]);
    else solve(coordinate, map, vars[0]);
    known.insert(known.end(), vars.begin(), vars.end());
    left.erase(fewest);
  }
  return out;
}

/// unknown = (coordinate - the rest of the map) / factor, if that is a whole number within its extent.
void Slices::solve(const IndexVar& coordinate, const IndexMap& map, const IndexVar& unknown) {
  IndexMap rest = map;
  auto term =
      std::find_if(rest.terms.begin(), rest.terms.end(), [&](const IndexMap::Term& t) { return t.var == unknown; });
  std::int64_t factor = term->factor;
  rest.terms.erase(term);
  int sign = factor < 0 ? -1 : 1;
  std::int64_t stride = sign * factor;
  if (stride == 1) return add({unknown, difference(coordinate, rest, sign), true});
  IndexVar multiple(names_.make(unknown.name() + "_times" + std::to_string(stride)));
  environment_.extents.insert(
      {multiple, relation::from_zero(relation::Formula::extent(unknown) * relation::Formula::number(stride))});
  add({multiple, difference(coordinate, rest, sign), true});
  add({zero(), relation::DigitsOf<IndexVar>{multiple, 1, stride}, true});
  add({unknown, relation::DigitsOf<IndexVar>{multiple, stride}});
}

/// A variable that can only be 0.
IndexVar Slices::zero() {
  IndexVar off(names_.make("off"));
  environment_.extents.insert({off, relation::from_zero(1)});
  return off;
}

/// unknown = the coordinate's number, if it has one.
void Slices::look_up(const IndexVar& coordinate, const std::vector<std::int64_t>& numbers, const IndexVar& unknown) {
  IndexVar inside(names_.make("inside"));
  environment_.extents.insert({inside, relation::from_zero(static_cast<std::int64_t>(numbers.size()))});
  add({inside, relation::Sum{{{coordinate, 1}}}, true});
  add({unknown, relation::Entry{{{{inside, 1}}}, numbers}, true});
}

/// Nothing to do unless the coordinate is the map's value.
void Slices::require(const IndexVar& coordinate, const IndexMap& map) {
  IndexMap wanted = map;
  if (!map.list.empty()) {
    IndexVar entry(names_.make("entry"));
    environment_.extents.insert({entry, relation::from_zero(*std::max_element(map.list.begin(), map.list.end()) + 1)});
    add(value_of(entry, map));
    wanted = IndexMap{{{entry, 1}}};
  }
  add({zero(), difference(coordinate, wanted, 1), true});
}

void Slices::add(Derivation derivation) {
  std::vector<Derivation>& known = environment_.derivations;
  if (std::find(known.begin(), known.end(), derivation) == known.end()) known.push_back(std::move(derivation));
}

}  // namespace filigree::concrete
