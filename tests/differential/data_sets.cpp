#include "tests/differential/data_sets.h"

#include "notation/notation.h"
#include "tests/reference/evaluate.h"

namespace filigree::differential {
namespace {

/// How the entries of one operand are picked.
struct Recipe {
  std::string name;
  std::vector<std::int64_t> extents;       // of the index variables, in order of appearance; then repeated
  std::vector<double> densities;           // of the operands, in order of appearance; then repeated
  bool empties_rows = false;               // drops all entries of some coordinates of each dimension
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

Coordinates make_entries(const std::vector<std::int64_t>& dimensions, const Recipe& recipe, double density, std::mt19937& random) {
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
  Coordinates entries{dimensions, std::vector<std::vector<std::int64_t>>(dimensions.size()), Array(ElementType::Float64, static_cast<std::int64_t>(picked.size()))};
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

std::vector<DataSet> data_sets(const notation::Parsed& parsed, unsigned seed) {
  std::map<std::string, TensorVar> tensors;
  for (const notation::TensorUse& use : parsed.tensors) tensors.emplace(use.name, TensorVar(use.name, ElementType::Float64, Format::dense(use.order)));
  notation::Statement statement = notation::resolve(parsed, tensors);
  std::vector<IndexVar> vars = notation::index_vars(statement);
  std::vector<DataSet> sets;
  std::mt19937 random(seed);
  for (const Recipe& recipe : recipes()) {
    std::map<IndexVar, std::int64_t> extents;
    for (size_t v = 0; v < vars.size(); v++) extents[vars[v]] = recipe.extents[v % recipe.extents.size()];
    DataSet set{recipe.name, {}};
    for (const notation::Access& access : notation::accesses(statement.rhs)) {
      std::vector<std::int64_t> dimensions;
      for (const IndexVar& var : access.indices) dimensions.push_back(extents[var]);
      // B(k,i)*B(k,j): both uses give the shape, so i and j have one extent.
      if (set.operands.count(access.tensor.name())) continue;
      double density = recipe.densities[set.operands.size() % recipe.densities.size()];
      set.operands.emplace(access.tensor.name(), make_entries(dimensions, recipe, density, random));
    }
    sets.push_back(std::move(set));
  }
  return sets;
}

}  // namespace filigree::differential
