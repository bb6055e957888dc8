#include "concrete/level_space.h"

#include <algorithm>

#include "concrete/loop_order.h"
#include "tensor/compose.h"

namespace filigree::concrete {

size_t tame_levels(const Format& format) {
  const std::vector<Level>& levels = format.levels();
  for (size_t k = 0; k < levels.size(); k++) {
    level::Properties properties = levels[k].format->properties();
    // A coordinate that repeats, with a single child each time, is one coordinate with several children.
    bool grouped = k + 1 < levels.size() && levels[k + 1].format->properties().branchless &&
                   levels[k].format->position_iteration();
    if (properties.ordered != level::Ordered::Increasing || properties.padded || !(properties.unique || grouped))
      return k;
  }
  return levels.size();
}

bool is_tame(const Format& format) { return format.is_plain() && tame_levels(format) == format.levels().size(); }

bool repeats_coordinates(const Format& format) {
  return std::any_of(format.levels().begin(), format.levels().end(),
                     [](const Level& level) { return !level.format->properties().unique; });
}

bool repeats_an_index(const Access& access) {
  std::vector<IndexVar> vars = access.indices;
  std::sort(vars.begin(), vars.end());
  return std::adjacent_find(vars.begin(), vars.end()) != vars.end();
}

bool has_duplicates(const Format& format) {
  // A mirror image and padding above the diagonal, unless the format has no room there.
  auto keeps_below = [](const Level& level) {
    return level.format->stands_under_rows() || (level.coordinate.as<relation::Difference>() && !level.format->pads());
  };
  if (format.symmetry() != Symmetry::None && format.pads() &&
      std::none_of(format.levels().begin(), format.levels().end(), keeps_below))
    return true;
  const std::vector<Level>& levels = format.levels();
  for (size_t k = 0; k < levels.size(); k++) {
    // With a single child each, repeated coordinates still lead to different components.
    bool single_child = k + 1 < levels.size() && levels[k + 1].format->properties().branchless;
    if (!levels[k].format->properties().unique && !single_child) return true;
  }
  return false;
}

const TensorVar& LevelSpace::view(const TensorVar& tensor) {
  if (tensor.format().is_plain()) return tensor;
  auto known = views_.find(tensor);
  if (known != views_.end()) return known->second;
  TensorVar view(tensor.name(), tensor.type(), tensor.format().level_space(), tensor.fill());
  return views_.insert({tensor, view}).first->second;
}

std::optional<Access> LevelSpace::composed(const Access& access, const std::vector<IndexVar>& order) {
  if (access.tensor.format().is_plain() || repeats_an_index(access)) return std::nullopt;
  if (!views_.count(access.tensor)) {
    std::optional<Format> format = compose(access.tensor.format(), dimensions_in_order(access, order));
    if (!format) return std::nullopt;
    views_.insert(
        {access.tensor, TensorVar(access.tensor.name(), access.tensor.type(), *format, access.tensor.fill())});
    composed_.insert(access.tensor);
  }
  Access seen{views_.at(access.tensor), access.indices};
  return is_composed(access.tensor) && follows(seen, order) ? std::optional(seen) : std::nullopt;
}

Access LevelSpace::view(const Access& access) {
  if (access.tensor.format().is_plain()) return access;
  if (is_composed(access.tensor)) return {view(access.tensor), access.indices};
  std::vector<IndexVar> vars;
  for (int k = 0; k < access.tensor.format().level_count(); k++) vars.push_back(level_var(access, k));
  relate(access, vars);
  return {view(access.tensor), vars};
}

std::vector<IndexVar> LevelSpace::walk(const Access& access) {
  Access seen = view(access);
  std::vector<IndexVar> vars = level_vars(seen), loops;
  const std::vector<Level>& levels = seen.tensor.format().levels();
  for (size_t k = 0; k < vars.size(); k++) {
    if (!levels[k].format->is_implied()) loops.push_back(vars[k]);
  }
  return loops;
}

IndexVar LevelSpace::level_var(const Access& access, int level) {
  const relation::Coordinate& coordinate = access.tensor.format().levels()[level].coordinate;
  if (std::optional<int> dimension = coordinate.plain()) return access.indices[*dimension];
  if (const relation::Digits* digits = coordinate.as<relation::Digits>())
    return make_digits(access.indices[digits->whole], *digits);
  if (const relation::Difference* d = coordinate.as<relation::Difference>())
    return make_difference(access.indices[d->plus], access.indices[d->minus]);
  auto key = std::make_tuple(access.tensor, access.indices, level);
  auto known = counters_.find(key);
  if (known != counters_.end()) return known->second;
  IndexVar slot(names_.make("s"));
  environment_.extents.insert(
      {slot, OfStorage{view(access.tensor), level, access.indices[coordinate.as<relation::Counter>()->within]}});
  return counters_.insert({key, slot}).first->second;
}

IndexVar LevelSpace::make_digits(const IndexVar& var, const relation::Digits& digits) {
  auto key = std::make_tuple(var, digits.divisor, digits.modulus);
  auto known = digits_.find(key);
  if (known != digits_.end()) return known->second;
  const char* suffix = digits.modulus == 0 ? "b" : digits.divisor == 1 ? "i" : "m";  // block, inside, in the middle
  IndexVar part(names_.make(var.name() + suffix));
  environment_.extents.insert(
      {part, relation::digits_range(relation::Formula::extent(var), digits.divisor, digits.modulus)});
  add({part, relation::DigitsOf<IndexVar>{var, digits.divisor, digits.modulus}});
  return digits_.insert({key, part}).first->second;
}

IndexVar LevelSpace::make_difference(const IndexVar& plus, const IndexVar& minus) {
  auto known = differences_.find({plus, minus});
  if (known != differences_.end()) return known->second;
  IndexVar difference(names_.make("d"));
  environment_.extents.insert(
      {difference, relation::difference_range(relation::Formula::extent(plus), relation::Formula::extent(minus))});
  add({difference, relation::DifferenceOf<IndexVar>{plus, minus}.sum()});
  return differences_.insert({{plus, minus}, difference}).first->second;
}

/// The way back, from levels to the indices of the access.
void LevelSpace::relate(const Access& access, const std::vector<IndexVar>& levels) {
  using From = relation::Recovered::Term::From;
  for (const relation::Recovered& r : relation::recover(access.tensor.format().coordinates(), access.tensor.order())) {
    const IndexVar& var = access.indices[r.dimension];
    relation::Sum sum;
    for (const relation::Recovered::Term& term : r.terms)
      sum.terms.push_back({term.from == From::Level ? levels[term.number] : access.indices[term.number], term.factor});
    bool is_itself = sum.terms.size() == 1 && sum.terms[0].var == var;
    if (!is_itself) add({var, sum, !r.exact});
  }
}

void LevelSpace::add(Derivation derivation) {
  std::vector<Derivation>& known = environment_.derivations;
  if (std::find(known.begin(), known.end(), derivation) == known.end()) known.push_back(std::move(derivation));
}

}  // namespace filigree::concrete
