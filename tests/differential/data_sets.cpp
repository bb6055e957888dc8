#include "tests/differential/data_sets.h"

#include <algorithm>
#include <set>

#include "notation/extents.h"
#include "tests/reference/evaluate.h"

namespace filigree::differential {
namespace {

/// How the entries of one operand are picked.
struct Recipe {
  std::string name;
  std::vector<std::int64_t> extents;  // of the index variables, in order of appearance; then repeated
  std::vector<double> densities;      // of the operands, in order of appearance; then repeated
  bool empties_rows = false;          // drops all entries of some coordinates of each dimension
  bool one_entry = false;
};

std::vector<Recipe> recipes() {
  return {
      {"random", {4, 3, 5, 3, 2}, {0.45}},
      {"empty rows", {5, 4, 3, 4, 2}, {0.6, 0.5, 0.7}, true},
      {"empty", {3, 4, 2, 3, 2}, {0}},
      {"first empty", {3, 3, 4, 2, 2}, {0, 0.7, 0.7, 0.7}},
      {"second empty", {3, 3, 4, 2, 2}, {0.7, 0, 0.7, 0.7}},
      {"one entry", {4, 3, 2, 3, 2}, {0}, false, true},
      {"full", {3, 4, 2, 3, 2}, {1}},
      {"full and sparse", {4, 4, 3, 2, 3}, {1, 0.3}},
      {"dimension 1", {1, 1, 1, 1, 1}, {1, 0.5}},
      {"some dimensions 1", {1, 4}, {0.6}},
      {"last dimension 0", {3, 2, 0, 2, 0}, {1}},
      {"first dimension 0", {0, 3, 2, 3, 2}, {1}},
      {"second dimension 0", {3, 0, 2, 3, 2}, {1}},
      {"all dimensions 0", {0}, {1}},
  };
}

std::vector<Recipe> square_recipes() {
  return {
      {"square", {5}, {0.4}},
      {"square, empty rows", {6}, {0.5, 0.4}, true},
      {"square, empty", {3}, {0}},
      {"square, one entry", {4}, {0}, false, true},
      {"square, full and sparse", {4}, {1, 0.3}},
      {"square, first empty", {4}, {0, 0.7}},
  };
}

Coordinates make_entries(const std::vector<std::int64_t>& dimensions, const Recipe& recipe, double density,
                         std::mt19937& random) {
  auto chance = [&](double p) { return static_cast<double>(random() % 1000) < 1000 * p; };
  std::vector<std::vector<bool>> dropped;
  for (std::int64_t extent : dimensions) {
    dropped.emplace_back();
    for (std::int64_t c = 0; c < extent; c++) dropped.back().push_back(recipe.empties_rows && chance(0.35));
  }
  std::vector<std::vector<std::int64_t>> picked;
  std::vector<std::vector<std::int64_t>> all;
  reference::for_each_coordinate(dimensions, [&](const std::vector<std::int64_t>& at) {
    all.push_back(at);
    bool drop = false;
    for (size_t d = 0; d < at.size(); d++) drop = drop || dropped[d][at[d]];
    if (!drop && chance(density)) picked.push_back(at);
  });
  if (recipe.one_entry && !all.empty()) picked = {all[random() % all.size()]};
  Coordinates entries{dimensions, std::vector<std::vector<std::int64_t>>(dimensions.size()),
                      Array(ElementType::Float64, static_cast<std::int64_t>(picked.size()))};
  for (size_t n = 0; n < picked.size(); n++) {
    for (size_t d = 0; d < dimensions.size(); d++) entries.coordinate[d].push_back(picked[n][d]);
    entries.values.set(static_cast<std::int64_t>(n), Scalar::of(ElementType::Float64, random_value(random)));
  }
  return entries;
}

}  // namespace

std::int64_t random_value(std::mt19937& random) {
  static const std::int64_t values[] = {1, 2, 3, 4, -1, -2, -3, 1, 2, 3, 5, -1, 2, 1, 3, 0};
  return values[random() % 16];
}

namespace {

using Sizes = std::map<std::string, std::int64_t>;

std::vector<DataSet> make_data_sets(const notation::Parsed& parsed, const std::vector<Recipe>& recipes, unsigned seed,
                                    const Sizes& sizes = {}) {
  std::map<std::string, TensorVar> tensors;
  for (const notation::TensorUse& use : parsed.tensors)
    tensors.emplace(use.name, TensorVar(use.name, ElementType::Float64, Format::dense(use.order)));
  notation::Statement statement = notation::resolve(parsed, tensors);
  std::vector<IndexVar> vars = notation::index_vars(statement);
  std::set<IndexVar> windows;  // variables whose extent the text says
  std::vector<notation::Access> all = notation::accesses(statement.rhs);
  all.push_back(statement.lhs);
  for (const notation::Access& access : all) {
    for (const IndexVar& var : access.indices) {
      if (var.map() && var.map()->extent) windows.insert(var.map()->terms[0].var);
    }
  }
  std::vector<DataSet> sets;
  std::mt19937 random(seed);
  for (const Recipe& recipe : recipes) {
    std::map<IndexVar, std::int64_t> extents;
    for (size_t v = 0; v < vars.size(); v++) {
      if (!windows.count(vars[v])) extents[vars[v]] = recipe.extents[v % recipe.extents.size()];
      if (auto size = sizes.find(vars[v].name()); size != sizes.end()) extents[vars[v]] = size->second;
    }
    // C(i,j) and C(j,i): i and j have one extent.
    for (size_t n = 1; n < all.size(); n++) {
      auto same = std::find_if(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(n),
                               [&](const auto& other) { return other.tensor == all[n].tensor; });
      for (size_t d = 0; same->tensor == all[n].tensor && d < all[n].indices.size(); d++) {
        if (extents.count(all[n].indices[d]) && extents.count(same->indices[d]))
          extents[all[n].indices[d]] = extents[same->indices[d]];
      }
    }
    extents = notation::infer_extents(statement, {}, extents);
    DataSet set{recipe.name, {}};
    for (const notation::Access& access : notation::accesses(statement.rhs)) {
      std::vector<std::int64_t> dimensions;
      for (const IndexVar& var : access.indices) {
        // Padded indices should reach outside, others have a coordinate to spare now and then.
        bool plain = !var.map() || (var.map()->offset == 0 && var.map()->list.empty() && !var.map()->extent &&
                                    var.map()->terms.size() == 1 && var.map()->terms[0].factor == 1);
        std::int64_t spare = plain ? 0 : var.map()->padded ? -1 : static_cast<std::int64_t>(random() % 2);
        dimensions.push_back(std::max<std::int64_t>(extents[var] + spare, 0));
      }
      // B(k,i)*B(k,j): both uses give the shape, so i and j have one extent.
      if (set.operands.count(access.tensor.name())) continue;
      double density = recipe.densities[set.operands.size() % recipe.densities.size()];
      set.operands.emplace(access.tensor.name(), make_entries(dimensions, recipe, density, random));
    }
    sets.push_back(std::move(set));
  }
  return sets;
}

using Entry = std::pair<std::vector<std::int64_t>, double>;

bool has_level(const Format& format, const std::string& name) {
  return std::any_of(format.levels().begin(), format.levels().end(),
                     [&](const Level& level) { return level.format->name() == name; });
}

void split_some(std::vector<Entry>& entries) {
  for (size_t n = 0, count = entries.size(); n < count; n += 2) {
    entries.push_back({entries[n].first, 1});
    entries[n].second -= 1;
  }
}

}  // namespace

std::vector<DataSet> data_sets(const notation::Parsed& parsed, unsigned seed, const Sizes& sizes) {
  return make_data_sets(parsed, recipes(), seed, sizes);
}

std::vector<DataSet> square_data_sets(const notation::Parsed& parsed, unsigned seed) {
  std::vector<DataSet> sets = data_sets(parsed, seed), square = make_data_sets(parsed, square_recipes(), seed + 1);
  sets.insert(sets.end(), square.begin(), square.end());
  return sets;
}

bool has_one_child(const Format& format) {
  return !format.levels().empty() && format.levels().back().format->properties().padded &&
         format.levels().back().format->properties().branchless &&
         std::none_of(format.levels().begin(), format.levels().end(),
                      [](const Level& level) { return level.format->counts_entries(); });
}

std::optional<Coordinates> suited(const Coordinates& given, const Format& format, unsigned seed) {
  Symmetry symmetry = format.symmetry();
  if (symmetry != Symmetry::None && given.dimensions[0] != given.dimensions[1]) return std::nullopt;
  std::vector<Entry> entries;
  std::set<std::vector<std::int64_t>> parents;
  for (std::int64_t n = 0; n < given.count(); n++) {
    std::vector<std::int64_t> at;
    for (const auto& coordinate : given.coordinate) at.push_back(coordinate[n]);
    if (has_one_child(format) && !parents.insert({at.begin(), at.end() - 1}).second) continue;
    if (has_level(format, "lower") && at[1] > at[0]) continue;
    if (has_level(format, "upper") && at[1] < at[0]) continue;
    if (symmetry != Symmetry::None && at[1] > at[0]) continue;
    if (symmetry == Symmetry::Skew && at[1] == at[0]) continue;
    double value = given.values.get(n).as_double();
    entries.push_back({at, value});
    if (symmetry != Symmetry::None && at[0] != at[1])
      entries.push_back({{at[1], at[0]}, symmetry == Symmetry::Skew ? -value : value});
  }
  bool unordered = false, repeats = !format.levels().empty() && !format.levels().back().format->properties().unique;
  for (const Level& level : format.levels())
    unordered = unordered || level.format->properties().ordered == level::Ordered::No;
  if (repeats) split_some(entries);
  if (unordered) std::shuffle(entries.begin(), entries.end(), std::mt19937(seed));
  Coordinates out{given.dimensions, std::vector<std::vector<std::int64_t>>(given.dimensions.size()),
                  Array(ElementType::Float64, static_cast<std::int64_t>(entries.size()))};
  for (size_t n = 0; n < entries.size(); n++) {
    for (size_t d = 0; d < out.coordinate.size(); d++) out.coordinate[d].push_back(entries[n].first[d]);
    out.values.set(static_cast<std::int64_t>(n), Scalar::of(ElementType::Float64, entries[n].second));
  }
  return out;
}

}  // namespace filigree::differential
